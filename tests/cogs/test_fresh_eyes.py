"""What a newcomer, a director and an attacker found, each as the kind of fault it was."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cogs.render.errors import error_message
from cogs.render.message import escape
from engine.errors import AcwcError
from engine.model import Edition, Entrant, Fact, Match, Offer, Post, PostState, Round
from engine.rules import shipped_text
from engine.usecases.context import Actor
from tests.clauses.stage import offer_enough
from tests.cogs.first_round import PLAYERS, PUBLISHED
from tests.cogs.test_match_flow import SATURDAY, agree, card, thread
from tests.season.play import play_all_but, said
from tests.world import LONG_AGO, World, custom_ids, text_of

TUESDAY = datetime(2026, 3, 31, 12, tzinfo=UTC)
THURSDAY = datetime(2026, 3, 26, 18, tzinfo=UTC)
WEEK = timedelta(weeks=1)


def stored(world: World, kind: type) -> list:
    return world.parts.db.read_sync(lambda reader: reader.find(kind))


async def extend(world: World, message, reason: str = "storm") -> str:
    button = next(id for id in custom_ids(message) if ":extend:" in id)
    shown = await world.click(world.people["td"], message, button)
    return text_of(await world.submit(world.people["td"], shown, reason))


# --- Reports: games decide, whatever is linked -----------------------------------------------------------------------


async def test_q22_links_add_games_and_hide_none(event: World) -> None:
    await agree(event, "anna", "carl")
    event.lichess.play_match("anna", "carl", SATURDAY, "bbbbbb")
    later = event.lichess.play_match("anna", "carl", SATURDAY + timedelta(hours=2), "aaaaaa")
    await event.move_to(SATURDAY + timedelta(hours=4))
    links = " ".join(f"https://lichess.org/{id}" for id in later)
    assert "anna 0–6 carl" in text_of(await event.slash(event.people["anna"], "report", games=links))


async def test_q12_a_game_counts_for_one_match_only(event: World) -> None:
    """The same pair again: round 1 extended, then paired once more because a director allowed it."""
    from engine.usecases.context import load_event
    from engine.usecases.pair_games import read_games

    await agree(event, "anna", "carl")
    ids = event.lichess.play_match("anna", "carl", SATURDAY, "aaaaaa")
    await event.move_to(SATURDAY + timedelta(hours=1))
    await event.slash(event.people["anna"], "report")
    games = await event.parts.app.desk.lichess.games(ids)

    def again(reader):
        loaded = load_event(reader, event.parts.app.desk.folds, 1)
        return read_games(loaded, loaded.matches[2], games)

    faults = {fault for game in event.parts.db.read_sync(again).faulty for fault in game.faults}
    assert "counted_elsewhere" in faults


async def test_an_unknown_link_is_named(event: World) -> None:
    await agree(event, "anna", "carl")
    await event.move_to(SATURDAY)
    answer = text_of(await event.slash(event.people["anna"], "report", games="https://lichess.org/zzzzzzzz"))
    assert "None of the games you linked counts" in answer and "Lichess knows no game `zzzzzzzz`" in answer


# --- Rounds that come late, extensions, and what players hear ---------------------------------------------------------


async def test_a_round_whose_time_for_offers_is_over_moves_with_all_later_ones(event: World) -> None:
    await offer_enough(event, "anna", "bob")
    await event.move_to(TUESDAY + WEEK)  # nobody has played, nobody has decided
    waiting = said(event.channel("directors"), "Round 2 is due but waits")[0]
    answer = await extend(event, waiting)
    assert "Extended until Mon 13 Apr 23:59 UTC" in answer
    second = stored(event, Round)[1]
    assert (second.offers_by, second.matches_by) == (
        datetime(2026, 4, 11, tzinfo=UTC),
        datetime(2026, 4, 14, tzinfo=UTC),
    )
    assert said(event.channel("pairings"), "came out late .due Tue 31 Mar 12:00 UTC.; its deadlines and all later")
    assert not said(event.channel("directors"), "Round 3 is due")
    assert not said(event.channel("directors"), "An extension has ended")
    assert "Offered to" in text_of(await event.slash(event.people["anna"], "offer", times="Sat 18:00", match=3))
    third = datetime(2026, 4, 14, 12, tzinfo=UTC)
    await event.move_to(third)  # §5.6 has decided round 2
    assert stored(event, Round)[2].published_at == third


async def test_after_a_moved_round_the_next_one_is_on_time(event: World) -> None:
    await offer_enough(event, "anna", "bob")
    await event.move_to(TUESDAY + timedelta(days=4))  # Saturday: round 2 has no time for offers left
    await event.slash(event.people["td"], "td round extend", reason="storm")
    assert stored(event, Round)[1].matches_by == datetime(2026, 4, 14, tzinfo=UTC)
    extended = [f.payload["until"] for f in stored(event, Fact) if f.kind == "match_extended"]
    assert set(extended) == {"2026-04-14T00:00:00+00:00"}  # the Monday of the round that came out
    assert "moved" in said(event.channel("directors"), "came out so late")[0].content
    pairs = {match: _names(event, match) for match in (3, 4)}
    for match, names in pairs.items():
        await event.slash(event.people[names[0]], "offer", times="10 Apr 18:00", match=match)
        await event.slash(event.people[names[1]], "accept", offer=stored(event, Offer)[-1].id)
        event.lichess.play_match(*names, datetime(2026, 4, 10, 18, tzinfo=UTC), "aaaaaa")
    await event.move_to(datetime(2026, 4, 10, 19, tzinfo=UTC))
    for match, names in pairs.items():
        await event.slash(event.people[names[0]], "report", match=match)
    await event.move_to(datetime(2026, 4, 14, 12, tzinfo=UTC))
    third = said(event.channel("pairings"), "round 3$")
    assert len(third) == 1 and "late" not in third[0].content


def _names(event: World, match_id: int) -> tuple[str, str]:
    def names(reader):
        match = reader.get(Match, match_id)
        return reader.get(Entrant, match.a_id).name, reader.get(Entrant, match.b_id).name

    return event.parts.db.read_sync(names)


async def test_an_extended_match_keeps_its_agreed_time_and_says_until_when(event: World) -> None:
    await agree(event, "anna", "carl")
    await event.move_to(datetime(2026, 3, 31, tzinfo=UTC))
    await event.slash(event.people["td"], "td round extend", reason="power cut at 3-2")
    assert "it may be played until Mon 6 Apr 23:59 UTC" in card(event, "anna").content
    assert "no new time is needed" in thread(event, "anna").last_message.content


async def test_q12_the_other_side_may_confirm_a_first_game_that_only_a_link_showed(event: World) -> None:
    ids = event.lichess.play_match("anna", "carl", THURSDAY, "aaaaaa")
    await event.move_to(THURSDAY + timedelta(hours=1))
    lichess = event.parts.app.desk.lichess
    between = lichess.games_between

    async def without_the_first(*args):
        return [game for game in await between(*args) if game.id != ids[0]]

    lichess.games_between = without_the_first  # type: ignore[method-assign]
    await event.slash(event.people["anna"], "report", games=f"https://lichess.org/{ids[0]}")
    asked = thread(event, "anna").last_message
    assert "anna 6–0 carl" in text_of(await event.click(event.people["carl"], asked, custom_ids(asked)[0]))


async def test_q38b_a_confirmed_first_game_with_a_cheat_game_behind_it_is_told_to_the_tds(event: World) -> None:
    event.lichess.play_match("anna", "carl", THURSDAY, "aaa")
    await event.move_to(THURSDAY + timedelta(hours=1))
    await event.slash(event.people["anna"], "report")
    asked = thread(event, "anna").last_message
    event.lichess.add_game("anna", "carl", created_at=THURSDAY + timedelta(minutes=30), winner="white", status="cheat")
    answer = text_of(await event.click(event.people["carl"], asked, custom_ids(asked)[0]))
    assert "the TDs have been told" in answer
    assert len(said(event.channel("directors"), "A game needs your look")) == 1


async def test_a_notice_of_the_last_edition_is_about_the_last_edition(event: World) -> None:
    """Owed again after the next edition has opened, as `/td setup` does with what was stuck."""
    await offer_enough(event, "anna", "bob")
    await event.move_to(TUESDAY)
    await event.jump_to(datetime(2026, 12, 1, tzinfo=UTC))
    td = event.people["td"]
    await event.slash(td, "td edition create", starts="2027-03-21")
    await event.slash(td, "td edition open")
    notice = next(post for post in stored(event, Post) if post.payload.get("code") == "unplayed")
    event.parts.db.write_sync(lambda store: store.save(replace(notice, state=PostState.WAITING, wanted=9)))
    await event.tick()
    assert said(event.channel("directors"), "Round 1: the match deadline has passed")
    assert [p for p in stored(event, Post) if p.state is not PostState.SENT and p.state is not PostState.DROPPED] == []


async def test_an_old_extend_card_extends_the_matches_it_names_and_no_others(event: World) -> None:
    await offer_enough(event, "anna", "bob")
    await event.move_to(TUESDAY)
    waiting = said(event.channel("directors"), "Round 2 is due but waits")[0]
    await extend(event, waiting)
    (waiting,) = [m for m in event.channel("directors").history() if m.id == waiting.id]
    assert custom_ids(waiting) == [], "with round 2 it is over, and so is its button"
    extended = [f for f in stored(event, Fact) if f.kind == "match_extended"]
    assert {f.payload["match_id"] for f in extended} == {1, 2}


async def test_players_hear_of_the_deadline_the_wait_and_the_extension(event: World) -> None:
    await offer_enough(event, "anna", "bob")
    await event.move_to(datetime(2026, 3, 31, tzinfo=UTC))
    told = thread(event, "anna").last_message
    assert event.people["anna"].mention in told.content and "The time for this match is over" in told.content
    assert "The time for this match is over" in card(event, "anna").content
    assert [id.split(":")[2] for id in custom_ids(card(event, "anna"))] == ["report"]
    assert "The time for this match is over" in text_of(await event.slash(event.people["anna"], "hub"))
    answer = text_of(await event.slash(event.people["anna"], "offer", times="Wed 18:00"))
    assert "The time for this match ended" in answer and "write to the TDs" in answer
    await event.move_to(TUESDAY)
    assert said(event.channel("pairings"), "Round 2 is due but waits")
    await extend(event, said(event.channel("directors"), "Round 2 is due but waits")[0])
    told = thread(event, "R1", "anna").last_message
    assert "A TD has extended this match: play it by Mon 6 Apr 23:59 UTC" in told.content
    assert "offer-form" in custom_ids(told)[0]


async def test_passed_offers_neither_block_nor_show(event: World) -> None:
    times = ", ".join(f"Mon 23 Mar {hour}:00" for hour in range(8, 17))
    await event.slash(event.people["anna"], "offer", times=times)
    assert "9 is the most" in text_of(await event.slash(event.people["anna"], "offer", times="Sat 18:00"))
    await event.move_to(datetime(2026, 3, 24, tzinfo=UTC))
    assert "Offered to carl" in text_of(await event.slash(event.people["anna"], "offer", times="Sat 18:00"))
    assert [id for id in custom_ids(card(event, "anna")) if ":accept:" in id] == ["acwc:1:accept:10"]
    assert "2 of 3 offers" not in text_of(await event.slash(event.people["anna"], "hub"))


# --- Editions ---------------------------------------------------------------------------------------------------------


async def test_a_start_in_the_past_is_refused(world: World) -> None:
    answer = text_of(await world.slash(world.people["td"], "td edition create", starts="2025-03-23"))
    assert "Choose a day that is still ahead" in answer
    assert stored(world, Edition) == []


async def test_q44g_a_late_entry_comes_in_until_round_2_with_the_last_seed(event: World) -> None:
    event.lichess.add_account("late", rating=2900, games=5000, created_at=LONG_AGO)
    await event.enters("late")
    entry_card = event.channel("directors").last_message
    await event.click(event.people["td"], entry_card, custom_ids(entry_card)[0])
    assert {e.name: e.seed for e in stored(event, Entrant)}["late"] == 5
    await play_all_but(event, 1, SATURDAY)
    await event.move_to(TUESDAY)
    assert "late" in event.channel("pairings").last_message.content
    assert len(stored(event, Round)) == 2
    event.lichess.add_account("later", rating=2000, games=5000, created_at=LONG_AGO)
    assert "the time for late entries is over" in text_of(
        await event.slash(event.person("later"), "register", account="later")
    )


async def test_a_draft_hides_nothing(event: World) -> None:
    await offer_enough(event, "anna", "bob")
    await event.move_to(datetime(2026, 8, 1, tzinfo=UTC))
    answer = text_of(await event.slash(event.people["td"], "td edition create", starts="2027-03-21"))
    assert "is drafted" in answer
    assert "Round 1 against carl" in text_of(await event.slash(event.people["anna"], "hub"))
    assert "LiAntichess World Cup 2026" in text_of(await event.slash(event.people["anna"], "standings"))
    assert "2027" in text_of(await event.slash(event.people["td"], "td edition show"))


async def test_the_day_of_registration_close_is_told_and_changed_accounts_are_named(world: World) -> None:
    td = world.people["td"]
    await world.slash(td, "td edition create", starts="2026-03-22")
    await world.slash(td, "td edition open")
    for name in PLAYERS:
        world.lichess.add_account(name, rating=2000, games=2000, created_at=LONG_AGO)
        await world.enters(name)
        entry_card = world.channel("directors").last_message
        await world.click(td, entry_card, custom_ids(entry_card)[0])
    await world.move_to(datetime(2026, 3, 15, tzinfo=UTC))
    assert len(said(world.channel("directors"), "registration was to close today")) == 1
    world.lichess.change("bob", closed=True)
    world.lichess.change("dora", tos_violation=True)
    answer = text_of(await world.slash(td, "td edition close"))
    assert "bob: ⚠ closed on Lichess since" in answer and "dora: ⚠ marked by Lichess" in answer


# --- Hostile input ----------------------------------------------------------------------------------------------------


async def test_many_ambiguous_times_are_asked_at_once(event: World) -> None:
    """As many readings as there are combinations would take hours; they are counted, not made."""
    result = await event.slash(event.people["anna"], "offer", times=", ".join(str(hour) for hour in range(10, 24)))
    assert "more than one way" in text_of(result) and custom_ids(result.response) == []


@pytest.mark.parametrize(
    "arg",
    ["accept:abc", "accept:", "accept:1e9", "accept:²", f"accept:{2**63}", "report:-1", "standings:1", "pairings:x.y",
     "offer-these:1.999999999999", "offer-these:1", "offer-these:1.29000000-28000000", "extend:zzz", "nonsense:1"],
)  # fmt: skip
async def test_forged_buttons_are_refused_without_a_trace(event: World, arg: str, caplog) -> None:
    """Pressed as if the bot had sent them."""
    message = thread(event, "anna").history()[0]
    stored_message = event.env.backend.messages[message.channel.id][message.id]
    stored_message.components = [
        {"type": 1, "components": [{"type": 2, "style": 2, "label": "x", "custom_id": f"acwc:1:{arg}"}]}
    ]
    await event.click(event.people["anna"], thread(event, "anna").history()[0], f"acwc:1:{arg}")
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert stored(event, Offer) == []


async def test_everybody_cannot_be_the_td_role(empty: World) -> None:
    answer = text_of(await empty.slash(empty.owner, "td setup", td_role=empty.guild.default_role))
    assert "cannot be the TD role" in answer
    assert empty.parts.db.read_sync(lambda reader: reader.find(Post)) == []


@pytest.mark.parametrize(
    "text",
    [
        "a." * 49_000 + "a = 1",
        "x = " + "[" * 900,
        "x = " + "9" * 900,
        shipped_text("2023") + "\n# " + "x" * 60_000,
        shipped_text("2023").replace("qualifiers = 12", "qualifiers = 200000000"),
        shipped_text("2023").replace("qualifiers = 12", "qualifiers = 99999999999999999999"),
        shipped_text("2023").replace("min_games = 1000", "min_games = 1000000000000"),
        shipped_text("2023").replace('title = "Li', 'title = "' + "Li" * 200),
        shipped_text("2023").replace('title = "Li', 'title = "Li\\n@everyone'),
    ],
)
async def test_hostile_rulesets_are_refused_at_once(world: World, text: str) -> None:
    td = world.people["td"]
    role = frozenset({world.guild.roles["World Cup TD"].id})
    actor = Actor(discord_id=td.id, name="td", guild_id=world.guild.id, command_id="1", role_ids=role)
    with pytest.raises(AcwcError) as refusal:
        await world.parts.app.editions.create_from(actor, text, "mine.toml", PUBLISHED.date())
    assert refusal.value.code == "ruleset_invalid"
    assert len(error_message(refusal.value).text) < 4000


async def test_what_people_type_stays_out_of_the_log(event: World, caplog) -> None:
    caplog.set_level(logging.INFO)
    await event.slash(event.people["anna"], "offer", times="my secret diary")
    assert "secret" not in caplog.text and "time_unreadable" in caplog.text


def test_names_cannot_ping_link_or_reverse() -> None:
    assert escape("<@123>") != "<@123>" and "\u202e" not in escape("a\u202eb")
    assert "://" not in escape("https://evil.example")
    assert escape("Bob_X*") == "Bob\\_X\\*"
    for joined in ("👨‍👩‍👧", "می‌خواهم", "क्‍ष", "Ünïcödé", "Иван"):
        assert escape(joined) == joined


async def test_a_tuesday_with_many_open_matches_reaches_the_directors(world: World) -> None:
    names = [f"player_with_a_long_name_{n:02d}" for n in range(40)]
    await world.start_edition(names, "2026-03-22")
    await world.move_to(PUBLISHED)
    await offer_enough(world, *names[:20])
    await world.move_to(TUESDAY)
    listed = said(world.channel("directors"), "the match deadline has passed")
    assert len(listed) == 4 and all(f"({n} of 4)" in part.content for n, part in enumerate(listed, start=1))
    lines = [line for part in listed for line in part.content.splitlines() if line.startswith("• ")]
    assert len(lines) == 20 and all("at fault: extend" in line for line in lines), "each whole, with what is likely"
    (waits,) = said(world.channel("directors"), "Round 2 is due but waits")
    assert "and 10 more" in waits.content and ":extend:" in custom_ids(waits)[0]
    assert [p for p in stored(world, Post) if p.state is PostState.STUCK] == []
