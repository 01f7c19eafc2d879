"""What holds for every test: nothing leaks in from the developer's machine, and Hypothesis repeats itself."""

from __future__ import annotations

import os

from hypothesis import settings

for _name in (
    "DISCORD_TOKEN",
    "DATABASE_URL",
    "LICHESS_TOKEN",
    "PUBLIC_URL",
    "DISCORD_GUILD_ID",
    "BACKUP_DIR",
    "LOG_LEVEL",
):
    os.environ.pop(_name, None)

# The same examples on every run and no limit by the clock: a loaded machine must not turn a green suite red.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")
