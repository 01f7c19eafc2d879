"""What is personal goes for good when somebody asks for it; the results stay under the Lichess name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engine.errors import NotAllowed, NotFound
from engine.model import (
    AccountChange,
    AccountCheck,
    Edition,
    Entrant,
    EntryState,
    Fact,
    Login,
    Match,
    MemberSeen,
    Note,
    Offer,
    Person,
    Post,
    PostState,
    Registration,
)
from engine.ports import Reader, Store
from engine.usecases.context import Actor, Desk, known_person, load_event, require_td
from engine.usecases.entries import DECIDABLE
from engine.usecases.posts import Outbox, card_key

ERASED = "[erased]"
"""What stands where a text was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Personal:
    """What is stored about somebody that an erasure takes: its kinds and how many of each. `name`: what stays.
    `is_playing`: in an event that is not over for them. `is_wiped`: no file holds what was erased, of anybody.
    """

    person: Person
    name: str
    notes: int
    logins: int
    checks: int
    messages: int
    is_playing: bool
    is_wiped: bool = True

    @property
    def nothing_left(self) -> bool:
        return self.person.discord_id is None and not (self.notes or self.logins or self.checks or self.messages)


@dataclass(frozen=True, slots=True)
class _Traces:
    """The rows behind `Personal`."""

    person: Person
    entries: tuple[Registration, ...]
    entrants: tuple[Entrant, ...]
    notes: tuple[Note, ...]
    logins: tuple[Login, ...]
    checks: tuple[AccountCheck, ...]
    changes: tuple[AccountChange, ...]
    posts: tuple[Post, ...]

    @property
    def name(self) -> str:
        """The newest Lichess name, as the results show it."""
        named = [entry.lichess_name for entry in self.entries] + [entrant.name for entrant in self.entrants]
        return named[-1] if named else ERASED


class Erasure:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def people(self, actor: Actor) -> list[tuple[int, str]]:
        """Whoever has entered on this server, newest first: (person id, Lichess name)."""

        def work(reader: Reader) -> list[tuple[int, str]]:
            require_td(reader, actor)
            entries = reader.find(Registration, edition_id=_editions(reader, actor.guild_id))
            return list({entry.person_id: entry.lichess_name for entry in reversed(entries)}.items())

        return await self._desk.db.read(work)

    async def show(self, actor: Actor, person_id: int) -> Personal:
        """NotFound("person"); NotAllowed("recused") for oneself."""
        found = await self._desk.db.read(lambda reader: self._personal(reader, self._find(reader, actor, person_id)))
        return replace(found, is_wiped=await self._desk.db.wipe()) if found.nothing_left else found

    async def erase(self, actor: Actor, person_id: int) -> Personal:
        """Takes it all away, also what Discord shows of it, and then wipes the file; what there was."""
        now = self._desk.clock.now()

        def work(store: Store) -> Personal:
            traces = self._find(store, actor, person_id)
            told = self._personal(store, traces)
            _erase(store, traces, now)
            _show_again(store, actor.guild_id, traces, now)
            return told

        told = await self._desk.db.erase(work)
        return replace(told, is_wiped=await self._desk.db.wipe())

    async def wipe(self) -> None:
        """What could not be wiped when it was erased."""
        await self._desk.db.wipe()

    def _find(self, reader: Reader, actor: Actor, person_id: int) -> _Traces:
        require_td(reader, actor)
        own = known_person(reader, actor)
        if own is not None and own.id == person_id:
            raise NotAllowed("recused", clause="R1.2", why="own_affair")
        person = reader.one(Person, id=person_id)
        editions = _editions(reader, actor.guild_id)
        entries = reader.find(Registration, person_id=person_id)
        if person is None or not any(entry.edition_id in editions for entry in entries):
            raise NotFound("person", id=person_id)
        rows = reader.find(Entrant, person_id=person_id)
        entrants = [load_event(reader, self._desk.folds, e.edition_id, keep=False).entrants[e.id] for e in rows]
        entry_ids, entrant_ids = [entry.id for entry in entries], [entrant.id for entrant in entrants]
        note_ids = sorted(set(_note_ids(reader, person, entries, entrant_ids)))
        return _Traces(
            person=person,
            entries=tuple(entries),
            entrants=tuple(entrants),
            notes=tuple(n for n in reader.find(Note, id=note_ids) if n.text != ERASED) if note_ids else (),
            logins=tuple(x for x in reader.find(Login, registration_id=entry_ids) if x.verifier),
            checks=tuple(x for x in reader.find(AccountCheck, registration_id=entry_ids) if x.progress),
            changes=tuple(x for x in reader.find(AccountChange, entrant_id=entrant_ids) if x.progress)
            if entrant_ids
            else (),
            posts=tuple(
                p
                for p in reader.find(Post, target=f"dm:{person_id}")
                if p.channel_id or p.state is not PostState.DROPPED
            ),
        )

    def _personal(self, reader: Reader, traces: _Traces) -> Personal:
        events = (load_event(reader, self._desk.folds, e.edition_id, keep=False) for e in traces.entrants)
        newest = max(_editions_of(reader, traces), default=0)
        return Personal(
            person=traces.person,
            name=traces.name,
            notes=len(traces.notes),
            logins=len(traces.logins),
            checks=len(traces.checks) + len(traces.changes),
            messages=len(traces.posts),
            is_playing=any(
                event.edition.id == newest and event.tournament.is_in(entrant.id)
                for event, entrant in zip(events, traces.entrants, strict=True)
            ),
        )


def _editions(reader: Reader, guild_id: int) -> list[int]:
    return [edition.id for edition in reader.find(Edition, guild_id=guild_id)]


def _editions_of(reader: Reader, traces: _Traces) -> Iterator[int]:
    """The newest edition of each server concerned is the one that runs."""
    guilds = {reader.get(Edition, entry.edition_id).guild_id for entry in traces.entries}
    for guild in guilds:
        yield max(_editions(reader, guild))


def _note_ids(
    reader: Reader, person: Person, entries: Sequence[Registration], entrant_ids: Sequence[int]
) -> Iterator[int]:
    """What the person wrote, and why it was decided about them alone. A reason that they wrote as a TD about somebody
    else is not theirs."""
    facts = {fact.id: fact for entry in entries for fact in reader.facts(entry.edition_id)}
    about_others = {
        fact.reason_note_id
        for fact in facts.values()
        if fact.author_id == person.id and fact.payload.get("entrant_id") not in entrant_ids
    }
    yield from (note.id for note in reader.find(Note, author_id=person.id) if note.id not in about_others)
    for entry in entries:
        about = (entry.reason_note_id, entry.vouch_note_id, entry.admin_note_id)
        yield from (note_id for note_id in about if note_id is not None)
    yield from (offer.note_id for offer in _offers(reader, entrant_ids) if offer.note_id is not None)
    for fact in facts.values():
        if _about(facts, fact) in entrant_ids and fact.reason_note_id is not None:
            yield fact.reason_note_id


def _about(facts: dict[int, Fact], fact: Fact) -> object:
    """The one entrant a fact is about, or the fact that it takes back."""
    while fact.reverts_id is not None and fact.reverts_id in facts:
        fact = facts[fact.reverts_id]
    return None if "match_id" in fact.payload else fact.payload.get("entrant_id")


def _offers(reader: Reader, entrant_ids: Sequence[int]) -> list[Offer]:
    return reader.find(Offer, entrant_id=list(entrant_ids)) if entrant_ids else []


def _erase(store: Store, traces: _Traces, now: datetime) -> None:
    for note in traces.notes:
        store.save(replace(note, text=ERASED))
    for login in traces.logins:
        store.save(replace(login, state=f"erased-{login.id}", verifier="", used_at=login.used_at or now, confirm=None))
    for check in (*traces.checks, *traces.changes):
        store.save(replace(check, progress={}, problem=None, finished_at=check.finished_at or now))
    for entry in traces.entries:
        waits = entry.state in (EntryState.UNPROVEN, *DECIDABLE)
        state = EntryState.WITHDRAWN if waits else entry.state
        store.save(replace(entry, state=state, flags=(), others=(), code=""))
    for entrant in traces.entrants:
        seen = store.one(MemberSeen, entrant_id=entrant.id)
        if seen is not None:
            store.save(replace(seen, gone_since=None))
    for post in traces.posts:
        done = replace(post, state=PostState.DROPPED, channel_id=None, message_id=None, problem=None)
        store.save(done)
    store.save(replace(traces.person, discord_id=None, name=traces.name, timezone=None, muted=()))


def _show_again(store: Store, guild_id: int, traces: _Traces, now: datetime) -> None:
    """Every message of ours that shows what is erased is edited."""
    outbox = Outbox(store, guild_id, now)
    for entry in traces.entries:
        if store.one(Post, key=f"entry:{entry.id}:card", guild_id=guild_id) is not None:
            outbox.entry_card(entry)
    note_ids = {note.id for note in traces.notes}
    entrant_ids = [entrant.id for entrant in traces.entrants]
    keys = {f"offers:{offer.id}" for offer in _offers(store, entrant_ids) if offer.note_id is not None}
    for entry in traces.entries:
        keys |= {f"ruling:{f.id}" for f in store.facts(entry.edition_id) if f.reason_note_id in note_ids}
    for match in store.find(Match, a_id=entrant_ids) + store.find(Match, b_id=entrant_ids) if entrant_ids else []:
        keys.add(card_key(match.id))
    keys |= {f"account-change:{change.id}" for change in traces.changes}
    for post in store.find(Post, guild_id=guild_id, key=sorted(keys)) if keys else []:
        if post.message_id is not None:
            outbox.owe(post.key, post.kind, post.target, **post.payload)
