"""An edition from its draft to the list of entrants with seeds (R2.8, R4.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime

from engine.calendar import RoundSlot
from engine.errors import BadInput, Conflict, LichessUnavailable, NotFound
from engine.model import Edition, EditionState, Entrant, EntryState, Registration, Server
from engine.ports import Account, Reader, Store
from engine.rules import EditionDates, Ruleset, dates_for, load, shipped, shipped_text
from engine.rules.values import midnight
from engine.rules.week import first_publication
from engine.usecases.context import (
    Actor,
    Desk,
    current_edition,
    dates_of,
    load_event,
    require_td,
    ruleset_of,
)
from engine.usecases.entries import DECIDABLE, LIVE, rules_of
from engine.usecases.posts import Outbox
from engine.usecases.schedule import slots
from engine.usecases.seeds import in_seed_order, read_evidence, stored


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionView:
    """An edition as `/td edition` shows it. `doubtful`: names and flags of accounts that changed since approval;
    `left_out`: entries that nobody decided before the seeds were made."""

    edition: Edition
    rules: Ruleset
    dates: EditionDates
    pending: tuple[Registration, ...] = ()
    approved: tuple[Registration, ...] = ()
    entrants: tuple[Entrant, ...] = ()
    doubtful: tuple[tuple[str, str], ...] = ()
    left_out: tuple[Registration, ...] = ()
    calendar: tuple[RoundSlot, ...] = ()


class Editions:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def create(self, actor: Actor, ruleset: str, starts: date) -> EditionView:
        """A draft from a shipped ruleset, every date moved to `starts`. Checks the day before anything is stored."""
        if ruleset not in shipped():
            raise NotFound("no_ruleset", name=ruleset, known=tuple(shipped()))
        text = shipped_text(ruleset)
        return await self._create(actor, text, load(text, name=ruleset), starts)

    async def create_from(self, actor: Actor, text: str, filename: str, starts: date) -> EditionView:
        """The same from an uploaded ruleset; the loader's faults are refused with file, key and reason."""
        return await self._create(actor, text, load(text, name=filename), starts)

    async def _create(self, actor: Actor, text: str, rules: Ruleset, starts: date) -> EditionView:
        now = self._desk.clock.now()
        dates = dates_for(rules, starts)
        first = first_publication(rules.week, starts)
        if first <= now:
            raise BadInput("start_in_the_past", clause="R4.3", at=first)
        if missing := not_here(rules):
            raise Conflict("strategies_not_here", name=rules.name, keys=missing)

        def work(store: Store) -> EditionView:
            require_td(store, actor)
            key = str(starts.year)
            draft = self._draft_or_refuse(store, actor.guild_id, key, now)
            edition = Edition(
                id=draft.id if draft else 0,
                guild_id=actor.guild_id,
                key=key,
                title=rules.title.replace(str(rules.starts.year), key),
                ruleset=text,
                starts=starts,
                created_at=now,
            )
            edition = store.save(edition) if draft else store.add(edition)
            return EditionView(edition=edition, rules=rules, dates=dates)

        return await self._desk.db.write(work)

    async def open(self, actor: Actor) -> EditionView:
        now = self._desk.clock.now()

        def work(store: Store) -> EditionView:
            require_td(store, actor)
            edition = newest_edition(store, actor.guild_id)
            if edition.state is EditionState.OPEN:
                raise Conflict("registration_already_open", title=edition.title)
            if edition.state is EditionState.CLOSED:
                raise Conflict("edition_already_closed", title=edition.title)
            return _view(store, _open(store, edition, now))

        return await self._desk.db.write(work)

    async def close(self, actor: Actor, *, leave_pending: bool = False) -> EditionView:
        """Makes the seeds from the ratings of this moment and turns approved entries into entrants."""
        entries = await self._desk.db.read(lambda reader: self._closable(reader, actor, leave_pending))
        edition = await self._desk.db.read(lambda reader: current_edition(reader, actor.guild_id))
        rules = rules_of(edition)
        names = {entry.lichess_id: entry.lichess_name for entry in entries}
        accounts, evidence = await read_evidence(self._desk, rules, list(names), names)
        now = self._desk.clock.now()

        def work(store: Store) -> EditionView:
            approved = {entry.lichess_id: entry for entry in self._closable(store, actor, leave_pending)}
            if missing := approved.keys() - accounts.keys():
                # Approved while Lichess was asked: nothing is known of them yet.
                named = tuple(sorted(approved[id].lichess_name for id in missing))
                raise LichessUnavailable("accounts_missing", names=named)
            edition = current_edition(store, actor.guild_id)
            known = {id: evidence[id] for id in approved}
            for seed, id in enumerate(in_seed_order(known, rules), start=1):
                account = accounts[id]
                store.add(
                    Entrant(
                        edition_id=edition.id,
                        person_id=approved[id].person_id,
                        lichess_id=id,
                        name=account.name,
                        seed=seed,
                        rating=known[id].rating.rating if rules.variant in account.ratings else None,
                        games=account.games.get(rules.variant),
                        seeded_by=stored(known[id]),
                    )
                )
            people = [entry.person_id for entry in approved.values()]
            begun = store.find(Registration, edition_id=edition.id, person_id=people, state=EntryState.UNPROVEN)
            for entry in begun:  # who is in needs no second one (R2.6)
                store.save(replace(entry, state=EntryState.WITHDRAWN, decided_at=now))
            edition = store.save(replace(edition, state=EditionState.CLOSED))
            outbox = Outbox(store, actor.guild_id, now)
            outbox.edition_news(edition.id, "closed")
            outbox.seeds(edition.id, len(known))
            left_out = tuple(e for e in store.find(Registration, edition_id=edition.id, state=DECIDABLE))
            for entry in left_out:
                outbox.entry_left_out(entry)
            doubtful = tuple(
                (accounts[entry.lichess_id].name, flag)
                for entry in approved.values()
                for flag in _changed(accounts[entry.lichess_id], entry)
            )
            return replace(_view(store, edition), doubtful=doubtful, left_out=left_out)

        return await self._desk.db.write(work)

    def _closable(self, reader: Reader, actor: Actor, leave_pending: bool) -> list[Registration]:
        require_td(reader, actor)
        edition = current_edition(reader, actor.guild_id)
        if edition.state is EditionState.CLOSED:
            raise Conflict("edition_already_closed", title=edition.title)
        if edition.state is EditionState.DRAFT:
            raise Conflict("registration_not_open", title=edition.title, opens=opens_at(edition))
        pending = reader.find(Registration, edition_id=edition.id, state=DECIDABLE)
        if pending and not leave_pending:
            raise Conflict("entries_pending", names=tuple(entry.lichess_name for entry in pending))
        approved = reader.find(Registration, edition_id=edition.id, state=EntryState.APPROVED)
        if len(approved) < 2:
            raise Conflict("too_few_entrants", entrants=len(approved))
        return approved

    async def show(self, actor: Actor) -> EditionView:
        """The edition with its calendar as it stands."""

        def work(reader: Reader) -> EditionView:
            edition = newest_edition(reader, actor.guild_id)
            event = load_event(reader, self._desk.folds, edition.id)
            return replace(_view(reader, edition), calendar=slots(event))

        return await self._desk.db.read(work)

    def _draft_or_refuse(self, reader: Reader, guild_id: int, key: str, now: datetime) -> Edition | None:
        """One edition after another: a draft is replaced, an edition that is still running is in the way."""
        editions = reader.find(Edition, guild_id=guild_id)
        newest = editions[-1] if editions else None
        draft = newest if newest is not None and newest.state is EditionState.DRAFT else None
        if any(edition.key == key for edition in editions if edition is not draft):
            raise Conflict("edition_exists", key=key)
        if newest is not None and draft is None:
            ends = slots(load_event(reader, self._desk.folds, newest.id, keep=False))[-1].matches_by
            if ends > now or newest.state is EditionState.OPEN:
                raise Conflict("edition_running", title=newest.title, ends=ends)
        return draft


def load_edition(reader: Reader, edition_id: int) -> EditionView:
    return _view(reader, reader.get(Edition, edition_id))


def _view(reader: Reader, edition: Edition) -> EditionView:
    rules = ruleset_of(edition.ruleset)
    entries = reader.find(Registration, edition_id=edition.id, state=LIVE)
    return EditionView(
        edition=edition,
        rules=rules,
        dates=dates_of(edition),
        pending=tuple(entry for entry in entries if entry.state in DECIDABLE),
        approved=tuple(entry for entry in entries if entry.state is EntryState.APPROVED),
        entrants=tuple(sorted(reader.find(Entrant, edition_id=edition.id), key=lambda entrant: entrant.seed)),
    )


def _changed(account: Account, entry: Registration) -> tuple[str, ...]:
    """What a TD has to look at although the entry was approved: closed since, or marked since."""
    flags = {"account_closed": account.closed, "tos_violation": account.tos_violation}
    return tuple(flag for flag, found in flags.items() if found and flag not in entry.flags)


def _open(store: Store, edition: Edition, now: datetime) -> Edition:
    Outbox(store, edition.guild_id, now).edition_news(edition.id, "opened")
    return store.save(replace(edition, state=EditionState.OPEN))


def opens_at(edition: Edition) -> datetime | None:
    """When registration opens by itself; None where a TD opens it."""
    if edition.state is not EditionState.DRAFT:
        return None
    day = dates_of(edition).ruleset.registration.opens
    return midnight(day) if day is not None else None


def drafts(reader: Reader) -> list[tuple[Edition, datetime]]:
    """The newest edition of each server that is set up, where it opens by itself, with the moment."""
    newest = {edition.guild_id: edition for edition in reader.find(Edition)}
    known = [edition for guild, edition in newest.items() if reader.one(Server, guild_id=guild) is not None]
    return [(edition, at) for edition in known if (at := opens_at(edition)) is not None]


def open_due(store: Store, now: datetime) -> int:
    """Opens every registration whose day has come; how many. The state is what keeps it from being opened twice."""
    due = [edition for edition, at in drafts(store) if at <= now]
    for edition in due:
        _open(store, edition, now)
    return len(due)


def newest_edition(reader: Reader, guild_id: int) -> Edition:
    """What a TD works on: the newest edition, drafts included; NotFound("no_edition")."""
    editions = reader.find(Edition, guild_id=guild_id)
    if not editions:
        raise NotFound("no_edition")
    return editions[-1]


def not_here(rules: Ruleset) -> tuple[str, ...]:
    """The choices of a ruleset that this version cannot carry out from Discord, as `key = name`.

    Only those of what exists so far: who enters, the Qualification. Nothing is silently played by other
    rules than the ruleset says.
    """
    return ("direct entrants",) if rules.candidates.direct or rules.knockout.direct else ()
