"""A busy machine is no fault: the bot's login has the same time as every other act."""

from __future__ import annotations

from typing import Any

import discord
import simcord

from acwc_bot.sandbox.patient import PATIENCE, PatientEnv


class Noting(simcord.Env):
    waits: list[float]

    async def _settle_internal(self, *, timeout: float | None = None, **kwargs: Any) -> None:
        self.waits = [*getattr(self, "waits", []), timeout or 0.0]
        await super()._settle_internal(timeout=timeout, **kwargs)


class Both(PatientEnv, Noting):
    pass


async def test_the_login_is_waited_for_as_long_as_everything_else() -> None:
    env = Both(discord.Client(intents=discord.Intents.default()))
    await env.start()
    await env.settle()
    await env.settle(timeout=PATIENCE + 1)
    await env.shutdown()
    assert len(env.waits) >= 3 and min(env.waits) == PATIENCE and max(env.waits) == PATIENCE + 1


async def test_simcord_alone_gives_the_login_less() -> None:
    """When this fails, `PatientEnv` has had its day."""
    env = Noting(discord.Client(intents=discord.Intents.default()), settle_timeout=PATIENCE)
    await env.start()
    await env.shutdown()
    assert env.waits[0] == 5.0
