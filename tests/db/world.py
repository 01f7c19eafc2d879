"""A small stored world, and for each kind one more value that could be added to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from db.unit_of_work import SqlStore
from engine.model import (
    AccountChange,
    AccountCheck,
    AccountSeen,
    Authority,
    Dispute,
    DisputeCause,
    Edition,
    Entrant,
    EntryState,
    Fact,
    GameLine,
    Login,
    Match,
    MemberSeen,
    Note,
    Occurrence,
    Offer,
    Person,
    Post,
    Proof,
    Registration,
    Report,
    Round,
    Server,
    Stage,
)
from engine.sealed import SealedBid, SealedThrow
from engine.timers import Timer, TimerEnd, TimerKind

NOW = datetime(2023, 3, 21, 12, 0, tzinfo=UTC)
GUILD = 1_098_765_432_109_876_543


@dataclass(frozen=True, slots=True)
class World:
    edition: Edition
    people: tuple[Person, ...]
    entrants: tuple[Entrant, ...]
    round: Round
    match: Match
    note: Note
    fact: Fact
    entry: Registration


def edition(key: str = "2023", guild_id: int = GUILD) -> Edition:
    return Edition(guild_id=guild_id, key=key, title="Cup", ruleset="[x]", starts=date(2023, 3, 19), created_at=NOW)


def entrant(edition_id: int, person: Person, seed: int) -> Entrant:
    return Entrant(
        edition_id=edition_id, person_id=person.id, lichess_id=person.name.lower(), name=person.name, seed=seed
    )


def registration(edition_id: int, person_id: int, lichess_id: str, state: EntryState) -> Registration:
    return Registration(
        edition_id=edition_id,
        person_id=person_id,
        lichess_id=lichess_id,
        lichess_name=lichess_id.title(),
        state=state,
        flags=("young", "few games"),
        created_at=NOW,
    )


def fact(edition_id: int, **changes: object) -> Fact:
    plain = Fact(
        edition_id=edition_id,
        kind="round_closed",
        payload={"round_id": 1},
        authority=Authority.SYSTEM,
        occurred_at=NOW,
        recorded_at=NOW,
    )
    return replace(plain, **changes)


def post(key: str = "match:17:card", **changes: object) -> Post:
    plain = Post(guild_id=GUILD, key=key, kind="match_card", target="thread:17", payload={"match": 17}, created_at=NOW)
    return replace(plain, **changes)


def occurrence(edition_id: int, key: str = "2023:qualification:r3:publish") -> Occurrence:
    return Occurrence(edition_id=edition_id, key=key, due_at=NOW, settled_at=NOW + timedelta(seconds=3))


def build(store: SqlStore) -> World:
    """An edition with three people, two of them entrants with one match."""
    event = store.add(edition())
    people = tuple(
        store.add(Person(discord_id=GUILD + n, name=name)) for n, name in enumerate(("Alice", "Bob", "Carol"))
    )
    entrants = tuple(store.add(entrant(event.id, person, seed)) for seed, person in enumerate(people[:2], start=1))
    first = store.add(
        Round(
            edition_id=event.id,
            stage=Stage.QUALIFICATION,
            number=1,
            published_at=NOW,
            offers_by=NOW + timedelta(days=4),
            matches_by=NOW + timedelta(days=7),
        )
    )
    match = store.add(Match(edition_id=event.id, round_id=first.id, board=1, a_id=entrants[0].id, b_id=entrants[1].id))
    note = store.add(Note(edition_id=event.id, author_id=people[0].id, text="agreed in the thread", made_at=NOW))
    entry = store.add(registration(event.id, people[0].id, "alice", EntryState.WITHDRAWN))
    return World(event, people, entrants, first, match, note, store.append(fact(event.id)), entry)


def one_more_of_each(world: World) -> list[object]:
    """A further value of every kind that the world has room for, each optional reference filled in."""
    event, match, note = world.edition.id, world.match, world.note
    person = world.people[2]
    return [
        Server(guild_id=GUILD, td_role_id=GUILD + 9, channels={"pairings": GUILD + 10}),
        Person(discord_id=None, name="Dave", timezone="Europe/Berlin"),
        edition("2024"),
        replace(
            registration(event, person.id, "carol", EntryState.REJECTED),
            others=("carol2",),
            code="acwc-abc",
            proof=Proof.BIO,
            proven_at=NOW,
            decided_at=NOW,
            decided_by=person.id,
            reason_note_id=note.id,
        ),
        AccountCheck(
            registration_id=world.entry.id,
            progress={"games": 3, "until": None},
            problem="lichess_down",
            started_at=NOW,
            finished_at=NOW,
        ),
        Login(
            handle="alice",
            registration_id=world.entry.id,
            state="s",
            verifier="v",
            created_at=NOW,
            expires_at=NOW + timedelta(minutes=10),
            used_at=NOW,
        ),
        entrant(event, person, 3),
        AccountSeen(entrant_id=match.a_id, lichess_id="alice", name="Alice", marked=False, closed=True, seen_at=NOW),
        MemberSeen(entrant_id=match.a_id, gone_since=NOW, seen_at=NOW),
        AccountChange(
            edition_id=event,
            entrant_id=match.a_id,
            lichess_id="alice2",
            name="Alice2",
            asked_by=person.id,
            progress={"games": 3},
            problem="lichess_down",
            started_at=NOW,
            finished_at=NOW,
        ),
        replace(world.round, id=0, number=2),
        replace(match, id=0, board=2, agreed_at=NOW, thread_id=GUILD + 11),
        Offer(match_id=match.id, entrant_id=match.a_id, starts_at=NOW, ends_at=NOW + timedelta(hours=6), made_at=NOW),
        Dispute(edition_id=event, match_id=match.id, cause=DisputeCause.NO_AGREEMENT, opened_at=NOW),
        Timer(
            match_id=match.id,
            entrant_id=match.a_id,
            kind=TimerKind.ABSENT,
            agreed_at=NOW,
            called_at=NOW + timedelta(minutes=1),
            runs_from=NOW + timedelta(minutes=2),
            evidence={"games_read": True, "online": [match.a_id]},
            outcome=TimerEnd.PLAYED,
            decided_at=NOW + timedelta(minutes=9),
        ),
        Report(match_id=match.id, entrant_id=match.b_id, first_game_id="abcdefgh", made_at=NOW),
        GameLine(match_id=match.id, game_id="abcdefgh", line='{"id":"abcdefgh"}', received_at=NOW),
        SealedBid(match_id=match.id, entrant_id=match.a_id, tied_at=NOW, seconds=105, made_at=NOW),
        SealedThrow(match_id=match.id, entrant_id=match.a_id, tied_at=NOW, number=1, hand="rock", made_at=NOW),
        Note(edition_id=event, author_id=None, text="a reason", made_at=NOW),
        fact(
            event,
            payload={"pairs": [{"a": 1}]},
            author_id=person.id,
            reason_note_id=note.id,
            reverts_id=world.fact.id,
            replaces_id=world.fact.id,
        ),
        post(not_before=NOW, message_id=GUILD + 12),
        occurrence(event),
    ]
