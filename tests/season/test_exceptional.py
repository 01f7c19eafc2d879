"""Weeks that don't go as planned: late offers, an open match on Tuesday, a missing channel (R5.1, Q9, Q10)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.model import Entrant, Occurrence
from engine.pairing_checker import check
from engine.pairing_types import Pairing, Player
from tests.season.oracle import Met, Round, table
from tests.season.play import (
    FIRST_PAIRINGS,
    SIX_NIL,
    agree,
    as_rows,
    at,
    board_of,
    boards,
    button,
    domain_table,
    met,
    offer,
    plain,
    play,
    play_all_but,
    posted_table,
    report,
    said,
    shown_table,
    undelivered,
    wait,
)
from tests.world import World, open_prepared, text_of

NAMES = ["anna", "boris", "chen", "dora", "emil", "fay", "goran", "hana"]
SEEDS = {name: seed for seed, name in enumerate(NAMES, start=1)}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Eight players, round 1 published: anna – emil, boris – fay, chen – goran, dora – hana."""
    async with open_prepared(tmp_path, round_1_is_out) as opened:
        yield opened


async def round_1_is_out(world: World) -> None:
    await world.set_up()
    await world.start_edition(NAMES, FIRST_PAIRINGS.isoformat())
    await world.move_to(at(3, 22))


def td_messages(world: World, pattern: str) -> list[Any]:
    return said(world.channel("directors"), pattern)


# --- R5.1: the Friday ping -----------------------------------------------------------------------------------------

FRIDAY_PING = "fewer than 3 offers from you so far"


async def _some_offers(world: World) -> None:
    """On the Monday: anna, emil and boris do their duty, fay makes one offer, dora's three are too close, chen and
    goran agree, hana is silent."""
    await world.move_to(at(3, 23))
    duty = [at(3, 28, 10), at(3, 28, 18), at(3, 29, 18)]
    for name in ("anna", "emil", "boris"):
        await offer(world, board_of(world, 1, name), name, *duty)
    await offer(world, board_of(world, 1, "fay"), "fay", at(3, 29, 12))
    await offer(world, board_of(world, 1, "dora"), "dora", at(3, 28, 10), at(3, 28, 11), at(3, 29, 18))
    await agree(world, board_of(world, 1, "chen"), at(3, 28, 20))


def _pinged(world: World, pattern: str) -> dict[str, list[set[str]]]:
    """First player of a match -> whom each such message in its thread notifies."""
    names = {world.people[name].id: name for name in NAMES}
    return {
        board.a: [{names[user.id] for user in message.mentions} for message in found]
        for board in boards(world, 1)
        if (found := said(board.thread, pattern))
    }


async def test_r5_1_friday_ping_in_the_thread_of_exactly_the_late(world: World) -> None:
    await _some_offers(world)
    await world.move_to(at(3, 27) - timedelta(seconds=1))
    assert _pinged(world, FRIDAY_PING) == {}
    await world.move_to(at(3, 27))
    assert _pinged(world, FRIDAY_PING) == {"boris": [{"fay"}], "dora": [{"dora", "hana"}]}
    asked = [r.json for r in world.env.http_requests if FRIDAY_PING in str(r.json)]
    late = {frozenset(int(user) for user in body["allowed_mentions"]["users"]) for body in asked}
    id_of = {name: world.people[name].id for name in NAMES}
    assert late == {frozenset({id_of["fay"]}), frozenset({id_of["dora"], id_of["hana"]})}
    assert not any(body["allowed_mentions"].get("parse") for body in asked)
    (to_fay,) = said(board_of(world, 1, "fay").thread, FRIDAY_PING)
    assert "fay 1 of 3 offers" in to_fay.content and "Fri 27 Mar 23:59" in to_fay.content
    assert "dora 2 of 3 offers, hana 0 of 3" in said(board_of(world, 1, "dora").thread, FRIDAY_PING)[0].content
    await world.move(hours=1)
    assert _pinged(world, FRIDAY_PING) == {"boris": [{"fay"}], "dora": [{"dora", "hana"}]}


async def test_r5_1_thursday_reminder_is_for_those_without_any_offer(world: World) -> None:
    await _some_offers(world)
    await world.move_to(at(3, 26, 18))
    assert _pinged(world, "no offer from you yet") == {"dora": [{"hana"}]}


async def test_r5_1_friday_ping_is_skipped_when_its_moment_has_passed(world: World) -> None:
    """Down from 11:00 to 21:30: the ping is recorded as skipped, the last call of 21:00 still says it all."""
    await _some_offers(world)
    await world.move_to(at(3, 27, 11))
    await world.jump_to(at(3, 27, 21, 30))
    await world.restart()
    await world.tick()
    assert _pinged(world, FRIDAY_PING) == {}
    assert _pinged(world, "last call") == {"boris": [{"fay"}], "dora": [{"dora", "hana"}]}
    assert _skipped(world) == {"too_few": True, "last_call": False, "no_offer": False}


async def test_r5_1_nobody_is_pinged_after_the_deadline(world: World) -> None:
    await _some_offers(world)
    await world.move_to(at(3, 26))
    await world.jump_to(at(3, 28, 0))
    await world.restart()
    await world.tick()
    assert _pinged(world, "offers? from you") == {}
    assert _skipped(world) == {"too_few": True, "last_call": True, "no_offer": True}


def _skipped(world: World) -> dict[str, bool]:
    found = world.parts.db.read_sync(lambda reader: reader.find(Occurrence))
    return {o.key.rpartition(":")[2]: o.skipped for o in found if ":r1:remind:" in o.key}


# --- Q9, Q10: an open match on Tuesday ------------------------------------------------------------------------------

WAITS, WAITS_NO_MORE = "Round 2 is due but waits", "nothing holds it up any more"


async def _extended_on_tuesday(world: World) -> list[Met]:
    """Dora and hana have not played; round 2 waits, a TD extends with a reason, it is published. Round 1's results."""
    played = await play_all_but(world, 1, at(3, 28, 18), "dora")
    await world.move_to(at(3, 31))
    await world.move(hours=3)
    assert not boards(world, 2)
    (notice,) = td_messages(world, WAITS)
    assert "R1 · dora – hana, agreed Sat 28 Mar" in notice.content and "anna" not in notice.content
    form = await world.click(world.people["td"], notice, button(notice, "extend"))
    answer = text_of(await world.submit(world.people["td"], form, "Storm in the north"))
    assert "R1 · dora – hana" in answer
    assert len(boards(world, 2)) == 4
    return played


async def test_q9_round_waits_until_the_open_match_is_extended(world: World) -> None:
    played = await _extended_on_tuesday(world)
    still_open = Round([*played, Met("dora", "hana", 0, 0, played=False)])
    assert not td_messages(world, WAITS) and len(td_messages(world, WAITS_NO_MORE)) == 1
    assert await domain_table(world) == table([still_open], SEEDS)
    assert posted_table(world, 1) == as_rows(table([still_open], SEEDS))
    shown = await world.slash(world.people["anna"], "standings")
    assert "Still open, counted 0: R1 · dora – hana" in text_of(shown)
    assert said(world.channel("standings"), "Still open, counted 0: R1 · dora – hana")
    assert "extended to" in said(world.channel("pairings"), "dora – hana")[0].content
    _paired_as_if_drawn(world, {m.a: 2 for m in played} | {"dora": 1, "hana": 1})


def _paired_as_if_drawn(world: World, half_points: dict[str, int]) -> None:
    """Q9: ½–½ for the pairing of round 2."""
    ids = {e.name: e.id for e in world.parts.db.read_sync(lambda reader: reader.find(Entrant))}
    first = {board.a: board.b for board in boards(world, 1)}
    against = first | {b: a for a, b in first.items()}
    players = [
        Player(ids[name], seed, half_points.get(name, 0), met=frozenset({ids[against[name]]}))
        for name, seed in SEEDS.items()
    ]
    pairs = tuple((ids[board.a], ids[board.b]) for board in boards(world, 2))
    assert check(players, Pairing(pairs, None)) == []
    assert {"dora", "hana"} & {
        board_of(world, 2, "anna").other("anna"),
        board_of(world, 2, "emil").other("emil"),
    } == set()


async def test_q9_only_a_td_extends(world: World) -> None:
    """R1.2: who merely sees the command, by *Manage Threads*, is refused."""
    await play_all_but(world, 1, at(3, 28, 18), "dora")
    await world.move_to(at(3, 31))
    assert td_messages(world, WAITS)
    refused = text_of(await world.slash(world.owner, "td round extend", reason="I want to"))
    assert "§1.2" in refused and not boards(world, 2)


async def test_q9_ruling_out_the_wait_by_playing(world: World) -> None:
    """The result itself ends the wait as well: published at the same tick, and nobody is asked again."""
    await play_all_but(world, 1, at(3, 28, 18), "dora")
    open_match = board_of(world, 1, "dora")
    await play(world, open_match, at(3, 30, 22))
    await world.move_to(at(3, 31, 13))
    assert len(td_messages(world, WAITS)) == 1 and not boards(world, 2)
    assert "Recorded" in await report(world, open_match, "hana")
    assert len(boards(world, 2)) == 4
    assert not td_messages(world, WAITS) and len(td_messages(world, WAITS_NO_MORE)) == 1


async def test_q10_late_result_goes_into_its_own_round(world: World) -> None:
    """Played in the week of round 2, before that round closes: round 1's table is edited, not posted again."""
    played = await _extended_on_tuesday(world)
    late = board_of(world, 1, "dora")
    await play(world, late, at(4, 1, 18))
    await world.move_to(at(4, 1, 20))
    asked = text_of(await world.slash(world.people["dora"], "report"))
    assert "R1 · dora – hana" in asked and "R2 · " in asked
    posts = len(world.channel("standings").history())
    assert "Recorded" in await report(world, late, "dora")
    first = Round([*played, met(late, SIX_NIL)])
    assert posted_table(world, 1) == as_rows(table([first], SEEDS))
    assert not said(world.channel("standings"), "Still open")
    assert len(world.channel("standings").history()) == posts
    second = Round(await play_all_but(world, 2, at(4, 4, 18)))
    assert await domain_table(world) == table([first, second], SEEDS)
    assert posted_table(world, 2) == as_rows(table([first, second], SEEDS))


async def test_q10_late_result_after_the_next_round_closed_corrects_every_table(world: World) -> None:
    """A changed result edits the posted messages (design section 5): also the later tables it counts in (R3.6)."""
    played = await _extended_on_tuesday(world)
    second = Round(await play_all_but(world, 2, at(4, 4, 18)))
    still_open = Round([*played, Met("dora", "hana", 0, 0, played=False)])
    assert await domain_table(world) == table([still_open, second], SEEDS)
    late = board_of(world, 1, "dora")
    await play(world, late, at(4, 5, 18))
    await world.move_to(at(4, 5, 20))
    assert "Recorded" in await report(world, late, "hana")
    first = Round([*played, met(late, SIX_NIL)])
    assert await domain_table(world) == table([first, second], SEEDS)
    assert await shown_table(world, world.people["anna"]) == as_rows(table([first, second], SEEDS))
    assert posted_table(world, 1) == as_rows(table([first], SEEDS))
    assert posted_table(world, 2) == as_rows(table([first, second], SEEDS))
    assert not said(world.channel("standings"), "Still open")


async def test_q10_tds_hear_of_an_extended_match_that_was_not_played(world: World) -> None:
    """Q7: nothing is decided by silence, and an extension that ran out is not forgotten either."""
    await _extended_on_tuesday(world)
    await play_all_but(world, 2, at(4, 4, 18))
    before = len(td_messages(world, ""))
    await world.move_to(at(4, 7, 0) + timedelta(minutes=1))
    assert ["dora – hana" in plain(m.content) for m in td_messages(world, "")[before:]] == [True]


# --- Channels that are gone, permissions that are missing ------------------------------------------------------------

STUCK = "Messages are stuck"
TROUBLES = "I cannot do my work everywhere"


async def test_deleted_channel_is_told_once_and_setup_heals(world: World) -> None:
    world.env.backend.delete_channel(world.channel("results").id)
    await play_all_but(world, 1, at(3, 28, 18))
    (notice,) = td_messages(world, TROUBLES)
    assert "results: the channel does not exist. Run `/td setup`" in notice.content
    assert len(undelivered(world)) == 4
    await world.restart()
    await world.move(hours=2)
    assert not td_messages(world, STUCK) and len(td_messages(world, TROUBLES)) == 1
    answer = text_of(await world.slash(world.owner, "td setup"))
    assert "What was stuck is being delivered now" in answer
    posted = re.findall(r"Round 1: (\w+) 6–0", "\n".join(m.content for m in world.channel("results").history()))
    assert posted == ["anna", "boris", "chen", "dora"]
    assert not undelivered(world)


async def test_missing_permission_is_told_once_and_setup_heals(world: World) -> None:
    path = f"/channels/{world.channel('results').id}/messages"
    world.env.inject_error("POST", path, status=403, code=50013, message="Missing Permissions", times=None)
    await play_all_but(world, 1, at(3, 28, 18))
    (notice,) = td_messages(world, STUCK)
    assert "may not write there" in notice.content
    assert not world.channel("results").history() and posted_table(world, 1)
    world.env.backend.faults.clear()
    await world.slash(world.owner, "td setup")
    assert len(world.channel("results").history()) == 4 and not undelivered(world)


async def test_deleted_thread_is_opened_again_and_holds_up_nobody(world: World) -> None:
    """The others' messages arrive at once; the thread comes back with its card and what was said since."""
    gone = board_of(world, 1, "dora").thread.id
    world.env.backend.delete_channel(gone)
    await world.slash(world.people["dora"], "offer", times="28 Mar 18:00")
    await offer(world, board_of(world, 1, "anna"), "anna", at(3, 28, 10))
    assert said(board_of(world, 1, "anna").thread, "anna offers a time")
    await wait(world, 1)
    again = board_of(world, 1, "dora").thread
    assert again.id != gone and len(boards(world, 1)) == 4
    assert len(said(again, "## Round 1")) == 1 and len(said(again, "dora offers a time")) == 1
    assert not td_messages(world, STUCK) and not undelivered(world)


async def test_deleted_matches_channel_is_told_once_and_made_again_by_setup(world: World) -> None:
    """What was said in its threads since is delivered into the new ones."""
    for thread in world.threads.values():  # Discord deletes them with their channel; simcord leaves them
        world.env.backend.delete_channel(thread.id)
    world.env.backend.delete_channel(world.channel("matches").id)
    await world.slash(world.people["dora"], "offer", times="28 Mar 18:00")
    await world.slash(world.people["chen"], "offer", times="28 Mar 18:00")
    await wait(world, 1)
    assert len(td_messages(world, TROUBLES)) == 1 and not td_messages(world, STUCK)
    await world.slash(world.owner, "td setup")
    await wait(world, 1)
    assert {board.a for board in boards(world, 1)} >= {"chen", "dora"}
    assert said(board_of(world, 1, "dora").thread, "dora offers a time")
    assert not undelivered(world)
