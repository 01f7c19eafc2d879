"""A TD ends a match: `/td-match result`, `forfeit`, `double-forfeit`, `void` (R1.3, R3.10, R6.5; Q22-Q34, Q42).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

from typing import Any

import pytest

from cogs.render.results import HOW, code, read_code
from engine.errors import NotAllowed
from engine.model import Stage
from engine.points import DRAW, WIN
from engine.result_rulings import Ending, Word
from engine.sides import Side
from engine.tournament import Result, ResultKind
from tests.clauses.evening import MINUTE, directors, forfeits, said
from tests.clauses.stage import agree, games, says, settle, thread
from tests.cogs.entering import actor, last
from tests.cogs.later import begins
from tests.cogs.test_clause_accounts import loaded
from tests.world import World, custom_ids, text_of


def how(ending: Ending, side: Side | None = None) -> str:
    return code(Word(ending=ending, side=side))


def result(world: World, match_id: int = 1) -> Result | None:
    return loaded(world).tournament.results.get(match_id)


async def rules(
    world: World, command: str = "result", match: int = 1, reason: str | None = "So it is.", **more: Any
) -> str:
    reasons = {} if reason is None else {"reason": reason}
    return await says(world, "td", f"td-match {command}", match=match, **more, **reasons)


async def played(world: World, score: str) -> None:
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    world.lichess.play_match("anna", "carl", at, games(score))
    await world.move_to(at + 60 * MINUTE)


async def later(world: World, stage: Stage, *names: str) -> int:
    """anna meets bob in a later stage, in the week after round 1."""
    await settle(world, 1, "anna", "bob")
    await world.move(days=2)
    match_id, _ = await begins(world, stage, (names[0], "anna", "bob"), (names[1], "carl", "dora"))
    return match_id


# --- A result -------------------------------------------------------------------------------------------------------


async def test_r1_3_a_td_gives_a_match_its_winner_after_a_preview(event: World) -> None:
    shown = await event.people["td"].slash(event.lobby, "td-match result", match=1, how=how(Ending.WON, Side.B))
    assert text_of(shown).startswith("**carl has won?** R1 · anna – carl") and "Nothing is recorded yet" in text_of(
        shown
    )
    assert result(event) is None
    sure = next(id for id in custom_ids(last(shown)) if ":rule-result:" in id)
    form = await event.click(event.people["td"], last(shown), sure)
    answer = text_of(await event.submit(event.people["td"], form, "They agreed so."))
    assert answer.startswith("Recorded:")
    await event.tick()
    found = result(event)
    assert found is not None and (found.kind, found.a, found.b) == (ResultKind.RULED, 0, WIN)
    assert said(event, "A TD has ended your match: **anna 0–1 carl (ruled by a TD)** (§1.3).", who=("anna", "carl"))
    assert said(event, "anna 0–1 carl (ruled by a TD)") and directors(event, "**Ruling** by td", "They agreed so.")


async def test_q22_a_score_in_games_holds_the_games_that_were_played(event: World) -> None:
    await played(event, "1100")
    assert "2–2" in await rules(event, score="1-5")
    answer = await rules(event, score="6-2")
    assert answer.startswith("Recorded"), answer
    found = result(event)
    assert found is not None and (found.a, found.game_a, found.game_b) == (WIN, 6 * WIN, 2 * WIN)


async def test_q23_a_concession_loses_the_match_and_is_no_forfeit(event: World) -> None:
    await played(event, "0011")
    assert (await rules(event, how=how(Ending.CONCEDED, Side.A))).startswith("Recorded")
    found = result(event)
    assert found is not None and (found.a, found.b, found.game_b) == (0, WIN, 6 * WIN) and "anna" not in forfeits(event)


async def test_the_result_of_games_is_put_right_and_taken_back(event: World) -> None:
    await played(event, "111111")
    await says(event, "anna", "report")
    assert "now anna 6–0 carl; then anna 0–1 carl" in await rules(event, how=how(Ending.WON, Side.B), reason=None)
    await rules(event, how=how(Ending.WON, Side.B), reason="carl was in another game.")
    ruling = loaded(event).ledger.facts[-1]
    await says(event, "td", "td undo", ref=ruling.id, reason="It was the right game.")
    found = result(event)
    assert found is not None and (found.kind, found.game_a) == (ResultKind.PLAYED, 6 * WIN)


async def test_q22_a_result_names_its_games_wherever_it_stands(event: World) -> None:
    await played(event, "1100")
    await rules(event, score="6-2")
    await event.tick()
    shown = "anna 1–0 carl (ruled by a TD, games 6–2)"
    assert said(event, shown) and said(event, f"Finished: {shown}")
    assert shown in await says(event, "bob", "pairings") and f"now {shown}" in await rules(
        event, score="2-6", reason=None
    )


async def test_q42_a_void_pairing_is_no_score(event: World) -> None:
    await rules(event, "void", reason="Wrong pairing.")
    await event.tick()
    (post,) = [m.content for m in event.channel("results").history() if "(void)" in m.content]
    assert "anna – carl (void)" in post and "may meet again" in post and "0–0" not in post


async def test_r3_3_a_score_that_no_match_ends_with_is_refused_with_the_reason(event: World) -> None:
    for score, why in (("1-0", "games are missing"), ("10-0", "more than 5 (§3.3)"), ("8-4", "has 10 games")):
        assert why in await rules(event, score=score) and result(event) is None


# --- The Candidates and the knock-out -------------------------------------------------------------------------------


async def test_q32_a_decided_match_that_both_have_stopped_stays_as_it_is(event: World) -> None:
    match = await later(event, Stage.CANDIDATES, "upper", "lower")
    at = await agree(event, "anna", "bob", "Sat 28 18:00", match=match)
    event.lichess.play_match("anna", "bob", at, games("11111100"))
    await event.move_to(at + 60 * MINUTE)
    assert (await rules(event, match=match, how=how(Ending.STOPPED))).startswith("Recorded")
    found = result(event, match)
    assert found is not None and (found.a, found.game_a, found.game_b) == (WIN, 6 * WIN, 2 * WIN)
    assert (await rules(event, match=match, how=how(Ending.REFUSED, Side.A))).startswith("Recorded")
    found = result(event, match)
    assert found is not None and (found.a, found.game_a, found.game_b) == (WIN, 6 * WIN, 4 * WIN)


async def test_q33_there_is_no_draw_in_a_knock_out(event: World) -> None:
    match = await later(event, Stage.SEMIFINALS, "semifinal_1", "semifinal_2")
    assert "no draw" in (await rules(event, match=match, how=how(Ending.DRAWN))).casefold()
    assert result(event, match) is None


async def test_q42_a_knock_out_match_is_never_void(event: World) -> None:
    match = await later(event, Stage.SEMIFINALS, "semifinal_1", "semifinal_2")
    assert "cannot be void" in await rules(event, "void", match=match) and result(event, match) is None


async def test_q33_nobody_appears_and_the_better_place_goes_on(event: World) -> None:
    match = await later(event, Stage.SEMIFINALS, "semifinal_1", "semifinal_2")
    assert (await rules(event, match=match, how=how(Ending.BY_PLACE))).startswith("Recorded")
    found = result(event, match)
    better = min(("anna", "bob"), key=lambda name: [e.name for e in _table(event)].index(name))
    assert found is not None and (found.a == WIN) == (better == "anna")


def _table(world: World) -> list[Any]:
    event = loaded(world)
    return [event.entrants[line.entrant_id] for line in event.championship.qualification()]


# --- Forfeits -------------------------------------------------------------------------------------------------------


async def test_q24_a_forfeit_by_a_td_counts(event: World) -> None:
    assert "carl forfeits?" in await rules(event, "forfeit", by="b", reason=None)
    assert (await rules(event, "forfeit", by="b", reason="Insults.")).startswith("Recorded")
    await event.tick()
    assert forfeits(event) == {"carl": 1} and said(event, "anna 1–0 carl (forfeit)")


@pytest.mark.parametrize("points", [DRAW, 0])
async def test_q26_both_forfeit_and_the_td_says_what_each_has(event: World, points: int) -> None:
    answer = await rules(event, "double-forfeit", points=points, reason="Neither came.")
    assert answer.startswith("Recorded"), answer
    found = result(event)
    assert found is not None and (found.a, found.b) == (points, points)
    assert forfeits(event) == {"anna": 1, "carl": 1}


async def test_q34_in_a_knock_out_the_forfeits_count_and_the_match_is_still_played(event: World) -> None:
    match = await later(event, Stage.SEMIFINALS, "semifinal_1", "semifinal_2")
    assert (await rules(event, "double-forfeit", match=match, points=DRAW)).startswith("Recorded")
    assert result(event, match) is None and loaded(event).tournament.forfeits


async def test_r6_5_the_preview_says_who_would_be_out(event: World) -> None:
    match = await later(event, Stage.CANDIDATES, "upper", "lower")
    await rules(event, "forfeit", by="b", reason="Insults.")
    shown = await rules(event, "forfeit", match=match + 1, by="a", reason=None)
    assert "⚠ carl has then forfeited in two matches" in shown


async def test_r6_5_who_is_out_by_a_second_forfeit_reads_so_and_a_preview_before_it_is_old(event: World) -> None:
    match = await later(event, Stage.CANDIDATES, "upper", "lower") + 1
    word = {"match": match, "by": "a", "kind": "director"}
    shown = await event.people["td"].slash(event.lobby, "td-match forfeit", **word)
    assert "has then forfeited in two" not in text_of(shown)
    await rules(event, "forfeit", by="b", reason="Insults.")
    sure = next(id for id in custom_ids(last(shown)) if ":rule-result:" in id)
    form = await event.click(event.people["td"], last(shown), sure)
    answer = text_of(await event.submit(event.people["td"], form, "x"))
    assert "since you saw the preview" in answer and result(event, match) is None
    shown = await rules(event, "forfeit", match=match, by="a", reason=None)
    assert "are then disregarded (§8.3)" in shown
    await rules(event, "forfeit", match=match, by="a", reason="Insults again.")
    await event.tick()
    assert [m for m in thread(event, "C1", "carl", "dora").history() if "carl, you have forfeited in two" in m.content]


async def test_q34_both_are_told_of_a_forfeit_that_decides_nothing(event: World) -> None:
    match = await later(event, Stage.SEMIFINALS, "semifinal_1", "semifinal_2")
    shown = await rules(event, "double-forfeit", match=match, points=DRAW, reason=None)
    assert "Both forfeit, without a result?" in shown and "½ each" not in shown
    await rules(event, "double-forfeit", match=match, points=DRAW)
    await event.tick()
    told = [m.content for m in thread(event, "SF", "anna", "bob").history() if "each of you has forfeited" in m.content]
    assert len(told) == 1 and "still to be decided" in told[0]


async def test_a_ruling_over_a_result_tells_both_again(event: World) -> None:
    await played(event, "111111")
    await says(event, "anna", "report")
    await rules(event, how=how(Ending.WON, Side.B), reason="carl was in another game.")
    await event.tick()
    told = "A TD has ended your match: **anna 0–1 carl (ruled by a TD, games 6–0)**"
    assert said(event, told, who=("anna", "carl"))
    await rules(event, how=how(Ending.DRAWN), reason="No.")
    await event.tick()
    assert not said(event, told) and said(event, "A TD had given this match a result")


async def test_q31_a_forfeit_of_the_winner_by_games_says_who_forfeited(event: World) -> None:
    match = await later(event, Stage.CANDIDATES, "upper", "lower")
    at = await agree(event, "anna", "bob", "Sat 28 18:00", match=match)
    event.lichess.play_match("anna", "bob", at, games("111111"))
    await event.move_to(at + 60 * MINUTE)
    await rules(event, "forfeit", match=match, by="a", kind="left", reason="Gone.")
    await event.tick()
    shown = await says(event, "carl", "pairings")
    assert "anna 1–0 bob (forfeit of anna, games 6–4)" in shown


async def test_while_lichess_is_silent_the_td_reads_so_afterwards_too(event: World) -> None:
    await played(event, "11")
    event.lichess.fail_next("down", 9)
    answer = await rules(event, how=how(Ending.DRAWN))
    assert answer.startswith("Recorded") and "Lichess does not answer" in answer


async def test_r6_3_ten_minutes_do_not_run_behind_a_result(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + MINUTE)
    await says(event, "anna", "match opponent-absent")
    await event.move(minutes=2)
    await rules(event, how=how(Ending.DRAWN), reason="Both ask for it.")
    await event.move(minutes=60)
    ruling = next(fact.id for fact in reversed(loaded(event).ledger.facts) if fact.kind == "match_ruled")
    assert "Recorded" in await says(event, "td", "td undo", ref=ruling, reason="Not allowed.")
    assert "the match is yours" not in await says(event, "anna", "match claim", choice="win")
    for _ in range(11):
        await event.move(minutes=1)
    assert "the match is yours" in await says(event, "anna", "match claim", choice="win")


async def test_q42_a_void_pairing_gives_nobody_points(event: World) -> None:
    assert (await rules(event, "void", reason="Wrong pairing.")).startswith("Recorded")
    found = result(event)
    assert found is not None and found.kind is ResultKind.VOIDED


# --- What is refused ------------------------------------------------------------------------------------------------


async def test_bad_input_records_nothing(event: World) -> None:
    assert "Give one of the two" in await rules(event)
    assert "Give one of the two" in await rules(event, how=how(Ending.DRAWN), score="6-4")
    assert "6-4" in await rules(event, score="six four") or result(event) is None
    assert "no match" in (await rules(event, match=99, how=how(Ending.DRAWN))).casefold() or result(event) is None
    assert "eason" in await rules(event, how=how(Ending.DRAWN), reason="  ")
    assert "Candidates only" in await rules(event, how=how(Ending.STOPPED))
    assert "Semifinals and the Finals only" in await rules(event, how=how(Ending.BY_PLACE))
    assert result(event) is None


async def test_the_same_twice_changes_nothing(event: World) -> None:
    await rules(event, how=how(Ending.DRAWN))
    facts = len(loaded(event).ledger.facts)
    assert not (await rules(event, how=how(Ending.DRAWN))).startswith("Recorded")
    assert len(loaded(event).ledger.facts) == facts


async def test_r1_2_only_a_td_rules_and_q54_not_about_the_own_match(event: World) -> None:
    app, word = event.parts.app, Word(ending=Ending.DRAWN)
    for work in (
        app.result_rulings.show(actor(event, "anna"), 1, word),
        app.result_rulings.rule(actor(event, "anna"), 1, word, "x"),
    ):
        with pytest.raises(NotAllowed, match="td_only"):
            await work
    event.guild._guild.members[event.people["anna"].id].role_ids.append(event.guild.roles["World Cup TD"].id)
    await says(event, "anna", "td-match result", match=1, how=how(Ending.WON, Side.A), reason="I won.")
    assert result(event) is None


@pytest.mark.parametrize("fault", ["down", "429", "html"])
async def test_while_lichess_is_down_the_games_that_were_seen_stand(event: World, fault: str) -> None:
    await played(event, "11")
    event.lichess.fail_next(fault, 9)
    shown = await rules(event, "forfeit", by="b", reason=None)
    assert "Lichess does not answer" in shown and "carl forfeits?" in shown


def test_every_word_goes_into_a_button_and_back() -> None:
    words = [*HOW.values(), Word(ending=Ending.SCORE, score=(12, 8)), Word(ending=Ending.DOUBLE_FORFEIT, points=DRAW)]
    words.append(Word(ending=Ending.FORFEIT, side=Side.B, kind="no_show"))
    assert [read_code(code(word)) for word in words] == words
    for forged in ("", "won", "won-third-0-0-0-director", "x-first-0-0-0-director", "score--12-99999-0-director"):
        assert read_code(forged) is None


async def test_a_preview_of_a_match_that_has_changed_records_nothing(event: World) -> None:
    shown = await event.people["td"].slash(event.lobby, "td-match result", match=1, how=how(Ending.DRAWN))
    sure = next(id for id in custom_ids(last(shown)) if ":rule-result:" in id)
    await says(event, "td", "td-match extend", match=1, reason="A storm.")
    form = await event.click(event.people["td"], last(shown), sure)
    answer = text_of(await event.submit(event.people["td"], form, "x"))
    assert "since you saw the preview" in answer and result(event) is None
