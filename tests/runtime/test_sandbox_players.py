"""The sandbox's other players: late, stingy, absent; always by the seed, and never in the way of a round's end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from acwc_bot.sandbox.deeds import do
from acwc_bot.sandbox.habits import Arrival, Habits, habits
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.world import LOBBY
from engine.model import Offer
from engine.usecases.matches import Phase
from tests.runtime.test_sandbox import FIRST_PAIRINGS, comes_next, own_match, rehearsal

#: In round 1 of the five: the visitor's opponent, and the two of the other match (ids of match and entrant).
OPPONENT, OTHERS = (1, 3), ((2, 2), (2, 4))


def reliable(habit: Habits) -> bool:
    return on_time(habit) and not habit.reports


def seed_where(wanted: Callable[[int], bool]) -> int:
    return next(seed for seed in range(10_000) if wanted(seed))


def one_is(who: tuple[int, int], what: Callable[[Habits], bool]) -> int:
    """A seed with which that player is so, and all the others of round 1 are reliable."""
    rest = [other for other in (OPPONENT, *OTHERS) if other != who]
    return seed_where(lambda seed: what(habits(seed, *who)) and all(reliable(habits(seed, *other)) for other in rest))


def on_time(habit: Habits) -> bool:
    return not habit.answers_after and habit.most_offers is None and habit.arrival is Arrival.ON_TIME


def never_comes(habit: Habits) -> bool:
    return habit.arrival is Arrival.NEVER and not habit.answers_after and habit.most_offers is None


async def agree(it: Rehearsal) -> None:
    """The opponent offers, the visitor accepts the first."""
    await do(it, "opponent")
    await press(it, f"accept:{(await own_match(it)).offers[0].id}")


async def press(it: Rehearsal, button: str) -> None:
    """The visitor presses a button in the thread of the present match."""
    thread = (await own_match(it)).match.thread_id or 0
    await it.sandbox.click(it.sandbox.people[it.viewer], thread, f"acwc:1:{button}")


async def extend(it: Rehearsal) -> str:
    td = it.sandbox.people["director"]
    return await it.sandbox.slash(td, it.sandbox.channel(LOBBY), "td round extend", reason="They did not meet")


def test_habits_follow_from_the_seed_and_most_people_are_reliable() -> None:
    drawn = [habits(1, match, entrant) for match in range(1, 151) for entrant in (match, match + 7)]
    assert drawn == [habits(1, match, entrant) for match in range(1, 151) for entrant in (match, match + 7)]
    assert drawn != [habits(2, match, entrant) for match in range(1, 151) for entrant in (match, match + 7)]
    shares = {arrival: sum(h.arrival is arrival for h in drawn) for arrival in Arrival}
    assert 2 <= shares[Arrival.NEVER] <= 20 and 8 <= shares[Arrival.LATE] <= 36
    assert 30 <= sum(bool(h.answers_after) for h in drawn) <= 90
    assert all(timedelta(hours=12) <= h.answers_after <= timedelta(hours=72) for h in drawn if h.answers_after)
    assert {h.most_offers for h in drawn} == {None, 1, 2}


async def test_the_same_seed_plays_the_same_round(tmp_path: Path) -> None:
    async def told(folder: Path, seed: int) -> list[object]:
        folder.mkdir()
        async with rehearsal(folder, seed) as it:
            it.be("director")
            await do(it, "finish")
            offers = it.sandbox.parts.db.read_sync(lambda reader: reader.find(Offer))
            games = [(game.white, game.black, game.created_at, game.winner) for game in it.sandbox.lichess.games()]
            return [it.lines[-1].text, [offer.starts_at for offer in offers], games]

    first = await told(tmp_path / "a", 7)
    assert first == await told(tmp_path / "b", 7)
    assert first != await told(tmp_path / "c", 8)


async def test_a_late_opponent_answers_when_the_hour_has_come(tmp_path: Path) -> None:
    seed = one_is(OPPONENT, lambda habit: bool(habit.answers_after) and habit.most_offers is None)
    async with rehearsal(tmp_path, seed) as it:
        await do(it, "opponent")
        assert "has not looked yet and answers after" in it.lines[-1].text
        assert (await own_match(it)).offers == ()
        await it.sandbox.move_to(FIRST_PAIRINGS + habits(seed, *OPPONENT).answers_after)
        await do(it, "opponent")
        assert "offers 3 times" in it.lines[-1].text


async def test_a_stingy_opponent_owes_offers_and_is_reminded(tmp_path: Path) -> None:
    seed = one_is(OPPONENT, lambda habit: habit.most_offers == 2 and not habit.answers_after)
    async with rehearsal(tmp_path, seed) as it:
        await do(it, "opponent")
        assert "offers 2 times" in it.lines[-1].text
        await do(it, "opponent")
        assert it.lines[-1].text == "entrant_003 makes no more offers and waits."
        view = await own_match(it)
        assert not view.side(OPPONENT[1]).duty.met
        await do(it, "next")
        await do(it, "next")
        thread = it.sandbox.messages(view.match.thread_id or 0, it.sandbox.people["director"])
        assert "fewer than 3 offers from you so far" in thread[-1].content


async def test_an_opponent_who_stays_away_is_extended_and_then_plays(tmp_path: Path) -> None:
    seed = one_is(OPPONENT, never_comes)
    async with rehearsal(tmp_path, seed) as it:
        await agree(it)
        agreed = (await own_match(it)).match.agreed_at
        assert agreed is not None
        await do(it, "play")
        assert "entrant_003 has not come" in it.lines[-1].text
        assert it.sandbox.lichess.laid_out_between("entrant_001", "entrant_003") == []
        assert it.sandbox.now() == agreed
        await do(it, "opponent")
        assert it.lines[-1].text == "entrant_003 did not come at the agreed time."

        it.be("director")
        await do(it, "finish")
        assert "entrant_001 – entrant_003 (entrant_003 did not come)" in it.lines[-1].text
        assert "deadline, then press “Extend these matches…” in wc-directors." in it.lines[-1].text
        await do(it, "tuesday")
        assert "Round 2 waits" in it.lines[-1].text
        assert "Extended until" in await extend(it)
        event = await it.players.event()
        assert event is not None and event.current_round is not None and event.current_round.number == 2

        it.be("entrant_001")
        assert (await own_match(it)).round.number == 2
        while not (view := await own_match(it)).offers:
            await do(it, "next")
            await do(it, "opponent")
        await press(it, f"accept:{view.offers[0].id}")
        await do(it, "play")
        view = await own_match(it)
        assert (view.round.number, view.phase) == (1, Phase.AGREED), "the extended match is what is left to do"
        await do(it, "play")
        assert "have played" in it.lines[-1].text
        assert (await own_match(it)).round.number == 2


async def test_r6_3_the_visitor_reports_the_absence_and_chooses(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, one_is(OPPONENT, never_comes)) as it:
        await agree(it)
        await do(it, "play")
        assert "Press “Opponent absent” in the match thread" in it.lines[-1].text
        assert "Press Opponent absent in Discord" in await comes_next(it)
        await press(it, f"absent:{OPPONENT[0]}")
        assert "you have reported entrant_003 absent" in await comes_next(it)
        await do(it, "next")
        assert "the ten minutes are over" in it.lines[-1].text
        assert "the win or another time" in await comes_next(it)
        await press(it, "claim-move:1")
        assert "play at once" in await comes_next(it)
        await do(it, "play")
        assert "entrant_001 and entrant_003 have played" in it.lines[-1].text
        await do(it, "hour")
        assert (await own_match(it)).phase is Phase.FINISHED


async def test_r6_3_the_opponent_reports_a_visitor_who_does_not_come(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, one_is(OPPONENT, reliable)) as it:
        await agree(it)
        await do(it, "next")
        while (await own_match(it)).match.agreed_at != it.sandbox.now():
            await do(it, "next")
        await do(it, "opponent")
        assert "entrant_003 is ready to play" in it.lines[-1].text
        await it.sandbox.move_to(it.sandbox.now() + timedelta(minutes=5))
        await do(it, "opponent")
        assert "entrant_003 reports the opponent absent" in it.lines[-1].text
        assert "entrant_003 has reported you absent" in await comes_next(it)
        await do(it, "next")
        await do(it, "opponent")
        assert "entrant_003 claims the win" in it.lines[-1].text or "chooses another time" in it.lines[-1].text


async def test_the_others_report_absences_too(tmp_path: Path) -> None:
    """Whatever is chosen, the match comes to its end without a TD."""
    for wins in (True, False):

        def tells(seed: int, wins: bool = wins) -> bool:
            here = habits(seed, *OTHERS[0])
            return here.reports and here.claims_win is wins and on_time(here) and on_time(habits(seed, *OPPONENT))

        seed = seed_where(lambda seed: never_comes(habits(seed, *OTHERS[1])) and tells(seed))
        folder = tmp_path / str(wins)
        folder.mkdir()
        async with rehearsal(folder, seed) as it:
            it.be("director")
            await do(it, "finish")
            assert it.lines[-1].text == "The round is played."
            games = [g for g in it.sandbox.lichess.games() if "entrant_004" in (g.white, g.black)]
            assert bool(games) is not wins


async def test_the_visitor_plays_one_game_at_a_time(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, one_is(OPPONENT, reliable)) as it:
        await agree(it)
        await do(it, "game")
        left = len(it.sandbox.lichess.laid_out_between("entrant_001", "entrant_003")) - 1
        assert f"A game is played, {left} come after it." in it.lines[-1].text
        for _ in range(left):
            assert (await own_match(it)).phase is not Phase.FINISHED
            await do(it, "game")
        assert "it was the last" in it.lines[-1].text and (await own_match(it)).phase is Phase.FINISHED
        await do(it, "game")
        assert it.lines[-1].bad


async def test_the_others_live_on_while_the_visitor_waits_for_the_own_match(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await do(it, "opponent")
        await press(it, f"accept:{(await own_match(it)).offers[-1].id}")
        await do(it, "play")
        view, event = await own_match(it), await it.players.event()
        assert event is not None and it.sandbox.now() == it.players.over_at(view)
        other = event.matches[OTHERS[0][0]]
        assert other.agreed_at is not None and event.has_result(other) is (other.agreed_at < view.match.agreed_at)  # type: ignore[operator]


async def test_others_who_stay_away_are_named_and_the_round_can_be_finished(tmp_path: Path) -> None:
    seed = one_is(OTHERS[1], never_comes)
    async with rehearsal(tmp_path, seed) as it:
        it.be("director")
        await do(it, "finish")
        assert it.lines[-1].text == (
            "The others have done what they can. Without a result: entrant_002 – entrant_004 "
            "(entrant_004 did not come). Move the clock to the match deadline, then press “Extend these matches…” in "
            "wc-directors."
        )
        await do(it, "tuesday")
        await do(it, "finish")
        assert "Now press “Extend" in it.lines[-1].text
        it.be("entrant_001")
        assert "Now be the TD and press “Extend" in it.crowd.left(await it.crowd.open_views(), is_td=False)
        await extend(it)
        it.be("director")
        await do(it, "finish")
        event = await it.players.event()
        assert event is not None and len(event.tournament.results) == 4  # both rounds, two matches each


async def test_a_late_player_sits_down_later_than_agreed(tmp_path: Path) -> None:
    seed = one_is(OTHERS[1], lambda habit: habit.arrival is Arrival.LATE and not habit.answers_after)
    async with rehearsal(tmp_path, seed) as it:
        it.be("director")
        await do(it, "finish")
        assert it.lines[-1].text == "The round is played."
        event = await it.players.event()
        assert event is not None
        match = event.matches[OTHERS[1][0]]
        starts = [g.created_at for g in it.sandbox.lichess.games() if g.white in ("entrant_002", "entrant_004")]
        assert match.agreed_at is not None
        assert min(starts) - match.agreed_at == timedelta(minutes=2) + habits(seed, *OTHERS[1]).late_by
