"""Random games, pieces, faults and restarts: the check comes to what a plain count of the lists says, or says nothing.

And its price: requests per game, counted.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.eligibility import (
    AskGames,
    AskOldest,
    Known,
    Progress,
    Topic,
    Verdict,
    absorb,
    begin,
    estimate,
    from_json,
    judge,
    next_request,
    to_json,
)
from engine.errors import LichessUnavailable
from engine.ports import Account, GamesPiece, OldestGames, PlayedGame
from engine.rules import Ruleset, load
from engine.usecases.eligibility import Checked, Eligibility
from tests.engine.lichess_book import MS, SECOND, ListedLichess, SetClock, moment, played
from tests.rules.ruleset_text import TEXT, with_value

NEEDED = 5
RULES = load(with_value(TEXT, "entry.min_games", str(NEEDED)))
# The cut-off of R2.2 between, before and after the two windows of R2.5.
EARLY = load(with_value(with_value(TEXT, "entry.min_games", str(NEEDED)), "entry.min_games_before", "2019-06-01"))
MIDDLE = load(with_value(with_value(TEXT, "entry.min_games", str(NEEDED)), "entry.min_games_before", "2021-06-01"))
NOW = moment("2023-04-01")
KNOWN = Known(second_account=False)

# Moments around every cut-off, and few enough of them that games share one.
CUTS = [moment(day) for day in ("2019-06-01", "2020-01-01", "2021-06-01", "2022-01-01", "2023-03-12")]
moments = st.builds(lambda cut, ms: cut + ms * MS, st.sampled_from(CUTS), st.sampled_from([-1000, -1, 0, 1, 1000]))
games = st.lists(
    st.tuples(
        moments,
        st.sampled_from(["antichess", "antichess", "atomic"]),
        st.booleans(),
        st.sampled_from(["resign", "resign", "variantEnd", "cheat"]),
        st.booleans(),
        st.sampled_from([True, True, True, False]),
    ),
    max_size=14,
).map(
    lambda rows: [
        played(n, at, variant=variant, rated=rated, status=status, lost=lost, moved=moved)
        for n, (at, variant, rated, status, lost, moved) in enumerate(rows)
    ]
)
rulesets = st.sampled_from([RULES, EARLY, MIDDLE])


def plain_verdict(rules: Ruleset, lichess: ListedLichess) -> Verdict:
    """R2.2 and R2.5 by counting the lists from end to end; everything else is in order.

    Rated games that moved no rating are on no profile; those since the cut-off are what an export cannot tell from
    games that are, and as many as they are, one may be wrong.
    """
    cut = moment(rules.entry.min_games_before.isoformat())
    rated = [g for g in lichess.listed if g.rated and g.variant == "antichess"]
    count = lichess.older + sum(g.moved_rating and g.created_at < cut for g in rated)
    open_ = sum(not g.moved_rating and g.created_at >= cut for g in rated)
    lost = [g for g in lichess.listed if g.status == "cheat" and g.lost]
    one = [g for g in lost if g.created_at >= moment("2022-01-01")]
    two = [g for g in lost if g.created_at >= moment("2020-01-01")]
    bad = count < NEEDED or len(one) >= 1 or len(two) >= 2
    return Verdict.FAIL if bad else Verdict.PASS if count - open_ >= NEEDED else Verdict.HUMAN


def most_at_once(found: list[PlayedGame]) -> int:
    return max((sum(g.created_at == at for g in found) for at in {g.created_at for g in found}), default=0)


async def checked(rules: Ruleset, lichess: ListedLichess, progress: Progress | None = None) -> Checked:
    """Every fault is followed by a restart: the check goes on from the JSON of what was stored last."""
    eligibility, stored = Eligibility(lichess, SetClock(NOW)), progress or begin(lichess.name)

    async def store(progress: Progress) -> None:
        nonlocal stored
        stored = from_json(json.loads(json.dumps(to_json(progress))))
        assert stored == progress

    for _ in range(100):
        found = await eligibility.resume(rules, stored, known=KNOWN, on_progress=store)
        stored = from_json(json.loads(json.dumps(to_json(found.progress))))
        if found.unavailable is None:
            return found
        assert found.unavailable.code == "lichess_down" or lichess.cut
        expected = {Verdict.INCOMPLETE, plain_verdict(rules, lichess)} - {Verdict.PASS}
        assert found.judgement.verdict in expected
    raise AssertionError("it does not end")


# One answer with games at most that is cut without a word, and how many games are left of it.
silent = st.dictionaries(st.integers(2, 10), st.integers(0, 4), max_size=1)


@settings(max_examples=600, deadline=None)
@given(
    games,
    st.integers(0, 6),
    st.tuples(st.integers(1, 6), st.integers(2, 4)),
    st.frozensets(st.integers(1, 30)),
    silent,
    rulesets,
)
def test_r2_2_r2_5_pieces_faults_and_restarts_count_every_game_once(found, older, sizes, fails, cut, rules) -> None:
    """Any number of failures that show, and one that does not."""
    size, oldest = sizes
    lichess = ListedLichess(listed=found, older=older, size=size, oldest=oldest, fails=fails, cut=cut)
    result = asyncio.run(checked(rules, lichess))
    assert result.judgement.verdict is plain_verdict(rules, lichess)
    if result.judgement.verdict is Verdict.PASS:
        count = result.judgement.of(Topic.RATED_GAMES)
        cut = moment(rules.entry.min_games_before.isoformat())
        since = [g for g in found if g.rated and g.variant == "antichess" and g.created_at >= cut]
        assert count is not None and count.figures["since"] == len(since)
        assert result.progress.games == len(
            {g.id for g in found if g.created_at >= moment("2020-01-01")} | {g.id for g in since}
        )


@pytest.mark.parametrize("number", range(2, 8))
@pytest.mark.parametrize("left", range(7))
async def test_r2_5_an_answer_that_is_cut_without_a_word_never_ends_an_export(number: int, left: int) -> None:
    """With any number of games in the oldest millisecond, more of them than a piece or `oldest_games` has too.

    The last of all is the one that Lichess leaves away first, and what the account fails by.
    """
    start = moment("2022-02-01")
    for at_once, later in itertools.product(range(1, 8), range(4)):
        found = [played(n, start + n * SECOND) for n in range(later, 0, -1)]
        found += [played(100 + n, start) for n in range(at_once - 1)] + [played(99, start, status="cheat", lost=True)]
        lichess = ListedLichess(listed=found, older=NEEDED, size=3, oldest=3, cut={number: left})
        result = await checked(RULES, lichess)
        assert result.judgement.verdict is Verdict.FAIL, (at_once, later)
        assert result.progress.games == len(found)
    lichess = ListedLichess(older=NEEDED, cut={number: left})
    assert (await checked(RULES, lichess)).judgement.verdict is Verdict.PASS


async def test_r2_5_an_oldest_game_that_is_gone_holds_a_check_up_once() -> None:
    """Or one that never was: where the export must end is asked anew."""
    found = [played(n, moment("2022-02-01") + n * SECOND) for n in range(6)]
    lichess = ListedLichess(listed=found, older=NEEDED, size=3)
    lichess.before = lambda number: lichess.listed.remove(found[0]) if number == 4 else None
    first = await Eligibility(lichess, SetClock(NOW)).check(RULES, "Ann", known=KNOWN)
    assert first.unavailable is not None and first.unavailable.code == "lichess_incomplete"
    assert (first.judgement.verdict, first.progress.games) == (Verdict.INCOMPLETE, 5)
    lichess.before = lambda number: None
    rest = await Eligibility(lichess, SetClock(NOW)).resume(RULES, first.progress, known=KNOWN)
    assert (rest.judgement.verdict, rest.progress.games) == (Verdict.PASS, 5)
    assert lichess.asked == ["account", "oldest", "games", "games", "games", "oldest"]


async def test_r2_5_a_lichess_that_contradicts_itself_is_not_asked_in_a_loop() -> None:
    """Each look at it is short, and once an answer had a game, no number of empty ones makes an end."""
    found = [played(n, moment("2022-02-01") + n * SECOND) for n in range(4)]
    for bad in ({n: 0 for n in range(3, 30)}, {n: 0 for n in range(2, 30) if n != 3}):
        lichess = ListedLichess(listed=found, older=NEEDED, size=3, cut=bad)
        eligibility, progress = Eligibility(lichess, SetClock(NOW)), begin("Ann")
        for _ in range(5):
            before = len(lichess.asked)
            looked = await eligibility.resume(RULES, progress, known=KNOWN)
            progress = looked.progress
            assert looked.unavailable is not None and looked.judgement.verdict is Verdict.INCOMPLETE
            assert len(lichess.asked) - before <= 4
        lichess.cut = {}
        rest = await checked(RULES, lichess, progress=progress)
        assert (rest.judgement.verdict, rest.progress.games) == (Verdict.PASS, 4)


@settings(max_examples=200, deadline=None)
@given(games, st.integers(0, 6), st.data())
def test_r2_2_games_that_go_on_during_the_check_never_make_it_wrong(found, older, data) -> None:
    """New games appear before any request: the verdict is that of the counts before them, or not complete."""
    lichess = ListedLichess(listed=found, older=older, size=most_at_once(found) + 3)
    right = plain_verdict(RULES, lichess)
    ahead = data.draw(st.lists(st.integers(0, 2), max_size=8))

    def play(number: int) -> None:
        for _ in range(ahead[number - 1] if number <= len(ahead) else 0):
            lichess.listed.append(played(100 + len(lichess.listed), NOW + len(lichess.listed) * MS))

    lichess.before = play
    verdict = asyncio.run(checked(RULES, lichess)).judgement.verdict
    assert verdict in {right, Verdict.INCOMPLETE}


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize("older", [NEEDED, NEEDED - 3])
async def test_r2_a_fault_at_each_request_leaves_the_check_incomplete_and_it_goes_on_from_there(
    number: int, older: int
) -> None:
    """The account, where the export must end, two pieces; and the account again when the count is low."""
    days = ["2023-03-20", "2023-03-19", "2023-03-12", "2021-01-01", "2020-06-01"]
    found = [played(n, moment(day)) for n, day in enumerate(days)]
    lichess = ListedLichess(listed=found, older=older, size=3, fails=frozenset({number}))
    first = await Eligibility(lichess, SetClock(NOW)).check(RULES, "Ann", known=KNOWN)
    needed = 4 if older == NEEDED else 5
    if number > needed:
        assert (first.unavailable, first.judgement.verdict) == (None, plain_verdict(RULES, lichess))
        assert first.progress.requests == needed
        return
    assert first.unavailable is not None
    assert (first.judgement.verdict, first.progress.requests) == (Verdict.INCOMPLETE, number - 1)
    rest = await Eligibility(lichess, SetClock(NOW)).resume(RULES, first.progress, known=KNOWN)
    assert (rest.unavailable, rest.judgement.verdict) == (None, plain_verdict(RULES, lichess))
    assert rest.progress.requests == needed


# --- The steps by themselves -------------------------------------------------------------------------------------


def account(rated: int, every: int | None = None) -> Account:
    return Account(
        id="ann", name="Ann", created_at=moment("2015-03-02"), ratings={}, games={"antichess": rated}, all_games=every
    )


def after_profile(rated: int = 1000, every: int | None = None) -> Progress:
    progress = begin("Ann")
    request = next_request(RULES, progress)
    assert request is not None
    return absorb(RULES, progress, request, account(rated, every), NOW)


def after_oldest(oldest: OldestGames) -> Progress:
    progress = after_profile()
    request = next_request(RULES, progress)
    assert isinstance(request, AskOldest)
    return absorb(RULES, progress, request, oldest, NOW)


OLDEST = OldestGames(at=moment("2020-02-01"), ids=("game0009",), whole=True)


def test_r2_5_the_same_piece_is_not_counted_twice() -> None:
    progress = after_oldest(OLDEST)
    request = next_request(RULES, progress)
    assert isinstance(request, AskGames)
    piece = GamesPiece(games=(played(1, moment("2022-06-01")),), next_until=moment("2022-06-01") + MS)
    once = absorb(RULES, progress, request, piece, NOW)
    with pytest.raises(ValueError, match="another request"):
        absorb(RULES, once, request, piece, NOW)
    with pytest.raises(ValueError, match="another request"):
        absorb(RULES, progress, request, account(1000), NOW)


def test_r2_2_a_piece_that_ends_at_the_cut_off_leaves_the_count_open() -> None:
    """Games of that very moment may come with the next piece."""
    progress, cut_off = after_oldest(OLDEST), moment("2023-03-12")
    for end, whole in ((cut_off + MS, False), (cut_off, False), (cut_off - MS, True)):
        request = next_request(RULES, progress)
        assert request is not None
        read = absorb(RULES, progress, request, GamesPiece(games=(), next_until=end), NOW)
        assert read.rated_since_is_whole(cut_off) is whole


def test_r2_5_an_export_that_does_not_get_on_is_incomplete() -> None:
    progress = after_oldest(OLDEST)
    request = next_request(RULES, progress)
    assert isinstance(request, AskGames)
    for stuck in (request.until, request.until + MS):
        with pytest.raises(LichessUnavailable) as caught:
            absorb(RULES, progress, request, GamesPiece(games=(), next_until=stuck), NOW)
        assert caught.value.code == "lichess_incomplete"


def test_r2_before_the_first_answer_everything_is_incomplete() -> None:
    judgement = judge(RULES, begin("Ann"))
    assert judgement.verdict is Verdict.INCOMPLETE
    assert {c.topic for c in judgement.checks} == {c.topic for c in judge(RULES, after_profile()).checks}
    assert all(c.verdict in {Verdict.INCOMPLETE, Verdict.NOT_ASKED} for c in judgement.checks)


# --- The price ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 1, 299, 300, 301, 600, 2000, 20_000])
@pytest.mark.parametrize("doubtful", [False, True])
async def test_r2_a_check_costs_a_request_per_300_games_and_4(number: int, doubtful: bool) -> None:
    """The dearest: all games in the windows, a team, a count that has to be confirmed (too few by one game).

    What is said to be left allows two more for an oldest millisecond with more games than `oldest_games` tells, and one
    for a team that one answer lacks.
    """
    rules = load(
        TEXT.replace("[entry]\n", '[entry]\nteam = "some-team"\n').replace("min_games = 1000", "min_games = 1")
    )
    found = [played(n, moment("2020-01-01") + n * timedelta(minutes=30)) for n in range(number)]
    found += [played(number, NOW - timedelta(days=1))] if doubtful else []
    lichess = ListedLichess(listed=found, older=0 if doubtful else 1, teams=("some-team",))
    most = math.ceil(len(found) / 300) + 4
    estimates: list[tuple[int, int, int | None]] = []

    async def note(progress: Progress) -> None:
        left = estimate(rules, progress, KNOWN)
        estimates.append((progress.requests, left.requests, left.at_most))

    result = await Eligibility(lichess, SetClock(NOW)).check(rules, "Ann", known=KNOWN, on_progress=note)
    used = result.progress.requests
    assert used == len(lichess.asked) <= most
    assert estimates[-1] == (used, 0, 0)
    for before, _, at_most in estimates:
        assert at_most is not None and used <= before + at_most <= most + 3


@pytest.mark.parametrize("at_once", [9, 10, 40])
@pytest.mark.parametrize("number", [299, 300, 301, 600])
async def test_r2_a_simul_in_the_oldest_millisecond_costs_two_requests_more_at_most(at_once: int, number: int) -> None:
    start = moment("2021-01-01")
    found = [played(n, start + max(0, n - at_once + 1) * SECOND) for n in range(number)]
    lichess, seen = ListedLichess(listed=found, older=1000), list[tuple[int, int | None]]()

    async def note(progress: Progress) -> None:
        seen.append((progress.requests, estimate(RULES, progress, KNOWN).at_most))

    result = await Eligibility(lichess, SetClock(NOW)).check(RULES, "Ann", known=KNOWN, on_progress=note)
    assert (result.judgement.verdict, result.progress.games) == (Verdict.PASS, number)
    used = result.progress.requests
    assert used <= 2 + math.ceil(number / 300) + (2 if at_once > 9 else 0)
    assert all(at_most is not None and used <= before + at_most for before, at_most in seen)


async def test_an_estimate_comes_near_what_is_needed() -> None:
    """Played evenly over the life of the account: right from the profile on, by a tenth."""
    life = NOW - moment("2015-03-02")
    found = [played(n, moment("2015-03-02") + life * (n / 20_000)) for n in range(20_000)]
    lichess = ListedLichess(listed=found)
    seen: list[tuple[int, int, int]] = []

    async def note(progress: Progress) -> None:
        left = estimate(RULES, progress, KNOWN)
        seen.append((progress.requests, left.requests, left.seconds))

    result = await Eligibility(lichess, SetClock(NOW)).check(RULES, "Ann", known=KNOWN, on_progress=note)
    total = result.progress.requests
    assert 25 < total < 40
    for used, left, seconds in seen:
        assert abs(used + left - total) <= 3
        assert seconds <= 15 * left + 2


def test_an_estimate_without_the_number_of_games_is_still_one() -> None:
    assert estimate(RULES, begin("Ann")).at_most is None
    left = estimate(RULES, after_profile(900))
    assert (left.requests, left.at_most) == (4, None)
