"""simcord with patience: a busy machine is no fault."""

from __future__ import annotations

from typing import Any

import simcord

#: Seconds in which the bot comes to rest after an act.
PATIENCE = 30.0


class PatientEnv(simcord.Env):
    """It waits for the bot's login as long as for every other act: simcord gives that one five seconds, whatever
    `settle_timeout` says."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"settle_timeout": PATIENCE} | kwargs)

    async def _settle_internal(self, *, timeout: float | None = None, **kwargs: Any) -> None:
        await super()._settle_internal(timeout=max(timeout or 0.0, self.settle_timeout), **kwargs)
