"""From an empty server to round 1, by what people type and press: nothing is written past the bot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from acwc_bot.sandbox.field import FieldEntry, open_accounts
from acwc_bot.sandbox.world import DIRECTOR, LOBBY, OWNER, Sandbox, SandboxError
from cogs.directors.channels import NAMES, TD_ROLE
from engine.model import Edition, EntryState, Registration
from engine.rules import load, shipped, shipped_text
from engine.usecases.editions import load_edition

LEAD = timedelta(days=7)


async def play_opening(sandbox: Sandbox, field: Sequence[FieldEntry]) -> None:
    """Setup, an edition, everybody's entry and approval, the seeds, the clock at the first pairings.

    SandboxError when the bot does not do its part, with what it answered.
    """
    lobby = sandbox.channel(LOBBY)
    answer = await sandbox.slash(sandbox.people[OWNER], lobby, "td setup")
    role = sandbox.guild.roles.get(TD_ROLE)
    if role is None:
        raise SandboxError(f"/td setup made no role {TD_ROLE}: {answer}")
    director = sandbox.join(DIRECTOR, role)

    ruleset = shipped()[-1]
    starts = start_day(sandbox.now().date(), load(shipped_text(ruleset), name=ruleset).starts.weekday())
    await sandbox.slash(director, lobby, "td edition create", starts=starts.isoformat(), ruleset=ruleset)
    await sandbox.slash(director, lobby, "td edition open")
    open_accounts(sandbox.lichess, field)
    for entry in field:
        await _enter(sandbox, entry)
    await sandbox.move_to(await _registration_closes(sandbox))
    answer = await sandbox.slash(director, lobby, "td edition close")
    published = await sandbox.parts.runtime.next_due()
    if published is None:
        raise SandboxError(f"No round is due after the close: {answer}")
    await sandbox.move_to(published)


async def _enter(sandbox: Sandbox, entry: FieldEntry) -> None:
    player = sandbox.join(entry.lichess_id)
    answer = await sandbox.slash(player, sandbox.channel(LOBBY), "register", account=entry.lichess_id)
    filed = await sandbox.parts.db.read(lambda r: r.find(Registration, state=EntryState.PENDING))
    if not filed:
        raise SandboxError(f"{entry.lichess_id} could not enter: {answer}")
    desk = sandbox.channel(NAMES["td"])
    await sandbox.click(sandbox.people[DIRECTOR], desk.id, f"acwc:1:approve:{filed[-1].id}")


async def _registration_closes(sandbox: Sandbox) -> datetime:
    view = await sandbox.parts.db.read(lambda r: load_edition(r, r.find(Edition)[-1].id))
    return view.dates["registration.closes"].moment


def start_day(today: date, weekday: int) -> date:
    """The first such weekday (0 is Monday) that leaves people a week to enter and one until the first pairings."""
    earliest = today + LEAD
    return earliest + timedelta(days=(weekday - earliest.weekday()) % 7)
