"""From an empty server to where a rehearsal begins, by what people type and press: nothing is written past the bot."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

from acwc_bot.sandbox.crowd import Crowd
from acwc_bot.sandbox.field import FieldEntry, open_accounts
from acwc_bot.sandbox.habits import lot
from acwc_bot.sandbox.players import Players
from acwc_bot.sandbox.stops import next_tuesday, waits
from acwc_bot.sandbox.world import DIRECTOR, LOBBY, OWNER, Sandbox, SandboxError
from engine.calendar import rounds
from engine.model import Edition
from engine.rules import Ruleset, load, shipped, shipped_text
from engine.usecases.editions import load_edition

LEAD = timedelta(days=7)
REASON = "Not played in time; both play in the next week"
_ROUND = re.compile(r"round-([1-9]\d?)")

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Start:
    """Where a rehearsal begins. `round` 0: before the first round; `registration`: an edition is open."""

    round: int
    registration: bool = True

    @classmethod
    def parse(cls, text: str, players: int) -> Self:
        """`start`, `registration` or `round-N`; ValueError with what is possible."""
        if text in ("start", "registration"):
            return cls(0, text == "registration")
        most = rounds(newest_rules(), players)
        found = _ROUND.fullmatch(text)
        if found is None or int(found[1]) > most:
            raise ValueError(f"--at {text}: choose start, registration, or round-1 to round-{most}.")
        return cls(int(found[1]))


def newest_rules() -> Ruleset:
    key = shipped()[-1]
    return load(shipped_text(key), name=key)


async def play_opening(
    players: Players, field: Sequence[FieldEntry], start: Start, tell: Tell = lambda text: None
) -> None:
    """Everybody joins; then, as far as `start` says: setup, an edition, entries, the seeds, rounds. `tell` gets a line
    for each step. SandboxError when the bot does not do its part, with what it answered."""
    sandbox = players.sandbox
    open_accounts(sandbox.lichess, field)
    for entry in field:
        sandbox.join(entry.lichess_id)
    await sandbox.act(sandbox.env.settle)
    if start == Start(0, registration=False):
        return
    crowd = Crowd(players, lambda doing: None)
    await _open_registration(sandbox)
    names = [entry.lichess_id for entry in field]
    if start.round == 0:
        await _enter_in_part(crowd, players.seed, names)
        return
    tell(f"{len(names)} players enter …")
    for name in names:
        await crowd.register([name])
        await crowd.approve([name])
    await _close_registration(sandbox)
    for number in range(1, start.round):
        tell(f"round {number} is played …")
        await play_round(players, crowd)


async def _open_registration(sandbox: Sandbox) -> None:
    lobby = sandbox.channel(LOBBY)
    answer = await sandbox.slash(sandbox.people[OWNER], lobby, "td setup")
    if await sandbox.home("td") is None:
        raise SandboxError(f"/td setup made no channels: {answer}")
    await sandbox.give_td_role(DIRECTOR)
    director = sandbox.people[DIRECTOR]
    starts = start_day(sandbox.now().date(), newest_rules().starts.weekday())
    await sandbox.slash(director, lobby, "td edition create", starts=starts.isoformat(), ruleset=shipped()[-1])
    answer = await sandbox.slash(director, lobby, "td edition open")
    if not await sandbox.parts.db.read(lambda r: r.find(Edition)):
        raise SandboxError(f"The registration did not open: {answer}")


async def _enter_in_part(crowd: Crowd, seed: int, names: Sequence[str]) -> None:
    """A good half has entered, and of them some wait for the director."""
    coming = sorted(names, key=lambda name: lot(seed, name, "enters"))
    entered = coming[: (len(coming) + 1) // 2]
    await crowd.register(entered)
    await crowd.approve(entered[: len(entered) * 3 // 4])


async def _close_registration(sandbox: Sandbox) -> None:
    """The clock goes to the day, the director closes, and round 1 comes out."""
    view = await sandbox.parts.db.read(lambda r: load_edition(r, r.find(Edition)[-1].id))
    await sandbox.move_to(view.dates["registration.closes"].moment)
    answer = await sandbox.slash(sandbox.people[DIRECTOR], sandbox.channel(LOBBY), "td edition close")
    published = await sandbox.parts.runtime.next_due()
    if published is None:
        raise SandboxError(f"No round is due after the close: {answer}")
    await sandbox.move_to(published)


async def play_round(players: Players, crowd: Crowd) -> None:
    """Everybody plays, the director extends what is left, and the next round comes out."""
    sandbox = players.sandbox
    await crowd.live()
    await sandbox.move_to(next_tuesday(await players.event(), sandbox.now()).at)
    if waits(await players.event(), sandbox.now(), is_td=True):
        lobby = sandbox.channel(LOBBY)
        answer = await sandbox.slash(sandbox.people[DIRECTOR], lobby, "td round extend", reason=REASON)
        if waits(await players.event(), sandbox.now(), is_td=True):
            raise SandboxError(f"The round does not go on: {answer}")


def start_day(today: date, weekday: int) -> date:
    """The first such weekday (0 is Monday) that leaves people a week to enter and one until the first pairings."""
    earliest = today + LEAD
    return earliest + timedelta(days=(weekday - earliest.weekday()) % 7)
