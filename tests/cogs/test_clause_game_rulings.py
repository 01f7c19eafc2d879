"""What TDs decide about single games, `/td-match games`: R3.1, R7.2, Q19-Q21, Q35, Q38b, Q38c.

anna plays carl on Saturday 28 March 2026 at 18:00; anna is White in the first game.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.errors import Conflict, NotAllowed
from engine.facts import GameDecision
from engine.model import Fact, GameLine
from tests.clauses.stage import AGREED, games, said, says, settle, table, thread
from tests.cogs.entering import actor, last
from tests.cogs.test_clause_accounts import entrant
from tests.cogs.test_clause_terms import press
from tests.world import LONG_AGO, World, custom_ids, text_of

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
COUNTS, STRUCK, REPLAY = (decision.value for decision in GameDecision)
OTHER_CLOCK: dict[str, Any] = {"clock": (180, 2)}


async def played(world: World, results: str, strange: int | None = None, **fields: Any) -> list[str]:
    """A match one hour later, seen by the bot; the game with the number `strange`, from 0, has `fields`."""
    ids = world.lichess.play_match("anna", "carl", AGREED, games(results))
    if strange is not None:
        world.lichess.change_game(ids[strange], **fields)
    await world.move_to(AGREED + HOUR)
    return ids


async def rules(world: World, game: str, decision: str, reason: str = "Looked at.") -> str:
    return await says(world, "td", "td-match games", match=1, game=game, decision=decision, reason=reason)


def kinds(world: World) -> list[str]:
    return [fact.kind for fact in facts(world)]


def facts(world: World) -> list[Fact]:
    return world.parts.db.read_sync(lambda reader: reader.facts(world.edition().id))


def results(world: World) -> str:
    return "\n".join(m.content for m in world.channel("results").history() if "anna" in m.content)


def told(world: World) -> str:
    """The last post in the thread."""
    return thread(world, "anna", "carl").history()[-1].content


def notice(world: World) -> Any:
    (found,) = [m for m in world.channel("directors").history() if "A game needs your look" in m.content]
    return found


async def undo(world: World, kind: str) -> None:
    fact = [fact for fact in facts(world) if fact.kind == kind][-1]
    await world.parts.app.rulings.undo(actor(world, "td"), fact.id, "A mistake.")
    await world.tick()


# --- A result that a ruling changes -------------------------------------------------------------------------------


async def test_q35_extra_games_move_up_when_an_earlier_one_is_struck_out(agreed: World) -> None:
    ids = await played(agreed, "11111100")
    assert "anna 6–0 carl" in await says(agreed, "anna", "report")
    answer = await rules(agreed, ids[1], STRUCK)
    assert "Now: anna 6–0 carl, 2 extra." in answer and "Then: anna 5–2 carl, open." in answer
    agreed.lichess.play_match("anna", "carl", AGREED + 2 * HOUR, games("1"))
    await agreed.move_to(AGREED + 3 * HOUR)
    assert "Recorded: **anna 6–2 carl**" in await says(agreed, "carl", "report")
    assert results(agreed).count("lichess.org/") == 8 and ids[1] not in results(agreed)


async def test_q35_a_match_stays_decided_when_an_extra_game_decides_it(agreed: World) -> None:
    ids = await played(agreed, "1111111")
    await says(agreed, "anna", "report")
    await rules(agreed, ids[0], STRUCK)
    assert results(agreed).startswith("**Round 1: anna 6–0 carl**") and "not counted" not in results(agreed)
    assert "does not count" in told(agreed) and "It stands: anna 6–0 carl." in told(agreed)


async def test_q35_a_decided_match_that_becomes_undecided_is_open_again_and_both_hear_it(agreed: World) -> None:
    ids = await played(agreed, "111111")
    await says(agreed, "anna", "report")
    await rules(agreed, ids[5], STRUCK)
    post = told(agreed)
    assert all(f"<@{agreed.people[name].id}>" in post for name in ("anna", "carl"))
    assert "So far: anna 5–0 carl; the match is open again: play on, by" in post
    assert "the match is open again" in results(agreed) and await table(agreed) != []
    assert "**So far: anna 5–0 carl.**" in thread(agreed, "anna", "carl").history()[0].content


async def test_q35_the_bot_follows_a_match_that_is_open_again(agreed: World) -> None:
    ids = await played(agreed, "111111")
    await says(agreed, "anna", "report")
    await rules(agreed, ids[5], STRUCK)
    agreed.follows = True
    agreed.lichess.play_match("anna", "carl", AGREED + 2 * HOUR, games("1"))
    await agreed.move_to(AGREED + 3 * HOUR)
    assert results(agreed).startswith("**Round 1: anna 6–0 carl**")


async def test_q21_when_a_td_accepts_a_game_later_the_games_after_the_new_decision_are_extra(agreed: World) -> None:
    ids = await played(agreed, "1111110", 2, **OTHER_CLOCK)
    agreed.lichess.play_match("anna", "carl", AGREED + HOUR, games("1"))
    await agreed.move_to(AGREED + 2 * HOUR)
    assert "anna 6–1 carl" in await says(agreed, "anna", "report")
    answer = await rules(agreed, ids[2], COUNTS)
    assert "Now: anna 6–1 carl." in answer and "Then: anna 6–0 carl, 2 extra." in answer
    assert "Round 1: anna 6–0 carl" in results(agreed) and "Played after the decision, not counted" in results(agreed)
    assert "it **counts**" in told(agreed)


async def test_q20_a_casual_game_counts_once_a_td_accepts_it_and_decides_the_match(agreed: World) -> None:
    ids = await played(agreed, "111111", 3, rated=False)
    assert "5–0 carl" in await says(agreed, "anna", "report")
    await rules(agreed, ids[3], COUNTS)
    assert results(agreed).startswith("**Round 1: anna 6–0 carl**")
    assert [kind for kind in kinds(agreed) if "game" in kind or "played" in kind] == ["game_ruled", "match_played"]
    assert "This match already has its result" in await says(agreed, "carl", "report")


async def test_q19_to_replay_a_game_it_does_not_count_and_they_play_it_again(agreed: World) -> None:
    ids = await played(agreed, "111111", 5, status="timeout")
    await rules(agreed, ids[5], REPLAY)
    assert "does not count" in told(agreed) and "Please play it again." in told(agreed)
    agreed.lichess.play_match("anna", "carl", AGREED + 2 * HOUR, games("1"))
    await agreed.move_to(AGREED + 3 * HOUR)
    assert "Recorded: **anna 6–0 carl**" in await says(agreed, "anna", "report")


async def test_q35_after_the_deadline_nobody_is_asked_to_play(agreed: World) -> None:
    ids = await played(agreed, "111111")
    await says(agreed, "anna", "report")
    await agreed.move_to(datetime(2026, 3, 31, 3, tzinfo=UTC))
    await rules(agreed, ids[0], REPLAY)
    spoken = said(thread(agreed, "anna", "carl"))
    assert "its time is over: the TDs decide how it goes on" in spoken and "play it again" not in spoken


# --- The one mechanism --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results_", "strange", "decision"), [("11111100", None, STRUCK), ("1111110", 2, COUNTS), ("111111", None, REPLAY)]
)
async def test_q35_an_undo_gives_the_result_back(
    agreed: World, results_: str, strange: int | None, decision: str
) -> None:
    ids = await played(agreed, results_, strange, **(OTHER_CLOCK if strange else {}))
    if strange:
        agreed.lichess.play_match("anna", "carl", AGREED + HOUR, games("1"))
        await agreed.move_to(AGREED + 2 * HOUR)
    await says(agreed, "anna", "report")
    before = results(agreed)
    await rules(agreed, ids[2], decision)
    assert results(agreed) != before
    await undo(agreed, "game_ruled")
    assert results(agreed) == before
    assert "taken this back: that [a game]" in told(agreed) and "It stands: anna 6–" in told(agreed)


async def test_q35_an_undo_counts_what_was_played_in_between(agreed: World) -> None:
    """Struck out, played again, recorded anew: the game that counts again moves the new one out."""
    ids = await played(agreed, "111111")
    await says(agreed, "anna", "report")
    await rules(agreed, ids[0], STRUCK)
    agreed.lichess.play_match("anna", "carl", AGREED + 2 * HOUR, games("0=1"))
    await agreed.move_to(AGREED + 3 * HOUR)
    assert "anna 6–1 carl" not in await says(agreed, "anna", "report")
    assert "anna 5½–1 carl" not in results(agreed) and "anna 5½–1½ carl" in results(agreed)
    await undo(agreed, "game_ruled")
    assert "Round 1: anna 6–0 carl" in results(agreed) and "[+1]" in results(agreed)


async def test_q20_after_an_undo_the_match_goes_on_as_if_nothing_had_been_ruled(agreed: World) -> None:
    ids = await played(agreed, "111111", 3, rated=False)
    await rules(agreed, ids[3], COUNTS)
    await undo(agreed, "game_ruled")
    assert "So far: anna 5–0 carl" in told(agreed)
    agreed.follows = True
    agreed.lichess.play_match("anna", "carl", AGREED + 2 * HOUR, games("1"))
    await agreed.move_to(AGREED + 3 * HOUR)
    assert "Round 1: anna 6–0 carl" in results(agreed)


async def test_what_happens_in_another_match_does_not_outdate_a_preview(agreed: World) -> None:
    ids = await played(agreed, "111111")
    await says(agreed, "anna", "report")
    td = agreed.people["td"]
    message = last(await agreed.slash(td, "td-match games", match=1, game=ids[0], decision=STRUCK))
    await settle(agreed, 1, "bob", but="anna")
    form = await agreed.click(td, message, custom_ids(message)[0])
    assert "Recorded" in text_of(await agreed.submit(td, form, "Sandbagged."))


async def test_without_a_reason_a_td_sees_what_would_change_and_nothing_is_recorded(agreed: World) -> None:
    ids = await played(agreed, "111111")
    await says(agreed, "anna", "report")
    before = kinds(agreed)
    td = agreed.people["td"]
    shown = await agreed.slash(td, "td-match games", match=1, game=ids[0], decision=STRUCK)
    answer = text_of(shown)
    assert "Now: anna 6–0 carl." in answer and "Then: anna 5–0 carl, open." in answer
    assert "The table changes for anna, bob, dora." in answer
    assert "Nothing is recorded yet." in answer and kinds(agreed) == before
    message = last(shown)
    form = await agreed.click(td, message, custom_ids(message)[0])
    assert "A reason is needed" in text_of(await agreed.submit(td, form, "  "))
    form = await agreed.click(td, message, custom_ids(message)[0])
    assert "Recorded: the game does not count." in text_of(await agreed.submit(td, form, "Sandbagged."))
    log = agreed.channel("directors").last_message.content
    assert "Ruling" in log and "Sandbagged." in log and "does not count" in log
    form = await agreed.click(td, message, custom_ids(message)[0])
    assert "since you saw the preview" in text_of(await agreed.submit(td, form, "Again."))


async def test_r1_2_a_td_does_not_rule_on_a_game_of_the_own_match(agreed: World) -> None:
    ids = await played(agreed, "111111")
    playing = replace(actor(agreed, "anna"), role_ids=actor(agreed, "td").role_ids)
    with pytest.raises(NotAllowed, match="recused"):
        await agreed.parts.app.game_rulings.rule(playing, 1, ids[0], GameDecision.STRUCK, "Mine.")
    assert "game_ruled" not in kinds(agreed)


async def test_a_game_that_no_td_can_count_is_refused(agreed: World) -> None:
    ids = await played(agreed, "111111", 1, status="aborted", winner=None)
    answer = await rules(agreed, ids[1], COUNTS)
    assert "cannot count in this match: aborted" in answer and "game_ruled" not in kinds(agreed)


@pytest.mark.parametrize(
    ("game", "words"), [("zzzzzzzz", "Lichess knows no game `zzzzzzzz`"), ("nonsense!", "I found no Lichess game")]
)
async def test_a_game_that_is_not_there_is_refused(agreed: World, game: str, words: str) -> None:
    await played(agreed, "111111")
    assert words in await rules(agreed, game, COUNTS)


async def test_a_game_in_progress_is_not_ruled_about(agreed: World) -> None:
    (id,) = agreed.lichess.play_match("anna", "carl", AGREED, games("1"))
    await agreed.move_to(AGREED + MINUTE)
    assert "still being played" in await rules(agreed, id, STRUCK)


async def test_what_is_so_already_is_not_recorded_again(agreed: World) -> None:
    ids = await played(agreed, "111111")
    assert "That is how it stands already" in await rules(agreed, ids[0], COUNTS)
    await rules(agreed, ids[0], STRUCK)
    assert "That is how it stands already" in await rules(agreed, ids[0], STRUCK)
    assert kinds(agreed).count("game_ruled") == 1


async def test_a_match_that_a_td_has_ruled_is_not_changed_by_its_games(event: World) -> None:
    await event.move_to(datetime(2026, 3, 29, 1, tzinfo=UTC))  # nobody has offered: §5.6
    event.lichess.play_match("anna", "carl", AGREED + 8 * HOUR, games("1"))
    (game,) = event.lichess.play_match("anna", "carl", AGREED + 9 * HOUR, games("1"))
    await event.move(hours=12)
    assert "This match has its result" in await rules(event, game, COUNTS)


# --- Lichess ------------------------------------------------------------------------------------------------------


async def test_a_ruling_with_lichess_down_is_worked_out_from_what_was_kept(agreed: World) -> None:
    ids = await played(agreed, "1111111")
    await says(agreed, "anna", "report")
    agreed.lichess.fail_next("502", times=40)
    assert "Recorded" in await rules(agreed, ids[0], STRUCK)
    assert "Round 1: anna 6–0 carl" in results(agreed) and ids[6] in results(agreed)


async def test_a_game_that_was_never_seen_waits_for_lichess(agreed: World) -> None:
    ids = await played(agreed, "11", 1, rated=False)
    agreed.lichess.fail_next("502", times=40)
    assert "Lichess does not answer" in await rules(agreed, ids[1], COUNTS)
    agreed.lichess.heal()
    assert "Recorded" in await rules(agreed, ids[1], COUNTS)


async def test_every_game_that_could_count_is_kept_as_lichess_showed_it(agreed: World) -> None:
    ids = await played(agreed, "11111110", 2, rated=False)
    agreed.lichess.add_game("anna", "carl", created_at=AGREED - 2 * HOUR, winner="white")
    await says(agreed, "anna", "report")
    kept = agreed.parts.db.read_sync(lambda reader: reader.find(GameLine))
    assert [line.game_id for line in kept] == ids and all(line.line.startswith("{") for line in kept)


# --- What comes to the TDs ----------------------------------------------------------------------------------------


async def test_q38b_the_notice_has_buttons_and_follows_what_was_decided(agreed: World) -> None:
    await played(agreed, "111111", 2, status="cheat")
    await says(agreed, "anna", "report")
    td = agreed.people["td"]
    counts, again = custom_ids(notice(agreed))
    shown = await agreed.click(td, notice(agreed), counts)
    assert "**It counts?**" in text_of(shown) and "a TD must look at how it ended" in text_of(shown)
    assert "Then: anna 6–0 carl." in text_of(shown)
    message = last(shown)
    await agreed.submit(td, await agreed.click(td, message, custom_ids(message)[0]), "No mark on the account.")
    assert results(agreed).startswith("**Round 1: anna 6–0 carl**")
    assert custom_ids(notice(agreed)) == [] and "✓ counts" in notice(agreed).content
    assert again.endswith(REPLAY)


async def test_q20_a_td_is_asked_only_if_both_players_ask(agreed: World) -> None:
    agreed.follows = True
    (wrong,) = agreed.lichess.play_match("anna", "carl", AGREED, games("1"), rated=False)
    await agreed.move_to(AGREED + 4 * MINUTE)

    def warning() -> Any:
        (found,) = [
            m for m in thread(agreed, "anna", "carl").history() if wrong in m.content and "not rated" in m.content
        ]
        return found

    (ask,) = custom_ids(warning())
    assert "only these two" in text_of(await agreed.click(agreed.people["bob"], warning(), ask))
    assert "only if your opponent asks too" in text_of(await agreed.click(agreed.people["anna"], warning(), ask))
    assert "only if your opponent asks too" in text_of(await agreed.click(agreed.people["anna"], warning(), ask))
    assert "anna asks that a TD counts it" in warning().content
    assert "A game needs your look" not in said(agreed.channel("directors"))
    assert "the TDs are told" in text_of(await agreed.click(agreed.people["carl"], warning(), ask))
    assert custom_ids(warning()) == []
    assert "both players ask you to count a game" in notice(agreed).content and wrong in notice(agreed).content
    await rules(agreed, wrong, COUNTS)
    assert "A TD has decided" in "".join(m.content for m in thread(agreed, "anna", "carl").history())
    await agreed.move(minutes=2)
    assert "anna 1–0 carl" in results(agreed)


async def test_q38c_a_game_from_another_account_counts_once_a_td_accepts_it(agreed: World) -> None:
    agreed.lichess.add_account("anna_two", rating=2000, games=3000, created_at=LONG_AGO)
    agreed.lichess.play_match("anna", "carl", AGREED, games("11111"))
    strange = agreed.lichess.add_game("anna_two", "carl", created_at=AGREED + 40 * MINUTE, winner="white")
    await agreed.move_to(AGREED + HOUR)
    assert "5 games to go" in await says(agreed, "anna", "report")
    answer = await says(agreed, "anna", "report", games=f"https://lichess.org/{strange}")
    assert "Only a TD can judge these games" in answer and strange in answer
    assert "another account" in notice(agreed).content and "§2.6" in notice(agreed).content
    await rules(agreed, strange, COUNTS)
    assert results(agreed).startswith("**Round 1: anna 6–0 carl**")
    assert "This match already has its result" in await says(agreed, "carl", "report")


async def test_q38c_naming_a_strange_game_holds_no_result_up(agreed: World) -> None:
    agreed.lichess.add_account("zed", rating=2000, games=3000, created_at=LONG_AGO)
    agreed.lichess.play_match("anna", "carl", AGREED, games("000000"))
    strange = agreed.lichess.add_game("anna", "zed", created_at=AGREED + 5 * MINUTE, winner="white")
    await agreed.move_to(AGREED + HOUR)
    assert "Recorded: **anna 0–6 carl**" in await says(agreed, "anna", "report", games=strange)
    assert strange in notice(agreed).content


async def test_q38c_an_accepted_game_from_another_account_does_not_look_like_a_short_answer(agreed: World) -> None:
    agreed.lichess.add_account("anna_two", rating=2000, games=3000, created_at=LONG_AGO)
    strange = agreed.lichess.add_game("anna_two", "carl", created_at=AGREED, winner="white")
    await agreed.move_to(AGREED + 5 * MINUTE)
    await rules(agreed, strange, COUNTS)
    agreed.follows = True
    agreed.lichess.play_match("anna", "carl", AGREED + 6 * MINUTE, games("11111"))
    await agreed.move_to(AGREED + HOUR)
    assert results(agreed).startswith("**Round 1: anna 6–0 carl**")


async def _new_account(world: World, named: str) -> str:
    """2–1 so far; anna plays a fourth game with another account, wins it, names it, and the account becomes hers
    afterwards. `named`: whether a TD counts the game "before" the change or "after" it. Its id."""
    world.follows = True
    world.lichess.add_account("anna_two", rating=2000, games=3000, created_at=LONG_AGO)
    world.lichess.play_match("anna", "carl", AGREED, games("110"))
    strange = world.lichess.add_game("anna_two", "carl", created_at=AGREED + 20 * MINUTE, winner="white")
    await world.move_to(AGREED + 40 * MINUTE)
    if named == "before":
        await says(world, "anna", "report", games=strange)
        await rules(world, strange, COUNTS)
    await says(world, "td", "td-player account", player=entrant(world, "anna"), account="anna_two")
    await world.move(minutes=5)
    await press(world, "td", world.channel("directors"), ":take-account:", "Locked out of the old one.")
    await world.move(minutes=2)
    return strange


async def test_q55_a_game_that_a_td_has_counted_stays_when_the_account_becomes_the_players(agreed: World) -> None:
    await _new_account(agreed, "before")
    assert "3–1" in await says(agreed, "anna", "report")
    agreed.lichess.play_match("anna_two", "carl", agreed.clock.now() + MINUTE, games("111"))
    await agreed.move(minutes=40)
    assert results(agreed).startswith("**Round 1: anna\\_two 6–1 carl**"), "with the counted game"


async def test_q55_a_game_before_the_account_was_the_players_can_be_counted_by_a_td_afterwards(agreed: World) -> None:
    strange = await _new_account(agreed, "after")
    assert "2–1" in await says(agreed, "anna", "report")
    answer = await says(agreed, "anna", "report", games=strange)
    assert "Only a TD can judge these games" in answer and strange in notice(agreed).content
    await rules(agreed, strange, COUNTS)
    assert "3–1" in await says(agreed, "anna", "report")


async def test_two_tds_at_once_are_one_ruling(agreed: World) -> None:
    ids = await played(agreed, "111111")
    await says(agreed, "anna", "report")
    ruled = agreed.parts.app.game_rulings.rule
    await ruled(actor(agreed, "td"), 1, ids[0], GameDecision.STRUCK, "One.")
    with pytest.raises(Conflict, match="nothing_to_change"):
        await ruled(actor(agreed, "td"), 1, ids[0], GameDecision.STRUCK, "Two.")
    assert kinds(agreed).count("game_ruled") == 1
