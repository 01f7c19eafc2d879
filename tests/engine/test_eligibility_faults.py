"""One answer that is half, empty or too late, at whichever request: a check is right, or not complete yet (R2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from engine.eligibility import Known, Progress, Topic, Verdict, begin, estimate, from_json, to_json
from engine.errors import LichessUnavailable, NotFound
from engine.ports import Account
from engine.rules import Ruleset, load
from engine.usecases.eligibility import Checked, Eligibility
from tests.engine.lichess_book import ListedLichess, SetClock, moment, played
from tests.rules.ruleset_text import TEXT

RULES = load(TEXT)
IN_TEAM = load(TEXT.replace("[entry]\n", '[entry]\nteam = "some-team"\n'))
CUT_OFF = moment("2023-03-12")
NOW = CUT_OFF + timedelta(days=2)
NAMED = ("bea", "cleo")


def other(name: str, **options: bool) -> Account:
    return Account(id=name, name=name.title(), ratings={}, games={}, **options)


async def run(lichess: ListedLichess, rules: Ruleset = RULES, others: tuple[str, ...] = ()) -> Checked:
    known = Known(second_account=False)
    return await Eligibility(lichess, SetClock(NOW)).check(rules, "Ann", others=others, known=known)


async def to_the_end(lichess: ListedLichess, rules: Ruleset, others: tuple[str, ...]) -> Checked:
    """Taken up again after every fault; each look is at most not complete."""
    eligibility, progress = Eligibility(lichess, SetClock(NOW)), begin("Ann", others)
    for _ in range(5):
        found = await eligibility.resume(rules, progress, known=Known(second_account=False))
        progress = from_json(to_json(found.progress))
        if found.unavailable is None:
            return found
        assert found.judgement.verdict is Verdict.INCOMPLETE
    raise AssertionError("it does not end")


# --- Any request ---------------------------------------------------------------------------------------------------

FAULTS: dict[str, Callable[[ListedLichess, int], object]] = {
    "silence": lambda lichess, number: setattr(lichess, "fails", frozenset({number})),
    "nothing": lambda lichess, number: setattr(lichess, "cut", {number: 0}),
    "one": lambda lichess, number: setattr(lichess, "cut", {number: 1}),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("older", [1000, 999])
async def test_r2_one_fault_at_any_request_with_a_team_and_other_accounts(number: int, fault: str, older: int) -> None:
    lichess = ListedLichess(
        older=older,
        listed=[played(n, CUT_OFF + n * timedelta(minutes=5)) for n in range(4)],
        teams=("chess", "some-team"),
        others=tuple(map(other, NAMED)),
        size=3,
    )
    FAULTS[fault](lichess, number)
    found = await to_the_end(lichess, IN_TEAM, NAMED)
    assert found.judgement.verdict is (Verdict.PASS if older == 1000 else Verdict.FAIL)
    team, mark = found.judgement.of(Topic.TEAM), found.judgement.of(Topic.ENGINE_MARK)
    assert team is not None and mark is not None
    assert (team.verdict, mark.verdict) == (Verdict.PASS, Verdict.PASS)


# --- R2.8: closed meanwhile ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(2, 7))
async def test_r2_8_an_account_that_is_closed_during_its_check_fails_and_ends_it(number: int) -> None:
    """The other account, the team, where the games must end, the games, and the account again."""
    lichess = ListedLichess(
        older=999, listed=[played(1, CUT_OFF)], teams=("some-team",), others=(other("bea"), other("cleo"))
    )
    lichess.before = lambda asked: setattr(lichess, "closed", asked >= number)
    found = await run(lichess, IN_TEAM, NAMED)
    assert (found.unavailable, found.judgement.verdict) == (None, Verdict.FAIL)
    assert [check.topic for check in found.judgement.checks if check.verdict is Verdict.FAIL] == [Topic.OPEN]
    assert found.progress.requests == len(lichess.asked)


async def test_r2_8_an_account_that_is_gone_is_not_taken_for_a_closed_one() -> None:
    lichess = ListedLichess(older=1000)

    def renamed(number: int) -> None:
        if number == 2:
            raise NotFound("no_account", name="ann")

    lichess.before = renamed
    with pytest.raises(NotFound, match="no_account"):
        await run(lichess)


# --- R2.3: the other accounts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("left", [0, 1])
async def test_r2_3_whoever_half_an_answer_leaves_out_is_asked_for_alone(left: int) -> None:
    lichess = ListedLichess(older=1000, others=(other("bea"), other("cleo", tos_violation=True)), cut={2: left})
    found = (await run(lichess, others=NAMED)).judgement.of(Topic.ENGINE_MARK)
    assert found is not None and found.verdict is Verdict.HUMAN
    assert (found.figures["others_marked"], found.figures["others_unknown"]) == (("cleo",), ())
    assert lichess.asked[: 5 - left] == ["account", "accounts", *["account"] * (2 - left), "oldest"]


async def test_r2_3_an_account_that_nobody_has_is_found_by_nobody_twice() -> None:
    lichess = ListedLichess(older=1000, others=(other("bea"),))
    found = (await run(lichess, others=("bea", "nobody"))).judgement.of(Topic.ENGINE_MARK)
    assert found is not None and found.figures["others_unknown"] == ("nobody",)
    assert lichess.asked[:3] == ["account", "accounts", "account"]


async def test_r2_3_another_account_that_cannot_be_read_alone_leaves_the_check_incomplete() -> None:
    lichess = ListedLichess(older=1000, others=(other("bea"), other("cleo")), cut={2: 0}, fails=frozenset({3}))
    found = await run(lichess, others=NAMED)
    assert isinstance(found.unavailable, LichessUnavailable)
    assert (found.judgement.verdict, found.progress.others_unknown) == (Verdict.INCOMPLETE, None)
    assert (await to_the_end(lichess, RULES, NAMED)).judgement.verdict is Verdict.PASS


# --- R2.8: the team ------------------------------------------------------------------------------------------------


async def test_r2_8_a_team_that_is_missing_in_one_answer_is_asked_for_again() -> None:
    lichess = ListedLichess(older=1000, teams=("some-team",), cut={2: 0})
    assert (await run(lichess, IN_TEAM)).judgement.verdict is Verdict.PASS
    assert lichess.asked[:3] == ["account", "teams", "teams"]
    outside = ListedLichess(older=1000, teams=("chess",))
    assert (await run(outside, IN_TEAM)).judgement.verdict is Verdict.FAIL
    assert outside.asked == ["account", "teams", "teams"]


async def test_r2_8_what_is_left_allows_for_a_second_question_about_the_team() -> None:
    """While it can still be joined the check goes on behind it."""
    lichess, said = ListedLichess(older=1000, teams=("chess",)), list[int]()

    async def note(progress: Progress) -> None:
        left = estimate(IN_TEAM, progress).at_most
        assert left is not None
        said.append(progress.requests + left)

    clock = SetClock(CUT_OFF - timedelta(days=1))
    found = await Eligibility(lichess, clock).check(IN_TEAM, "Ann", on_progress=note)
    assert found.judgement.verdict is Verdict.NOT_YET
    assert found.progress.requests == len(lichess.asked) == 5 <= min(said)


def test_r2_8_a_check_of_before_counts_its_answer_about_the_team() -> None:
    """What was stored by an older version is judged as it was."""
    old = to_json(Progress(account="ann", teams=("chess",), rated_since=7))
    del old["teams_answers"], old["rated_since_certain"]
    read = from_json(old)
    assert (read.teams_answers, read.rated_since_certain) == (1, 7)


# --- R2.2: what the profile counts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("older", "verdict"),
    [(999, Verdict.FAIL), (1000, Verdict.HUMAN), (1001, Verdict.HUMAN), (1002, Verdict.PASS)],
)
async def test_r2_2_rated_games_that_moved_no_rating_may_be_on_no_profile(older: int, verdict: Verdict) -> None:
    """Against marked players Lichess counts none; how many of those it counts is not said."""
    since = [played(n, CUT_OFF + n * timedelta(minutes=5), moved=n == 0) for n in range(3)]
    lichess = ListedLichess(older=older, listed=since)
    found = (await run(lichess)).judgement.of(Topic.RATED_GAMES)
    assert found is not None and found.verdict is verdict
    figures = [found.figures[key] for key in ("on_profile", "since", "uncertain", "counted", "at_most")]
    assert figures == [older + 1, 3, 2, older - 2, older]


async def test_r2_2_a_game_that_ends_during_the_count_leaves_no_human_to_decide_about_it() -> None:
    lichess = ListedLichess(older=1000, listed=[played(1, CUT_OFF, moved=False)])
    lichess.before = lambda number: lichess.listed.append(played(2, NOW)) if number == 2 else None
    found = (await run(lichess)).judgement.of(Topic.RATED_GAMES)
    assert found is not None and (found.verdict, found.figures["moving"]) == (Verdict.INCOMPLETE, True)


async def test_r2_2_a_count_that_shrinks_is_no_count() -> None:
    """One of the two readings is wrong, and nobody knows which."""
    lichess = ListedLichess(older=1000, listed=[played(1, CUT_OFF, moved=False)])
    lichess.before = lambda number: setattr(lichess, "older", 3 if number == 4 else 1000)
    found = await run(lichess)
    assert found.unavailable is not None and found.unavailable.code == "lichess_incomplete"
    assert (found.judgement.verdict, found.progress) == (Verdict.INCOMPLETE, begin("Ann"))


@pytest.mark.parametrize("ahead", [timedelta(minutes=9), timedelta(hours=3), timedelta(hours=23)])
async def test_r2_2_a_clock_of_ours_that_is_behind_misses_no_game(ahead: timedelta) -> None:
    """The profile counts a game that by our clock has not begun."""
    lichess = ListedLichess(older=999, listed=[played(1, NOW + ahead)])
    assert (await run(lichess)).judgement.verdict is Verdict.FAIL
