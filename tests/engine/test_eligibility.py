"""R2.1-R2.8 clause by clause, with the boundary second of every cut-off on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import pytest

from engine.eligibility import Check, Known, Topic, Verdict, Word
from engine.errors import NotFound
from engine.ports import Account
from engine.rules import Ruleset, load, shipped_text
from engine.usecases.eligibility import Checked, Eligibility
from tests.engine.lichess_book import MS, SECOND, ListedLichess, SetClock, moment, played
from tests.rules.ruleset_text import TEXT, with_value

RULES = load(shipped_text("2023"))
CUT_OFF = moment("2023-03-12")
BEFORE, AFTER = CUT_OFF - timedelta(days=10), CUT_OFF + timedelta(days=2)


async def run(
    lichess: ListedLichess,
    *,
    rules: Ruleset = RULES,
    now: Any = AFTER,
    known: Known | None = None,
    others: tuple[str, ...] = (),
) -> Checked:
    # What is in no list is old enough; a thousand of them unless the test says otherwise.
    return await Eligibility(lichess, SetClock(now)).check(
        rules, lichess.name, others=others, known=known or Known(second_account=False)
    )


async def check(topic: Topic, lichess: ListedLichess, **options: Any) -> Check:
    found = (await run(lichess, **options)).judgement.of(topic)
    assert found is not None
    return found


def with_entry(*lines: str) -> Ruleset:
    return load(TEXT.replace("[entry]\n", "\n".join(("[entry]", *lines, ""))))


def figures(check: Check, *keys: str) -> Mapping[str, object]:
    return {key: check.figures[key] for key in keys}


async def test_r2_an_account_in_order_passes_with_a_clause_for_each_check() -> None:
    checked = await run(ListedLichess(older=1000))
    assert checked.judgement.verdict is Verdict.PASS
    assert [(c.topic, c.clause, c.verdict) for c in checked.judgement.checks] == [
        ("open", "R2.8", "pass"),
        ("bot", "R2.7", "pass"),
        ("age", "R2.1", "pass"),
        ("rated_games", "R2.2", "pass"),
        ("engine_mark", "R2.3", "pass"),
        ("boost_mark", "R2.4", "pass"),
        ("cheat_games", "R2.5", "pass"),
        ("second_account", "R2.6", "pass"),
        ("admin", "R2.8", "not_asked"),
    ]
    assert checked.unavailable is None


async def test_r2_nobody_has_that_account() -> None:
    with pytest.raises(NotFound) as caught:
        await Eligibility(ListedLichess(), SetClock(AFTER)).check(RULES, "Nobody")
    assert (caught.value.code, caught.value.params) == ("no_account", {"name": "nobody"})


# --- R2.1 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("created_at", "verdict"),
    [
        ("2022-12-31T23:59:59", Verdict.PASS),
        ("2022-12-31T23:59:59.999", Verdict.PASS),
        ("2023-01-01T00:00:00", Verdict.FAIL),
        ("2023-01-01T00:00:01", Verdict.FAIL),
    ],
)
async def test_r2_1_the_account_is_older_than_the_day(created_at: str, verdict: Verdict) -> None:
    found = await check(Topic.AGE, ListedLichess(older=1000, created_at=moment(created_at)))
    assert found.verdict is verdict
    assert found.figures == {"created_at": moment(created_at), "before": date(2023, 1, 1)}


async def test_r2_1_an_age_that_is_not_said_is_for_a_human() -> None:
    assert (await check(Topic.AGE, ListedLichess(older=1000, created_at=None))).verdict is Verdict.HUMAN


async def test_r2_1_a_younger_account_costs_one_request() -> None:
    lichess = ListedLichess(older=5000, created_at=moment("2023-02-01"))
    checked = await run(lichess)
    assert (checked.judgement.verdict, lichess.asked) == (Verdict.FAIL, ["account"])
    cheat_games = checked.judgement.of(Topic.CHEAT_GAMES)
    assert cheat_games is not None and cheat_games.verdict is Verdict.NOT_ASKED


# --- R2.2 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("games", "verdict"), [(1000, Verdict.PASS), (999, Verdict.NOT_YET)])
async def test_r2_2_before_the_cut_off_the_profile_is_enough_and_fewer_are_not_yet(
    games: int, verdict: Verdict
) -> None:
    found = await check(Topic.RATED_GAMES, ListedLichess(older=games), now=CUT_OFF - SECOND)
    assert found.verdict is verdict
    assert found.figures == {"needed": 1000, "before": date(2023, 3, 12), "on_profile": games}


@pytest.mark.parametrize("now", [CUT_OFF, CUT_OFF + SECOND])
async def test_r2_2_from_the_cut_off_on_too_few_on_the_profile_fail_at_once(now: Any) -> None:
    lichess = ListedLichess(older=999)
    assert (await check(Topic.RATED_GAMES, lichess, now=now)).verdict is Verdict.FAIL
    assert lichess.asked == ["account"]


@pytest.mark.parametrize(
    ("at", "verdict"),
    [
        (CUT_OFF - SECOND, Verdict.PASS),
        (CUT_OFF - MS, Verdict.PASS),
        (CUT_OFF, Verdict.FAIL),
        (CUT_OFF + SECOND, Verdict.FAIL),
    ],
)
async def test_r2_2_the_thousandth_game_counts_up_to_the_last_moment(at: Any, verdict: Verdict) -> None:
    found = await check(Topic.RATED_GAMES, ListedLichess(older=999, listed=[played(1, at)]))
    assert found.verdict is verdict
    since = int(at >= CUT_OFF)
    assert figures(found, "on_profile", "since", "counted") == {
        "on_profile": 1000,
        "since": since,
        "counted": 1000 - since,
    }


async def test_r2_2_only_what_the_profile_counts_is_subtracted() -> None:
    since = [
        played(1, AFTER, variant="atomic"),
        played(2, AFTER, rated=False),
        played(3, AFTER, status="noStart"),
    ]
    found = await check(Topic.RATED_GAMES, ListedLichess(older=1000, listed=since))
    assert (found.verdict, found.figures["since"]) == (Verdict.PASS, 0)


async def test_r2_2_a_game_that_ends_during_the_check_does_not_make_too_few_of_enough() -> None:
    """It is among the games since the cut-off, but was not on the profile yet."""
    lichess = ListedLichess(older=1000)
    lichess.before = lambda number: lichess.listed.append(played(1, AFTER - SECOND)) if number == 2 else None
    found = await check(Topic.RATED_GAMES, lichess)
    assert (found.verdict, found.figures["counted"], found.figures["moving"]) == (Verdict.INCOMPLETE, 999, True)
    again = await check(Topic.RATED_GAMES, lichess)
    assert (again.verdict, again.figures["counted"]) == (Verdict.PASS, 1000)


async def test_r2_2_a_game_that_ends_while_the_profile_is_fetched_does_not_make_enough_of_too_few() -> None:
    """The profile counts it, so the export has to reach it, though our clock be behind."""
    lichess = ListedLichess(older=999, listed=[played(1, AFTER + timedelta(minutes=5))])
    found = await check(Topic.RATED_GAMES, lichess)
    assert (found.verdict, found.figures["counted"]) == (Verdict.FAIL, 999)


async def test_r2_2_too_few_are_confirmed_by_a_second_look_at_the_profile() -> None:
    lichess = ListedLichess(older=999, listed=[played(1, AFTER)])
    assert (await run(lichess)).judgement.verdict is Verdict.FAIL
    assert lichess.asked == ["account", "oldest", "games", "account"]


async def test_r2_2_an_account_that_is_closed_during_the_check_is_not_overlooked() -> None:
    lichess = ListedLichess(older=999, listed=[played(1, AFTER)])
    lichess.before = lambda number: setattr(lichess, "closed", number >= 3)
    judgement = (await run(lichess)).judgement
    assert [c.topic for c in judgement.checks if c.verdict is Verdict.FAIL] == [Topic.OPEN]


async def test_r2_2_a_cut_off_before_the_cheat_windows_takes_a_second_export_for_the_rest_only() -> None:
    rules = load(
        TEXT.replace("since = 2022-01-01", "since = 2023-03-14").replace("since = 2020-01-01", "since = 2023-03-13")
    )
    games = [played(1, CUT_OFF), played(2, moment("2023-03-13")), played(3, CUT_OFF, rated=False)]
    lichess = ListedLichess(older=1000, listed=games)
    checked = await run(lichess, rules=rules)
    found = checked.judgement.of(Topic.RATED_GAMES)
    assert found is not None and (found.verdict, found.figures["since"]) == (Verdict.PASS, 2)
    assert [(export.perf, export.games) for export in checked.progress.exports] == [(None, 1), ("antichess", 1)]


async def test_r2_2_without_cheat_windows_only_the_variant_is_exported() -> None:
    start = TEXT.index("[[entry.cheat_games]]")
    text = TEXT[:start] + TEXT[TEXT.index("[registration]") :]
    rules = load(text.replace("bots = false", "bots = false\ncheat_games = []"))
    checked = await run(ListedLichess(older=1000, listed=[played(1, AFTER, variant="atomic")]), rules=rules)
    assert checked.judgement.verdict is Verdict.PASS
    assert checked.judgement.of(Topic.CHEAT_GAMES) is None
    assert [(export.perf, export.games) for export in checked.progress.exports] == [("antichess", 0)]


async def test_r2_an_answer_that_is_missing_comes_before_a_humans_word() -> None:
    checked = await run(ListedLichess(older=1000, marked=True, fails=frozenset({2})))
    assert checked.judgement.verdict is Verdict.INCOMPLETE
    rated, mark = checked.judgement.of(Topic.RATED_GAMES), checked.judgement.of(Topic.ENGINE_MARK)
    assert rated is not None and rated.verdict is Verdict.INCOMPLETE
    assert mark is not None and mark.verdict is Verdict.HUMAN
    assert checked.unavailable is not None and checked.unavailable.code == "lichess_down"


# --- R2.3, R2.4 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "after"), [(Topic.ENGINE_MARK, date(2020, 1, 1)), (Topic.BOOST_MARK, date(2022, 1, 1))]
)
async def test_r2_3_r2_4_a_mark_has_no_kind_and_no_date_so_a_human_decides(topic: Topic, after: date) -> None:
    found = await check(topic, ListedLichess(older=1000, marked=True))
    assert (found.verdict, found.figures["after"], found.figures["marked"]) == (Verdict.HUMAN, after, True)


async def test_r2_4_a_boost_mark_is_as_doubtful_as_an_engine_mark() -> None:
    judgement = (await run(ListedLichess(older=1000, marked=True))).judgement
    assert [c.topic for c in judgement.checks if c.verdict is Verdict.HUMAN] == [Topic.ENGINE_MARK, Topic.BOOST_MARK]
    assert judgement.verdict is Verdict.HUMAN


def account(name: str, **options: Any) -> Account:
    return Account(id=name, name=name.title(), ratings={}, games={}, **options)


async def test_r2_3_the_persons_other_accounts_are_looked_at_too() -> None:
    others = (account("bea"), account("cleo", tos_violation=True), account("dan", closed=True))
    lichess = ListedLichess(older=1000, others=others)
    found = await check(Topic.ENGINE_MARK, lichess, others=("Bea", "Cleo", "DAN", "Eve", "ann", "bea"))
    assert found.verdict is Verdict.HUMAN
    assert figures(found, "others", "others_marked", "others_unknown") == {
        "others": ("bea", "cleo", "dan", "eve"),
        "others_marked": ("cleo", "dan"),
        "others_unknown": ("eve",),
    }
    assert lichess.asked.count("accounts") == 1
    assert (await check(Topic.ENGINE_MARK, lichess, others=("Bea",))).verdict is Verdict.PASS


# --- R2.5 ------------------------------------------------------------------------------------------------------


def cheat(number: int, at: str, **options: Any) -> Any:
    lost: dict[str, Any] = {"lost": True}
    return played(number, moment(at), status="cheat", **lost | options)


@pytest.mark.parametrize(
    ("days", "verdict"),
    [
        ([], Verdict.PASS),
        (["2021-12-31T23:59:59"], Verdict.PASS),
        (["2022-01-01"], Verdict.FAIL),
        (["2020-01-01", "2021-12-31T23:59:59.999"], Verdict.FAIL),
        (["2019-12-31T23:59:59", "2020-01-01"], Verdict.PASS),
        (["2019-12-31T23:59:59.999", "2019-12-31T23:59:58"], Verdict.PASS),
    ],
)
async def test_r2_5_one_since_2022_or_two_since_2020(days: list[str], verdict: Verdict) -> None:
    games = [cheat(number, day) for number, day in enumerate(days)]
    found = await check(Topic.CHEAT_GAMES, ListedLichess(older=1000, listed=games))
    assert found.verdict is verdict
    assert found.figures["windows"] == ("1 since 2022-01-01", "2 since 2020-01-01")


async def test_r2_5_of_any_variant_rated_or_not_but_only_what_the_player_lost() -> None:
    casual = cheat(1, "2021-05-01", variant="standard", rated=False)
    atomic = cheat(2, "2021-06-01", variant="atomic")
    won = cheat(3, "2022-06-01", lost=False)
    found = await check(Topic.CHEAT_GAMES, ListedLichess(older=1000, listed=[casual, won]))
    assert found.verdict is Verdict.PASS
    assert [game.id for game in found.figures["found"]] == ["game0001"]  # type: ignore[union-attr]
    assert (await check(Topic.CHEAT_GAMES, ListedLichess(older=1000, listed=[casual, atomic]))).verdict is Verdict.FAIL


async def test_r2_5_the_td_sees_the_games_and_how_far_back_was_looked() -> None:
    games = [played(n, AFTER - timedelta(days=n)) for n in range(1, 11)]
    games += [cheat(50, "2022-06-02"), cheat(51, "2022-06-01"), cheat(52, "2021-01-01")]
    found = await check(Topic.CHEAT_GAMES, ListedLichess(older=1000, listed=games, size=11))
    assert [game.id for game in found.figures["found"]] == ["game0050"]  # type: ignore[union-attr]
    assert figures(found, "games", "looked_back_to", "until") == {
        "games": 11,
        "looked_back_to": moment("2022-06-02") + MS,
        "until": AFTER,
    }
    whole = await check(Topic.CHEAT_GAMES, ListedLichess(older=1000, listed=games[:10]))
    assert whole.figures["looked_back_to"] == moment("2020-01-01")


async def test_r2_5_before_its_window_has_begun_there_is_nothing_to_find() -> None:
    lichess = ListedLichess(older=1000)
    assert (await run(lichess, now=moment("2019-06-01"))).judgement.verdict is Verdict.PASS
    assert lichess.asked == ["account"]


# --- R2.6, R2.7, R2.8 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "verdict"), [(None, Verdict.NOT_ASKED), (False, Verdict.PASS), (True, Verdict.HUMAN)]
)
async def test_r2_6_a_second_account_is_for_the_tds(second: bool | None, verdict: Verdict) -> None:
    checked = await run(ListedLichess(older=1000), known=Known(second_account=second))
    found = checked.judgement.of(Topic.SECOND_ACCOUNT)
    assert found is not None and found.verdict is verdict
    assert checked.judgement.verdict is (Verdict.HUMAN if second else Verdict.PASS)


async def test_r2_7_a_bot_is_refused_at_once_and_any_other_title_plays() -> None:
    lichess = ListedLichess(older=1000, title="BOT")
    assert (await check(Topic.BOT, lichess)).verdict is Verdict.FAIL
    assert lichess.asked == ["account"]
    assert (await check(Topic.BOT, ListedLichess(older=1000, title="GM"))).verdict is Verdict.PASS
    allowed = await run(ListedLichess(older=1000, title="BOT"), rules=load(with_value(TEXT, "entry.bots", "true")))
    assert allowed.judgement.of(Topic.BOT) is None and allowed.judgement.verdict is Verdict.PASS


async def test_r2_8_a_closed_account_is_out_and_shows_nothing_else() -> None:
    lichess = ListedLichess(closed=True, created_at=None)
    checked = await run(lichess)
    assert (checked.judgement.verdict, lichess.asked) == (Verdict.FAIL, ["account"])
    verdicts = {c.topic: c.verdict for c in checked.judgement.checks}
    assert verdicts[Topic.OPEN] is Verdict.FAIL
    assert verdicts[Topic.AGE] is verdicts[Topic.RATED_GAMES] is verdicts[Topic.CHEAT_GAMES] is Verdict.NOT_ASKED
    assert verdicts[Topic.ENGINE_MARK] is Verdict.HUMAN  # closed by whom is not said


async def test_r2_8_the_admins_word_is_a_check_of_its_own() -> None:
    marked = ListedLichess(older=1000, marked=True)
    cleared = (await run(marked, known=Known(admin=Word.QUALIFIES))).judgement
    assert cleared.verdict is Verdict.PASS
    refused = (await run(ListedLichess(older=1000), known=Known(admin=Word.DOES_NOT))).judgement
    assert [c.topic for c in refused.checks if c.verdict is Verdict.FAIL] == [Topic.ADMIN]


async def test_r2_8_the_admins_word_makes_no_games() -> None:
    assert (await run(ListedLichess(older=1), known=Known(admin=Word.QUALIFIES))).judgement.verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("now", "teams", "verdict"),
    [
        (BEFORE, ("some-team", "chess"), Verdict.PASS),
        (CUT_OFF - SECOND, ("chess",), Verdict.NOT_YET),
        (CUT_OFF, ("chess",), Verdict.FAIL),
        (CUT_OFF, ("chess", "some-team"), Verdict.PASS),
    ],
)
async def test_r2_8_a_team_may_be_joined_until_registration_closes(
    now: Any, teams: tuple[str, ...], verdict: Verdict
) -> None:
    rules = with_entry('team = "some-team"')
    found = await check(Topic.TEAM, ListedLichess(older=1000, teams=teams), rules=rules, now=now)
    assert found.verdict is verdict
    assert found.figures == {"team": "some-team", "closes": date(2023, 3, 12)}


@pytest.mark.parametrize(
    ("now", "rating", "verdict"),
    [
        (BEFORE, 1800, Verdict.PASS),
        (CUT_OFF - SECOND, 1799, Verdict.NOT_YET),
        (CUT_OFF, 1799, Verdict.FAIL),
        (CUT_OFF, 1800, Verdict.PASS),
        (CUT_OFF, None, Verdict.FAIL),
    ],
)
async def test_r2_8_a_least_rating_may_be_reached_until_registration_closes(
    now: Any, rating: int | None, verdict: Verdict
) -> None:
    rules = with_entry("min_rating = 1800")
    found = await check(Topic.RATING, ListedLichess(older=1000, rating=rating), rules=rules, now=now)
    assert found.verdict is verdict
    assert found.figures == {"needed": 1800, "rating": rating, "closes": date(2023, 3, 12)}


async def test_r2_8_what_no_ruleset_asks_for_is_not_asked() -> None:
    lichess = ListedLichess(older=1000, rating=None)
    judgement = (await run(lichess)).judgement
    assert judgement.of(Topic.TEAM) is judgement.of(Topic.RATING) is None
    assert "teams" not in lichess.asked
