"""Half an answer of Lichess about an account during the event: the watch tells nothing that is not so (R7.3), and the
check of another account comes to its end (Q55)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from engine.model import AccountChange, AccountCheck, AccountSeen
from engine.ports import OldestGames
from tests.cogs.entering import actor, has_account
from tests.cogs.test_clause_accounts import change, entrant, looks, new_account, notices
from tests.cogs.test_clause_terms import posts_with
from tests.world import World

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def rows(world: World, kind: type) -> list[Any]:
    return world.parts.db.read_sync(lambda reader: reader.find(kind))


# --- R7.3: the watch ------------------------------------------------------------------------------------------------


def listed(world: World, alter: Callable[[list[Any]], object]) -> None:
    """From now on the list of accounts is altered; None: as it was."""
    http = world.parts.app.desk.lichess.http
    real = http.post

    def post(path: str, body: str) -> Any:
        answer = real(path, body)
        return alter(answer) if path == "/api/users" else answer

    http.post = post  # type: ignore[method-assign]


async def look(world: World) -> None:
    """The next look is due."""
    await world.jump_to(max(row.seen_at for row in rows(world, AccountSeen)) + HOUR)
    await world.tick()


def without(name: str, *keys: str) -> Callable[[list[Any]], object]:
    """The entry of one account without these; without any key: no entry."""

    def alter(answer: list[Any]) -> object:
        kept = [entry for entry in answer if keys or entry["id"] != name]
        gone = {key: None for key in keys}
        return [{k: v for k, v in e.items() if e["id"] != name or k not in gone} for e in kept]

    return alter


@pytest.mark.parametrize("keys", [("username",), ("perfs",), ()])
async def test_r7_3_one_odd_entry_for_good_hides_no_mark_of_anybody(event: World, keys: tuple[str, ...]) -> None:
    listed(event, without("bob", *keys))
    event.lichess.change("anna", tos_violation=True)
    await look(event)
    (notice,) = notices(event)
    assert "anna: Lichess has **marked** it" in notice
    event.lichess.change("bob", tos_violation=True)
    await look(event)
    assert "bob: Lichess has **marked** it" in notices(event)[-1]


async def test_r7_3_whoever_cannot_be_read_alone_is_looked_at_again_soon_and_the_others_at_once(event: World) -> None:
    listed(event, without("bob"))
    for name in ("anna", "bob"):
        event.lichess.change(name, tos_violation=True)
    event.lichess.fail_next("html", 1, on="/api/user/bob")
    await look(event)
    assert "anna" in notices(event)[0] and len(notices(event)) == 1
    before = looks(event)
    await event.move(minutes=4)
    assert looks(event) == before and len(notices(event)) == 1
    await event.move(minutes=2)
    assert "bob: Lichess has **marked** it" in notices(event)[-1] and len(notices(event)) == 2
    assert [asked.body for asked in event.lichess.asked if asked.path == "/api/users"][-1] == "bob"


@pytest.mark.parametrize("restarts", [False, True])
async def test_r7_3_a_single_404_closes_no_account(event: World, restarts: bool) -> None:
    """The list leaves everybody out, and one of them is not found alone either."""
    event.lichess.fail_next("nothing", 1, on="/api/users")
    event.lichess.fail_next("404", 1, on="/api/user/anna")
    await look(event)
    assert not notices(event)
    if restarts:
        await event.restart()
    await event.move(hours=2)
    assert not notices(event)


async def test_r7_3_an_account_that_is_gone_is_told_at_the_second_look_and_once(event: World) -> None:
    """Lichess knows it no more, in no answer."""
    account = event.lichess.account("anna")
    event.lichess._accounts.pop("anna")  # pyright: ignore[reportPrivateUsage]
    await look(event)
    assert not notices(event)
    await event.move(minutes=6)
    (notice,) = notices(event)
    assert "anna: it is **closed** now" in notice
    await event.move(hours=2)
    assert account is not None and notices(event) == [notice]


# --- Q55: the check of another account ------------------------------------------------------------------------------


@pytest.mark.parametrize("request_number", range(3))
async def test_q55_a_single_404_ends_no_check(event: World, request_number: int) -> None:
    new_account(event, "anna_new")
    event.lichess.fail_next("404", 1, after=1 + request_number)  # the first is not of the check
    await change(event)
    await event.move(minutes=1)
    card = posts_with(event.channel("directors"), ":take-account:")[-1]
    assert "✓ Rated games" in card.content and "Take this account" in str(card.components)
    assert "does not show this account" not in card.content
    assert rows(event, AccountChange)[-1].finished_at is not None


async def test_q55_an_account_that_is_closed_during_its_check_ends_it(event: World) -> None:
    new_account(event, "anna_new")
    event.lichess.fail_next("502", 3, on="/api/games")
    await change(event)
    event.lichess.change("anna_new", closed=True)
    await event.move(minutes=1)
    card = posts_with(event.channel("directors"), ":take-account:")[-1]
    assert "✗ Account open: it is closed" in card.content and "The check goes on" not in card.content
    asked = len(event.lichess.asked)
    await event.move(minutes=30)
    assert not [one for one in event.lichess.asked[asked:] if "anna_new" in one.path]


class Between:
    """Something happens, once, while Lichess answers where the games must end."""

    def __init__(self, world: World, deed: Callable[[], Any]) -> None:
        self._fields = world.parts.app.desk.lichess.__dict__
        self._real, self._deed = world.parts.app.desk.lichess.oldest_games, deed

    async def _oldest(self, *args: Any, **options: Any) -> OldestGames:
        found = await self._real(*args, **options)
        self._fields["oldest_games"] = self._real
        await self._deed()
        return found

    def __enter__(self) -> None:
        self._fields["oldest_games"] = self._oldest

    def __exit__(self, *_: object) -> None:
        self._fields.pop("oldest_games")


async def test_q55_a_check_during_which_games_end_is_made_again(event: World) -> None:
    """It came to no verdict (R2.2), and had stayed so."""
    event.lichess.add_account("rival")
    new_account(event, "anna_new", games=1000)

    async def plays() -> None:
        event.lichess.change("anna_new", games={"antichess": 1001})
        event.lichess.add_game("rival", "anna_new", created_at=event.clock.now() - MINUTE, lasts=MINUTE)

    with Between(event, plays):
        await event.parts.app.account_changes.propose(actor(event, "td"), entrant(event, "anna"), "anna_new")
        await event.parts.app.account_changes.advance()
    await event.move(minutes=1)
    card = posts_with(event.channel("directors"), ":take-account:")[-1].content
    assert "✓ Rated games: 1000 of 1001 count" in card and "The check goes on" not in card


async def test_an_erasure_during_a_check_is_not_undone_by_it(event: World) -> None:
    app, td = event.parts.app, actor(event, "td")
    new_account(event, "anna_new")
    proposed = await app.account_changes.propose(td, entrant(event, "anna"), "anna_new")
    with Between(event, lambda: app.erasure.erase(td, proposed.entrant.person_id, event.parts.bot.members)):
        await app.account_changes.advance()
    await event.move(minutes=1)
    assert [row.progress for row in rows(event, AccountChange)] == [{}]


async def test_an_erasure_during_the_check_of_an_entry_is_not_undone_by_it(world: World) -> None:
    await world.slash(world.people["td"], "td edition create", starts="2026-03-22", ruleset="2023")
    await world.slash(world.people["td"], "td edition open")
    has_account(world, "bob")
    app, td = world.parts.app, actor(world, "td")
    world.person("bob")
    claim = await app.registration.register(actor(world, "bob"), "bob")
    world.lichess.change("bob", bio=claim.entry.code)
    entry = (await app.registration.prove(actor(world, "bob"), claim.entry.id)).entry
    with Between(world, lambda: app.erasure.erase(td, entry.person_id, world.parts.bot.members)):
        await app.checks.run(entry.id)
    await world.tick()
    (check,) = rows(world, AccountCheck)
    assert check.progress == {} and check.finished_at is not None
