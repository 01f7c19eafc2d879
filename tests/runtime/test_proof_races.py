"""R2.6: what is shown about one account is never taken for another, whatever happens at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.errors import Conflict
from engine.model import EntryState, Registration
from tests.runtime.test_login_page import Desk, actor, open_desk
from tests.support_lichess import until_asked


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path) as opened:
        yield opened


async def test_r2_6_a_code_in_one_bio_proves_no_other_account(desk: Desk) -> None:
    """Mallory presses *Check* while her `/register` with somebody else's account is still on its way."""
    app = desk.parts.app
    mine = await desk.begins("anna", "mallory")
    desk.rig.world.change("mallory", bio=mine.entry.code)
    desk.rig.world.add_account("Victim", games=5000)
    asked = len(desk.rig.world.asked)
    desk.rig.world.fail_next("held")
    register = asyncio.create_task(app.registration.register(actor("anna"), "Victim"))
    await until_asked(desk.rig, asked + 1)
    prove = asyncio.create_task(app.registration.prove(actor("anna"), mine.entry.id))
    for _ in range(50):
        await asyncio.sleep(0)
    desk.rig.world.let_go()
    found = await asyncio.gather(register, prove, return_exceptions=True)
    assert isinstance(found[1], Conflict) and found[1].code in ("entry_changed", "code_not_found"), found
    assert stored(desk) == [("victim", EntryState.UNPROVEN)]


@pytest.mark.parametrize("turn", range(8))
async def test_r2_6_a_yes_on_the_page_enters_no_other_account(desk: Desk, turn: int) -> None:
    """Whichever comes first, the yes or another account: `turn` steps of the loop lie between them."""
    claim = await desk.begins("anna", "mine")
    desk.rig.world.add_account("other", games=5000)
    page = await desk.opens(await desk.link("anna", claim), "mine")
    register = asyncio.create_task(desk.parts.app.registration.register(actor("anna"), "other"))
    for _ in range(turn * 3):
        await asyncio.sleep(0)
    await asyncio.gather(desk.agrees(page), register, return_exceptions=True)
    assert [id for id, state in stored(desk) if state is not EntryState.UNPROVEN] in ([], ["mine"])


def stored(desk: Desk) -> list[tuple[str, EntryState]]:
    found = desk.parts.db.read_sync(lambda reader: reader.find(Registration))
    return [(entry.lichess_id, entry.state) for entry in found]
