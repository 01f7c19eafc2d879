"""`/match show`: what happened about the time of a match, for players, TDs and onlookers; and a dispute's evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from cogs.render.message import TEXT_LIMIT
from cogs.render.timeline import EVIDENCE_ROOM, MORE, evidence, lasting
from engine.facts import FaultFound, MatchExtended, Reverted, TimeSet, encode, kind_of
from engine.model import Authority, Dispute, DisputeCause, Entrant, Fact, Note, Offer, OfferState, Person
from engine.usecases.context import load_event
from engine.usecases.evidence import Dossier, dossier
from tests.cogs.first_round import PUBLISHED
from tests.world import World, custom_ids, text_of

DEADLINE = datetime(2026, 3, 28, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
MATCH = 1
"""anna–carl."""


async def show(world: World, name: str, **options: int) -> str:
    return text_of(await world.slash(world.person(name), "match show", **options))


def history(text: str) -> list[str]:
    """The lines of what happened, without their marks."""
    part = text.split("**What happened** (UTC)\n")[1].split("\n\n")[0]
    return [line.removeprefix("• ") for line in part.splitlines()]


def answers(text: str) -> list[str]:
    _, heading, lines = text.partition("(§5.7: preferably within 24 h)\n")
    assert heading, text
    return lines.splitlines()


async def choices(world: World, name: str, typed: str = "") -> list[str]:
    found = await world.person(name).autocomplete(world.lobby, "match show", "match", typed)
    return [choice["name"] for choice in found]


def store(world: World, *values: object) -> list[object]:
    return world.parts.db.write_sync(lambda s: [s.append(v) if isinstance(v, Fact) else s.add(v) for v in values])


def entrants(world: World) -> dict[str, Entrant]:
    return {entrant.name: entrant for entrant in world.parts.db.read_sync(lambda r: r.find(Entrant))}


def look(world: World) -> Dossier:
    def work(reader):
        event = load_event(reader, world.parts.app.desk.folds, 1)
        return dossier(reader, event, event.matches[MATCH], world.clock.now())

    return world.parts.db.read_sync(work)


def fact(event, at: datetime, *, recorded: datetime | None = None, **more) -> Fact:
    return Fact(
        edition_id=1,
        kind=kind_of(event),
        payload=encode(event),
        authority=more.pop("authority", Authority.TD),
        occurred_at=at,
        recorded_at=recorded or at,
        **more,
    )


# --- The real bot -------------------------------------------------------------------------------------------------


async def test_r5_7_a_negotiation_as_the_players_made_it(event: World) -> None:
    await event.move(hours=1)
    await event.slash(event.people["anna"], "offer", times="Sat 18:00, Sun 29 9:00-11:00")
    await event.move(hours=2)
    await event.slash(event.people["anna"], "retract", offer=1)
    await event.move(hours=3)
    await event.slash(event.people["carl"], "offer", times="Thu 18:00")
    await event.move(hours=25)
    await event.slash(event.people["carl"], "accept", offer=2, time="9:30")
    text = await show(event, "anna")
    assert text.startswith("## Round 1: anna – carl")
    assert "**Agreed: Sun 29 Mar 09:30 UTC" in text
    assert history(text) == [
        "Sun 22 Mar 12:00 · pairing published",
        "Sun 22 Mar 13:00 · anna offered Sat 28 Mar 18:00, Sun 29 Mar 09:00–11:00",
        "Sun 22 Mar 15:00 · anna retracted Sat 28 Mar 18:00",
        "Sun 22 Mar 18:00 · carl offered Thu 26 Mar 18:00",
        "Mon 23 Mar 19:00 · carl accepted Sun 29 Mar 09:30 (of Sun 29 Mar 09:00–11:00)",
    ]
    assert answers(text) == ["• anna: nothing to answer", "• carl: answered once, after 5 h"]
    brief = evidence(look(event))
    assert MORE not in brief and history("\n".join(brief)) == history(text)


async def test_r5_7_not_yet_answered_and_then_not_by_the_deadline(event: World) -> None:
    await event.move_to(DEADLINE - timedelta(hours=31))
    await event.slash(event.people["anna"], "offer", times="Sat 18:00")
    await event.move_to(DEADLINE - MINUTE)
    said = answers(await show(event, "carl"))
    assert said[1] == "• carl: not yet answered for 30 h, since Thu 26 Mar 17:00"
    await event.jump_to(DEADLINE + 10 * HOUR)
    dossier = look(event)
    text = "\n".join(evidence(dossier))
    assert "Fri 27 Mar 23:59 · offer deadline; offers that counted: anna 1 of 3, carl 0 of 3" in history(text)
    late = "• carl: an offer of Thu 26 Mar 17:00 not answered by the offer deadline, 31 h later"
    assert late in text.splitlines()


async def test_everybody_sees_every_match_privately_and_only_its_players_get_buttons(event: World) -> None:
    await event.slash(event.people["anna"], "offer", times="Sat 18:00")
    posted = [len(thread.history()) for thread in event.threads.values()]
    for name in ("onlooker", "bob", "td"):
        answer = await event.slash(event.person(name), "match show", match=MATCH)
        assert answer.response.ephemeral and "anna offered Sat 28 Mar 18:00" in text_of(answer)
        assert not custom_ids(answer.response)
    answer = await event.slash(event.people["carl"], "match show")
    assert "acwc:1:accept:1" in custom_ids(answer.response)
    assert [len(thread.history()) for thread in event.threads.values()] == posted
    for name in ("onlooker", "td"):
        assert await show(event, name) == (
            "You play no match yourself. Say which one with `match:`; the list finds it by a name."
        )
    assert "There is no such match" in await show(event, "onlooker", match=99)


# --- Choosing a match ---------------------------------------------------------------------------------------------


async def test_the_list_has_all_matches_ones_own_first_then_the_newest(event: World) -> None:
    first = ["R1 · anna – carl", "R1 · bob – dora"]
    assert await choices(event, "td") == await choices(event, "onlooker") == await choices(event, "anna") == first
    assert await choices(event, "dora") == first[::-1]
    assert await choices(event, "td", "CARL anna") == first[:1]
    assert await choices(event, "td", first[1]) == first[1:]
    assert await choices(event, "td", "r2") == []
    for offer, (a, b) in enumerate((("anna", "carl"), ("bob", "dora")), start=1):
        await event.slash(event.people[a], "offer", times="Mon 23 18:00")
        await event.slash(event.people[b], "accept", offer=offer)
        event.lichess.play_match(a, b, PUBLISHED + 30 * HOUR, "aaaaaa")
    await event.move(hours=31)
    for name in ("carl", "dora"):
        await event.slash(event.people[name], "report")
    # Without a match: the newest of one's own, as none is open.
    assert history(await show(event, "anna"))[-1] == "Mon 23 Mar 19:00 · result: anna 6–0 carl (by carl)"
    await event.move_to(datetime(2026, 3, 31, 12, 0, tzinfo=UTC))
    assert [name[:2] for name in await choices(event, "td")] == ["R2", "R2", "R1", "R1"]
    own = [("anna" in name, name[:2]) for name in await choices(event, "anna")]
    assert own == [(True, "R2"), (True, "R1"), (False, "R2"), (False, "R1")]
    assert not any("offer deadline" in line for line in history(await show(event, "td", match=MATCH)))


async def test_before_setup_there_is_nothing_to_choose(empty: World) -> None:
    assert await choices(empty, "x") == []


# --- What is stored otherwise -------------------------------------------------------------------------------------


async def test_r5_10_rulings_are_told_and_what_was_taken_back_is_struck_out(event: World) -> None:
    anna, carl = (entrants(event)[name].id for name in ("anna", "carl"))
    judged = fact(FaultFound(MATCH, (carl,)), DEADLINE, recorded=DEADLINE + 30 * HOUR, authority=Authority.SYSTEM)
    (judged,) = store(event, judged)
    assert isinstance(judged, Fact)
    moved = Offer(
        match_id=MATCH,
        entrant_id=anna,
        starts_at=DEADLINE + 61 * HOUR,
        made_at=DEADLINE + 35 * HOUR,
        state=OfferState.ACCEPTED,
        changed_at=DEADLINE + 36 * HOUR,
        moves=True,
    )
    store(
        event,
        fact(Reverted(), DEADLINE + 31 * HOUR, reverts_id=judged.id),
        fact(MatchExtended(MATCH, datetime(2026, 4, 7, tzinfo=UTC)), DEADLINE + 32 * HOUR),
        fact(TimeSet(MATCH, DEADLINE + 60 * HOUR, None), DEADLINE + 33 * HOUR),
        Dispute(edition_id=1, match_id=MATCH, cause=DisputeCause.NO_AGREEMENT, opened_at=DEADLINE + 34 * HOUR),
        moved,
    )
    await event.jump_to(DEADLINE + 40 * HOUR)
    assert history("\n".join(evidence(look(event))))[1:] == [
        "Fri 27 Mar 23:59 · offer deadline; offers that counted: anna 0 of 3, carl 0 of 3",
        "Sat 28 Mar 00:00 · ~~at fault for having no time: carl (recorded Sun 29 Mar 06:00)~~",
        "Sun 29 Mar 07:00 · taken back (by a TD): at fault for having no time: carl",
        "Sun 29 Mar 08:00 · extended until Mon 6 Apr 23:59 (by a TD)",
        "Sun 29 Mar 09:00 · time set to Mon 30 Mar 12:00 (by a TD)",
        "Sun 29 Mar 10:00 · dispute opened: no time is agreed, and nobody is at fault by the offers (§5.8)",
        "Sun 29 Mar 11:00 · anna proposed to move it to Mon 30 Mar 13:00",
        "Sun 29 Mar 12:00 · carl agreed to move it to Mon 30 Mar 13:00",
    ]


async def test_notes_are_shown_as_text_once_and_what_was_erased_is_gone(event: World) -> None:
    anna = entrants(event)["anna"]
    wild = "@everyone **look** <@1>\n# [x](https://example.org) `code`"
    notes = store(event, *(Note(edition_id=1, author_id=None, text=t, made_at=PUBLISHED) for t in (wild, "")))
    for note, hour in zip(notes, (1, 2), strict=True):
        assert isinstance(note, Note)
        made = {"match_id": MATCH, "entrant_id": anna.id, "made_at": PUBLISHED + hour * HOUR, "note_id": note.id}
        store(event, *(Offer(starts_at=DEADLINE + n * HOUR, **made) for n in (1, 2)))
    event.parts.db.write_sync(lambda s: s.save(replace(s.get(Person, anna.person_id), discord_id=None)))
    await event.move(hours=3)
    text = await show(event, "onlooker", match=MATCH)
    with_note, erased = history(text)[1:]
    quoted = with_note.split(" “")[1]
    assert with_note.count("“") == 1 and "\\*\\*look\\*\\*" in quoted
    assert "@everyone" not in quoted and "<@1>" not in quoted and "://" not in quoted
    assert erased.endswith("anna offered Sat 28 Mar 01:00, Sat 28 Mar 02:00")


# --- Much -----------------------------------------------------------------------------------------------------------


async def test_forty_offers_come_in_parts_and_as_evidence_what_is_newest(event: World) -> None:
    """Each with a note of the greatest length, some retracted."""
    players = entrants(event)
    for n in range(40):
        (note,) = store(event, Note(edition_id=1, author_id=None, text="_*" * 100, made_at=PUBLISHED))
        assert isinstance(note, Note)
        made = PUBLISHED + n * HOUR
        gone = n % 3 == 0
        one = Offer(
            match_id=MATCH,
            entrant_id=players["anna" if n % 2 else "carl"].id,
            starts_at=DEADLINE + n * HOUR,
            made_at=made,
            state=OfferState.RETRACTED if gone else OfferState.OPEN,
            changed_at=made + MINUTE if gone else None,
            note_id=note.id,
        )
        store(event, one)
    await event.jump_to(PUBLISHED + 41 * HOUR)
    answer = await event.slash(event.people["bob"], "match show", match=MATCH)
    parts = [answer.response, *answer.followups]
    assert len(parts) > 2 and all(len(part.content) <= TEXT_LIMIT for part in parts)
    text = text_of(answer)
    assert text.count(" offered ") == 40 and text.count(" retracted ") == 14
    assert text.count("\\_\\*" * 100) == 40
    seen = look(event)
    whole = evidence(seen, 10**6)
    assert MORE not in whole
    for room in (EVIDENCE_ROOM, 1800, 700):
        lines = evidence(seen, room)
        assert sum(len(line) + 1 for line in lines) <= room
        shown = lines[lines.index(MORE) + 1 :]
        assert lines[0].startswith("**Answers to offers**") and shown and shown == whole[-len(shown) :]


def test_how_long() -> None:
    spans = {0.5: "under 1 min", 12: "12 min", 60: "1 h", 310: "5 h 10 min", 24 * 60 + 59: "24 h", 31 * 60: "31 h"}
    assert {minutes: lasting(minutes * MINUTE) for minutes in spans} == spans
