"""Everything that is stored about one person, whatever they are to the bot: player, TD, or neither."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.model import (
    AccountChange,
    AccountCheck,
    Edition,
    Entrant,
    EntryState,
    Fact,
    Login,
    MemberSeen,
    Note,
    Offer,
    Person,
    Post,
    PostState,
    Registration,
)
from engine.ports import Reader
from engine.usecases.context import Folds, load_event
from engine.usecases.entries import DECIDABLE

ERASED = "[erased]"
"""What stands where a text or a name was."""


@dataclass(frozen=True, slots=True)
class Traces:
    """The rows about a person. `editions`: which they have entered, or in which they have decided something.

    `notes`, `logins`, `checks`, `changes` and `posts`: those that an erasure has to empty.
    """

    person: Person
    editions: tuple[Edition, ...]
    entries: tuple[Registration, ...]
    entrants: tuple[Entrant, ...]
    seen: tuple[MemberSeen, ...]
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

    @property
    def no_entrants(self) -> tuple[Registration, ...]:
        """The entries that may still become one: those that wait, and those that are approved before the seeds."""
        made = {entrant.edition_id for entrant in self.entrants}
        return tuple(
            entry
            for entry in self.entries
            if entry.state in (EntryState.UNPROVEN, *DECIDABLE)
            or (entry.state is EntryState.APPROVED and entry.edition_id not in made)
        )


def find_traces(reader: Reader, folds: Folds, person: Person) -> Traces:
    entries = reader.find(Registration, person_id=person.id)
    rows = reader.find(Entrant, person_id=person.id)
    entrants = [load_event(reader, folds, row.edition_id, keep=False).entrants[row.id] for row in rows]
    entry_ids, entrant_ids = [entry.id for entry in entries], [row.id for row in rows]
    edition_ids = _edition_ids(reader, person, entries)
    note_ids = sorted(_note_ids(reader, person, edition_ids, entrant_ids))
    logins = reader.find(Login, registration_id=entry_ids) if entries else []
    checks = reader.find(AccountCheck, registration_id=entry_ids) if entries else []
    changes = reader.find(AccountChange, entrant_id=entrant_ids) if rows else []
    posts = reader.find(Post, target=f"dm:{person.id}")
    return Traces(
        person=person,
        editions=tuple(reader.find(Edition, id=edition_ids)) if edition_ids else (),
        entries=tuple(entries),
        entrants=tuple(entrants),
        seen=tuple(reader.find(MemberSeen, entrant_id=entrant_ids)) if rows else (),
        notes=tuple(n for n in reader.find(Note, id=note_ids) if n.text != ERASED) if note_ids else (),
        logins=tuple(login for login in logins if login.verifier or login.lichess_id or login.confirm),
        checks=tuple(check for check in checks if check.progress),
        changes=tuple(change for change in changes if change.progress),
        posts=tuple(post for post in posts if post.channel_id or post.state is not PostState.DROPPED),
    )


def _offers(reader: Reader, entrant_ids: Sequence[int]) -> list[Offer]:
    return reader.find(Offer, entrant_id=list(entrant_ids)) if entrant_ids else []


def _edition_ids(reader: Reader, person: Person, entries: Sequence[Registration]) -> list[int]:
    """On whatever server: somebody may direct an edition that they have never entered."""
    found = {entry.edition_id for entry in entries}
    found |= {note.edition_id for note in reader.find(Note, author_id=person.id)}
    found |= {fact.edition_id for fact in reader.find(Fact, author_id=person.id)}
    found |= {entry.edition_id for entry in reader.find(Registration, decided_by=person.id)}
    found |= {change.edition_id for change in reader.find(AccountChange, asked_by=person.id)}
    return sorted(found)


def _note_ids(reader: Reader, person: Person, edition_ids: Sequence[int], entrant_ids: Collection[int]) -> set[int]:
    """What the person wrote, and why it was decided about them; but no reason that concerns anybody else too."""
    theirs: set[int | None] = {note.id for note in reader.find(Note, author_id=person.id)}
    theirs |= {offer.note_id for offer in _offers(reader, sorted(entrant_ids))}
    of_others: set[int | None] = set()
    for edition_id in edition_ids:
        facts = {fact.id: fact for fact in reader.facts(edition_id)}
        for fact in facts.values():
            about_them = _about(facts, fact) in entrant_ids
            (theirs if about_them else of_others).add(fact.reason_note_id)
        for entry in reader.find(Registration, edition_id=edition_id):
            about_them = entry.person_id == person.id
            reasons = (entry.reason_note_id, entry.vouch_note_id, entry.admin_note_id)
            (theirs if about_them else of_others).update(reasons)
    return {note_id for note_id in theirs - of_others if note_id is not None}


def _about(facts: Mapping[int, Fact], fact: Fact) -> object:
    """The one entrant a fact is about, or the fact that it takes back; None for a match, which is about two."""
    while fact.reverts_id is not None and fact.reverts_id in facts:
        fact = facts[fact.reverts_id]
    return None if "match_id" in fact.payload else fact.payload.get("entrant_id")
