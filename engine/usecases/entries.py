"""An entry once its account is proven: filed, checked, decided by the TDs (R2.6, R2.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from engine.accounts import holder_of
from engine.eligibility import (
    Estimate,
    Judgement,
    Known,
    Progress,
    Verdict,
    Word,
    begin,
    estimate,
    from_json,
    judge,
    to_json,
)
from engine.errors import BadInput, Conflict, NotAllowed, NotFound
from engine.model import (
    AccountCheck,
    Edition,
    EditionState,
    Entrant,
    EntryState,
    Note,
    Person,
    Proof,
    Registration,
)
from engine.ports import Reader, Store
from engine.rules import Ruleset
from engine.usecases.context import Actor, Desk, Event, current_edition, dates_of, load_event, person_of, require_td
from engine.usecases.posts import Outbox
from engine.usecases.schedule import late_entry_open

LIVE = (EntryState.PENDING, EntryState.FROZEN, EntryState.APPROVED)
"""Entries that count: one person has one, and so has one account."""
DECIDABLE = (EntryState.PENDING, EntryState.FROZEN)
LONGEST_REASON = 500
TOS_VIOLATION = "tos_violation"
"""The flag of an entry with an account that Lichess had marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a TD has written down about an entry."""

    text: str
    by: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """A registration with the people it concerns, and how far its check is. `judgement`: None for an entry from before
    there were checks, and for one whose evidence was erased. `rejected`: earlier entries of this person or with this
    account that were turned down, by name with the reason."""

    entry: Registration
    person: Person
    edition: Edition
    rules: Ruleset
    decided_by: Person | None = None
    reason: str | None = None
    check: AccountCheck | None = None
    judgement: Judgement | None = None
    remaining: Estimate | None = None
    vouched: Said | None = None
    admin: Said | None = None
    rejected: tuple[tuple[str, Said], ...] = ()

    @property
    def is_clear(self) -> bool:
        """Every check is passed and nobody was turned down before, so that an approval needs no reason (R2.8)."""
        return not self.rejected and (self.judgement is None or self.judgement.verdict is Verdict.PASS)


def file_entry(store: Store, edition: Edition, entry: Registration, proof: Proof, now: datetime) -> Registration:
    """The account is proven: the entry is for the TDs, and its check begins. A second account of one person, or a
    second person with one account, freezes every entry concerned (R2.6)."""
    live = store.find(Registration, edition_id=edition.id, state=LIVE)
    others = [o for o in live if entry.person_id == o.person_id or entry.lichess_id == o.lichess_id]
    state = EntryState.FROZEN if others else EntryState.PENDING
    known = _with_proven(store, entry)
    entry = store.save(replace(entry, state=state, proof=proof, proven_at=now, others=known))
    progress = begin(entry.lichess_id, entry.others)
    store.add(AccountCheck(registration_id=entry.id, progress=to_json(progress), started_at=now))
    outbox = Outbox(store, edition.guild_id, now)
    for other in others:
        if edition.state is not EditionState.CLOSED or other.state is not EntryState.APPROVED:  # not an entrant
            outbox.entry_card(store.save(replace(other, state=EntryState.FROZEN)))
            if other.person_id != entry.person_id:
                outbox.entry_frozen(other, entry)
    if others:
        ids = [entry.id, *(other.id for other in others)]
        outbox.td(f"entry:{entry.id}:second", "second_account", edition_id=edition.id, registration_ids=ids)
    outbox.entry_card(entry)
    return entry


def _with_proven(reader: Reader, entry: Registration) -> tuple[str, ...]:
    """R2.3: a mark on any account of the person counts, so those that they have proven or named before, in whatever
    entry, are named too."""
    named = {name.lower(): name for name in entry.others}
    guild_id = reader.get(Edition, entry.edition_id).guild_id
    here = [edition.id for edition in reader.find(Edition, guild_id=guild_id)]
    for mine in reader.find(Registration, person_id=entry.person_id, edition_id=here):
        before = ([mine.lichess_name] if mine.proof is not None else []) + list(mine.others if mine.proof else ())
        for name in before:
            named.setdefault(name.lower(), name)
    named.pop(entry.lichess_id, None)
    return tuple(named.values())


class Entries:
    """What TDs do about entries (R2.8)."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def decide(
        self, actor: Actor, registration_id: int, *, approve: bool, reason: str | None = None
    ) -> EntryView:
        """A TD's word on an entry. The first decision stands; a rejection needs a reason, and so does an approval
        unless every check is passed: BadInput("reason_needed").

        NotFound("registration"), NotAllowed `own_entry`, `entry_beside_own`, Conflict `entry_decided`,
        `second_entry_live`, `registration_already_closed`.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> EntryView:
            require_td(store, actor)
            view = self._decidable(store, actor, registration_id)
            entry, edition, td = view.entry, view.edition, person_of(store, actor)
            if approve:
                self._refuse_approval(store, view)
            optional = approve and view.is_clear and not (reason or "").strip()
            note = None if optional else write_note(store, actor, edition.id, reason or "", now)
            entry = store.save(
                replace(
                    entry,
                    state=EntryState.APPROVED if approve else EntryState.REJECTED,
                    decided_at=now,
                    decided_by=td.id,
                    reason_note_id=note.id if note else None,
                )
            )
            if approve and edition.state is EditionState.CLOSED:
                _enter_late(store, entry)
            outbox = Outbox(store, actor.guild_id, now)
            outbox.entry_card(entry)
            outbox.entry_decided(entry)
            return load_entry(store, entry.id)

        return await self._desk.db.write(work)

    async def admin_says(self, actor: Actor, registration_id: int, word: Word, reason: str) -> EntryView:
        """R2.8: a TD writes down what a Lichess admin has said of the player, and where; the newest word holds.

        BadInput("reason_needed"); else as `review`.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> EntryView:
            require_td(store, actor)
            entry = self._decidable(store, actor, registration_id).entry
            note = write_note(store, actor, entry.edition_id, reason, now)
            entry = store.save(replace(entry, admin_word=word, admin_note_id=note.id))
            Outbox(store, actor.guild_id, now).entry_card(entry)
            return load_entry(store, entry.id)

        return await self._desk.db.write(work)

    async def review(self, actor: Actor, registration_id: int) -> EntryView:
        """An entry as a TD sees it before a decision; errors as `decide`."""

        def work(reader: Reader) -> EntryView:
            require_td(reader, actor)
            return self._decidable(reader, actor, registration_id)

        return await self._desk.db.read(work)

    async def show(self, actor: Actor, registration_id: int) -> EntryView:
        """Any entry of the server that is filed. NotFound("registration")."""

        def work(reader: Reader) -> EntryView:
            require_td(reader, actor)
            return load_entry(reader, filed_entry(reader, actor, registration_id).id)

        return await self._desk.db.read(work)

    async def all(self, actor: Actor) -> list[EntryView]:
        """Every entry of the edition that is filed, those that wait first, oldest first."""

        def work(reader: Reader) -> list[EntryView]:
            require_td(reader, actor)
            edition = current_edition(reader, actor.guild_id)
            filed = [e for e in reader.find(Registration, edition_id=edition.id) if e.state is not EntryState.UNPROVEN]
            return [load_entry(reader, e.id) for e in sorted(filed, key=lambda e: (e.state not in DECIDABLE, e.id))]

        return await self._desk.db.read(work)

    def _decidable(self, reader: Reader, actor: Actor, registration_id: int) -> EntryView:
        entry = filed_entry(reader, actor, registration_id)
        view = load_entry(reader, registration_id)
        refuse_own(reader, actor, view)
        if entry.state not in DECIDABLE:
            raise Conflict("entry_decided", name=entry.lichess_name, state=entry.state)
        return view

    def _refuse_approval(self, reader: Reader, view: EntryView) -> None:
        """R2.6: at most one entry of a person or an account comes in, so all others are turned down first."""
        entry, edition = view.entry, view.edition
        event = load_event(reader, self._desk.folds, edition.id, keep=False)
        refuse_held(event, entry.lichess_id, entry.person_id)
        if edition.state is EditionState.CLOSED and not late_entry_open(event):
            raise Conflict("late_entries_over", title=edition.title)
        for other in reader.find(Registration, edition_id=edition.id, state=LIVE):
            if other.id != entry.id and (other.person_id == entry.person_id or other.lichess_id == entry.lichess_id):
                raise Conflict("second_entry_live", clause="R2.6", name=other.lichess_name)


def refuse_held(event: Event, lichess_id: str, person_id: int | None) -> None:
    """R2.6: an account that an entrant plays with, or has played with, is theirs. Conflict("account_of_another")."""
    holder = holder_of(lichess_id, event.entered.values(), event.tournament.accounts)
    if holder is not None and holder.person_id != person_id:
        raise Conflict("account_of_another", clause="R2.6", name=lichess_id, by=event.name(holder.id))


def write_note(store: Store, actor: Actor, edition_id: int, text: str, now: datetime) -> Note:
    """BadInput `reason_needed` for an empty one, `reason_too_long`."""
    if not (text := text.strip()):
        raise BadInput("reason_needed")
    if len(text) > LONGEST_REASON:
        raise BadInput("reason_too_long", given=len(text), most=LONGEST_REASON)
    return store.add(Note(edition_id=edition_id, author_id=person_of(store, actor).id, text=text, made_at=now))


def filed_entry(reader: Reader, actor: Actor, registration_id: int) -> Registration:
    """An entry of this server that is more than begun. NotFound("registration")."""
    entry = reader.one(Registration, id=registration_id)
    filed = entry is not None and entry.state is not EntryState.UNPROVEN
    if entry is None or not filed or reader.get(Edition, entry.edition_id).guild_id != actor.guild_id:
        raise NotFound("registration", id=registration_id)
    return entry


def refuse_own(reader: Reader, actor: Actor, view: EntryView) -> None:
    """R1.2, Q54: no TD decides the own entry, nor one with an account that they have entered themselves (R2.6)."""
    if view.person.discord_id == actor.discord_id:
        raise NotAllowed("own_entry", clause="R1.2")
    person = reader.one(Person, discord_id=actor.discord_id)
    rivals = reader.find(Registration, edition_id=view.edition.id, lichess_id=view.entry.lichess_id)
    if person is not None and any(rival.person_id == person.id for rival in rivals):
        raise NotAllowed("entry_beside_own", clause="R1.2", name=view.entry.lichess_name)


def load_entry(reader: Reader, registration_id: int) -> EntryView:
    entry = reader.get(Registration, registration_id)
    edition = reader.get(Edition, entry.edition_id)
    rules = rules_of(edition)
    check = reader.one(AccountCheck, registration_id=entry.id)
    progress = progress_of(check) if check and check.progress else None
    known = known_of(entry)
    return EntryView(
        entry=entry,
        person=reader.get(Person, entry.person_id),
        edition=edition,
        rules=rules,
        decided_by=reader.get(Person, entry.decided_by) if entry.decided_by else None,
        reason=reader.get(Note, entry.reason_note_id).text if entry.reason_note_id else None,
        check=check,
        judgement=judge(rules, progress, known) if progress else None,
        remaining=estimate(rules, progress, known) if progress else None,
        vouched=_said(reader, entry.vouch_note_id),
        admin=_said(reader, entry.admin_note_id),
        rejected=tuple(_rejected_before(reader, entry)),
    )


def _rejected_before(reader: Reader, entry: Registration) -> Iterator[tuple[str, Said]]:
    for other in reader.find(Registration, edition_id=entry.edition_id, state=EntryState.REJECTED):
        concerned = other.person_id == entry.person_id or other.lichess_id == entry.lichess_id
        filed, decided = entry.proven_at, other.decided_at
        before = other.id != entry.id and (filed is None or (decided is not None and decided <= filed))
        said = _said(reader, other.reason_note_id) if concerned and before else None
        if said is not None:
            yield other.lichess_name, said


def _said(reader: Reader, note_id: int | None) -> Said | None:
    note = reader.get(Note, note_id) if note_id is not None else None
    return Said(text=note.text, by=reader.get(Person, note.author_id)) if note and note.author_id else None


def rules_of(edition: Edition) -> Ruleset:
    """The rules of an edition with its own dates in them."""
    return dates_of(edition).ruleset


def known_of(entry: Registration) -> Known:
    """What Lichess does not show (R2.6, R2.8)."""
    word = Word(entry.admin_word) if entry.admin_word is not None else None
    return Known(second_account=entry.state is EntryState.FROZEN, admin=word)


def progress_of(check: AccountCheck) -> Progress:
    return from_json(check.progress)


def is_marked(progress: Mapping[str, Any]) -> bool:
    """Whether the account was marked when its stored check looked at it."""
    profile = progress.get("profile")
    return bool(profile and profile["marked"])


def _enter_late(store: Store, entry: Registration) -> Entrant:
    """Q44g: seed n+1, nobody is renumbered; the rounds that were missed stay absent."""
    seeds = [entrant.seed for entrant in store.find(Entrant, edition_id=entry.edition_id)]
    return store.add(
        Entrant(
            edition_id=entry.edition_id,
            person_id=entry.person_id,
            lichess_id=entry.lichess_id,
            name=entry.lichess_name,
            seed=max(seeds, default=0) + 1,
            rating=entry.rating,
            games=entry.games,
        )
    )
