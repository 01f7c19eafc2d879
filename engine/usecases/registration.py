"""R2: from `/register` to a director's decision."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.errors import BadInput, Conflict, NotAllowed, NotFound, RuleViolation
from engine.model import Edition, EditionState, Entrant, EntryState, Note, Person, Registration
from engine.ports import Account, Reader, Store
from engine.rules import EditionDates, Ruleset, dates_for
from engine.usecases.context import (
    Actor,
    Desk,
    current_edition,
    known_person,
    load_event,
    person_of,
    require_td,
    ruleset_of,
    server_of,
)
from engine.usecases.posts import Outbox
from engine.usecases.schedule import late_entry_open

ACTIVE = (EntryState.PENDING, EntryState.APPROVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """A registration with the people it concerns."""

    entry: Registration
    person: Person
    edition: Edition
    rules: Ruleset
    decided_by: Person | None = None
    reason: str | None = None


class Registrations:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def register(self, actor: Actor, account_name: str) -> EntryView:
        """Files an entry for the TDs. Everything that refuses it is checked again inside the transaction."""

        edition = await self._desk.db.read(lambda reader: self._check_entry(reader, actor, account_name.lower()))
        account = await self._desk.lichess.account(account_name)
        _check_account(account, account_name, ruleset_of(edition.ruleset))
        assert account is not None
        now = self._desk.clock.now()

        def work(store: Store) -> EntryView:
            edition = self._check_entry(store, actor, account.id)
            rules = ruleset_of(edition.ruleset)
            person = person_of(store, actor)
            entry = store.add(
                Registration(
                    edition_id=edition.id,
                    person_id=person.id,
                    lichess_id=account.id,
                    lichess_name=account.name,
                    rating=account.ratings.get(rules.variant),
                    games=account.games.get(rules.variant),
                    flags=_flags(account, rules, dates_for(rules, edition.starts)),
                    created_at=now,
                )
            )
            Outbox(store, actor.guild_id, now).entry_card(entry)
            return EntryView(entry=entry, person=person, edition=edition, rules=rules)

        return await self._desk.db.write(work)

    async def decide(
        self, actor: Actor, registration_id: int, *, approve: bool, reason: str | None = None
    ) -> EntryView:
        """A TD's word on an entry (R2.8). The first decision stands; a rejection needs a reason."""
        now = self._desk.clock.now()

        def work(store: Store) -> EntryView:
            require_td(store, actor)
            entry = store.get(Registration, registration_id)
            edition = store.get(Edition, entry.edition_id)
            td = person_of(store, actor)
            self._check_decision(store, actor, entry, edition, td, approve, reason)
            note = None
            if reason:
                note = store.add(Note(edition_id=edition.id, author_id=td.id, text=reason, made_at=now))
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

    def _check_entry(self, reader: Reader, actor: Actor, lichess_id: str) -> Edition:
        """Nobody enters twice, no account is entered twice (R2.6), and only while the window is open."""
        server_of(reader, actor.guild_id)
        edition = current_edition(reader, actor.guild_id)
        if edition.state is EditionState.DRAFT:
            raise Conflict("registration_not_open", title=edition.title)
        if edition.state is EditionState.CLOSED and not self._late_entry_open(reader, edition):
            raise Conflict("registration_already_closed", title=edition.title)
        person = known_person(reader, actor)
        if person is not None:
            mine = reader.one(Registration, edition_id=edition.id, person_id=person.id, state=ACTIVE)
            if mine is not None:
                raise Conflict("already_registered", clause="R2.6", name=mine.lichess_name, state=mine.state)
        if reader.one(Registration, edition_id=edition.id, lichess_id=lichess_id, state=ACTIVE) is not None:
            raise Conflict("account_taken", clause="R2.6", name=lichess_id)
        return edition

    def _late_entry_open(self, reader: Reader, edition: Edition) -> bool:
        """Q44g: with a TD's approval, until round 2 is published."""
        return late_entry_open(load_event(reader, self._desk.folds, edition.id, keep=False))

    def _check_decision(
        self,
        reader: Reader,
        actor: Actor,
        entry: Registration,
        edition: Edition,
        td: Person,
        approve: bool,
        reason: str | None,
    ) -> None:
        if edition.guild_id != actor.guild_id:
            raise NotFound("registration", id=entry.id)
        if entry.person_id == td.id:
            raise NotAllowed("own_entry", clause="R1.2")
        if entry.state is not EntryState.PENDING:
            raise Conflict("entry_decided", name=entry.lichess_name, state=entry.state)
        if approve and edition.state is EditionState.CLOSED and not self._late_entry_open(reader, edition):
            raise Conflict("registration_already_closed", title=edition.title)
        if not approve and not (reason or "").strip():
            raise BadInput("reason_needed")


def load_entry(reader: Reader, registration_id: int) -> EntryView:
    entry = reader.get(Registration, registration_id)
    edition = reader.get(Edition, entry.edition_id)
    return EntryView(
        entry=entry,
        person=reader.get(Person, entry.person_id),
        edition=edition,
        rules=ruleset_of(edition.ruleset),
        decided_by=reader.get(Person, entry.decided_by) if entry.decided_by else None,
        reason=reader.get(Note, entry.reason_note_id).text if entry.reason_note_id else None,
    )


def _check_account(account: Account | None, asked: str, rules: Ruleset) -> None:
    """What refuses an account at once (R2.7)."""
    if account is None:
        raise NotFound("no_account", name=asked)
    if account.closed:
        raise RuleViolation("account_closed", clause="R2.8", name=account.name)
    if account.is_bot and not rules.entry.bots:
        raise RuleViolation("bot_account", clause="R2.7", name=account.name)


def _flags(account: Account, rules: Ruleset, dates: EditionDates) -> tuple[str, ...]:
    """What a TD should look at before approving (R2.1, R2.2); codes, the card has the words. The full check is still
    to come."""
    flags: list[str] = []
    if account.tos_violation:
        flags.append("tos_violation")
    if account.created_at is None or account.created_at >= dates["entry.account_created_before"].moment:
        flags.append("account_too_new")
    if account.games.get(rules.variant, 0) < rules.entry.min_games:
        flags.append("too_few_games")
    return tuple(flags)


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
