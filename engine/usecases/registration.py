"""R2: from `/register` to an entry that the TDs decide: who applies, and whose account it is (R2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from engine.errors import BadInput, Conflict, NotAllowed, NotFound, RuleViolation
from engine.model import (
    Edition,
    EditionState,
    Entrant,
    EntryState,
    Person,
    Proof,
    Registration,
)
from engine.ports import Account, Reader, Store
from engine.rules import EditionDates, Ruleset
from engine.usecases.context import (
    Actor,
    Desk,
    Event,
    current_edition,
    dates_of,
    known_person,
    load_event,
    person_of,
    require_td,
    ruleset_of,
    server_of,
)
from engine.usecases.editions import opens_at
from engine.usecases.entries import LIVE, TOS_VIOLATION, EntryView, file_entry, load_entry, refuse_held, write_note
from engine.usecases.posts import Outbox
from engine.usecases.schedule import late_entry_open, registration_ends

MAX_OTHERS = 10
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of a code: none that is taken for another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What somebody who wants to enter has to do next. `own`: the account of another entry of theirs; `taken`:
    somebody else is entered with this account. Either way a second proof freezes both entries (R2.6). `login`: it can
    be shown by a login with Lichess too."""

    entry: Registration
    edition: Edition
    rules: Ruleset
    dates: EditionDates
    own: str | None = None
    taken: bool = False
    login: bool = False


class Registrations:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def register(self, actor: Actor, account_name: str, others: Sequence[str] = ()) -> Claim:
        """The wish to enter with an account; nothing is filed before it is shown whose it is.

        Asked for again, the same account keeps its code, another one replaces it. `others`: further accounts of the
        person (R2.3). Conflict `registration_not_open`, `registration_already_closed`, `already_registered`,
        `already_entered`, `you_are_out` (R8: only a TD lets somebody in again);
        RuleViolation `registration_over`, `account_closed`, `bot_account`; NotFound("no_account");
        BadInput("too_many_accounts").
        """
        if len(others) > MAX_OTHERS:
            raise BadInput("too_many_accounts", given=len(others), most=MAX_OTHERS)
        wanted = account_name.lower()
        edition = await self._desk.db.read(lambda reader: self._open_to(reader, actor, wanted))
        account = await self._desk.lichess.account(account_name)
        refuse_account(account, account_name, ruleset_of(edition.ruleset))
        assert account is not None
        now = self._desk.clock.now()

        def work(store: Store) -> Claim:
            edition = self._open_to(store, actor, account.id)
            person = person_of(store, actor)
            begun = store.one(Registration, edition_id=edition.id, person_id=person.id, state=EntryState.UNPROVEN)
            entry = _with_account(begun, edition, person, account, others, now, new_code(self._desk.chance(8)))
            return self._claim(store, store.save(entry) if entry.id else store.add(entry), edition)

        return await self._desk.db.write(work)

    async def add(
        self, actor: Actor, player: Actor, account_name: str, reason: str, others: Sequence[str] = ()
    ) -> EntryView:
        """A TD enters `player` and vouches for the account; checks and decision are as for any entry.

        Possible until the seeds are made, and then as a late entry (Q44g). NotAllowed `td_only`, `own_entry`;
        Conflict("player_already_entered"); BadInput("reason_needed"); else as `register`.
        """
        edition = await self._desk.db.read(lambda reader: self._addable(reader, actor, player, account_name))
        account = await self._desk.lichess.account(account_name)
        refuse_account(account, account_name, ruleset_of(edition.ruleset))
        assert account is not None
        now = self._desk.clock.now()

        def work(store: Store) -> EntryView:
            edition = self._addable(store, actor, player, account_name)
            person = person_of(store, player)
            begun = store.one(Registration, edition_id=edition.id, person_id=person.id, state=EntryState.UNPROVEN)
            note = write_note(store, actor, edition.id, reason, now)
            entry = _with_account(begun, edition, person, account, others, now, code="")
            entry = replace(entry, vouch_note_id=note.id)
            entry = file_entry(store, edition, store.save(entry) if entry.id else store.add(entry), Proof.TD, now)
            Outbox(store, actor.guild_id, now).entry_added(entry)
            return load_entry(store, entry.id)

        return await self._desk.db.write(work)

    def _addable(self, reader: Reader, actor: Actor, player: Actor, account_name: str) -> Edition:
        require_td(reader, actor)
        if player.discord_id == actor.discord_id:
            raise NotAllowed("own_entry", clause="R1.2")
        edition = current_edition(reader, actor.guild_id)
        self._refuse_closed(reader, edition)
        event = load_event(reader, self._desk.folds, edition.id, keep=False)
        try:
            self._refuse_entered(reader, event, player, account_name.lower())
        except Conflict as refusal:
            if refusal.code == "you_are_out":
                raise Conflict("player_is_out", clause="R8", name=player.name) from None
            if refusal.code not in ("already_entered", "already_registered"):
                raise
            named = {"name": player.name, "account": refusal.params["name"]}
            raise Conflict("player_already_entered", clause="R2.6", **named) from None
        return edition

    async def claim(self, actor: Actor, registration_id: int) -> Claim:
        """What is still to be shown, once more. NotFound("registration"), NotAllowed("not_your_entry")."""

        def work(reader: Reader) -> Claim:
            entry = own_entry(reader, actor, registration_id)
            return self._claim(reader, entry, reader.get(Edition, entry.edition_id))

        return await self._desk.db.read(work)

    async def entry(self, actor: Actor, registration_id: int) -> EntryView:
        """The own entry as it stands; errors as `claim`."""

        def work(reader: Reader) -> EntryView:
            own_entry(reader, actor, registration_id)
            return load_entry(reader, registration_id)

        return await self._desk.db.read(work)

    async def name_others(self, actor: Actor, registration_id: int, others: Sequence[str]) -> Claim:
        """R2.3: the other accounts of the person, before the account is proven. BadInput("too_many_accounts")."""
        if len(others) > MAX_OTHERS:
            raise BadInput("too_many_accounts", given=len(others), most=MAX_OTHERS)

        def work(store: Store) -> Claim:
            entry = unproven(own_entry(store, actor, registration_id))
            entry = store.save(replace(entry, others=_others(others, entry.lichess_id)))
            return self._claim(store, entry, store.get(Edition, entry.edition_id))

        return await self._desk.db.write(work)

    # Whose account it is --------------------------------------------------------------------------------------------

    async def prove(self, actor: Actor, registration_id: int) -> EntryView:
        """Looks for the code in the bio of the account. Conflict("code_not_found") with `found`, what is there.

        Proven already, it answers as it stands.
        """
        entry = await self._desk.db.read(lambda reader: own_entry(reader, actor, registration_id))
        if entry.state in LIVE:
            return await self._desk.db.read(lambda reader: load_entry(reader, registration_id))
        unproven(entry)
        account = await self._desk.lichess.account(entry.lichess_id)
        if account is None or account.closed:
            raise RuleViolation("account_closed", clause="R2.8", name=entry.lichess_name)
        if entry.code.casefold() not in account.bio.casefold():
            raise Conflict("code_not_found", code=entry.code, found=account.bio, name=account.name)
        now = self._desk.clock.now()
        return await self._desk.db.write(lambda store: self.proven(store, entry, Proof.BIO, now))

    def proven(self, store: Store, looked_at: Registration, proof: Proof, now: datetime) -> EntryView:
        """It is shown whose account it is. An entry counts from here on, so this has to come in time too: RuleViolation
        `registration_over`, Conflict `registration_already_closed`, `account_of_another`.

        `looked_at`: the entry as it was when that was shown; with another account since then, nothing is:
        Conflict("entry_changed"). Nor for one that was taken back or decided since: Conflict("entry_gone").
        """
        entry = store.get(Registration, looked_at.id)
        if (entry.lichess_id, entry.code) != (looked_at.lichess_id, looked_at.code):
            raise Conflict("entry_changed", clause="R2.6", name=entry.lichess_name)
        if entry.state not in (EntryState.UNPROVEN, *LIVE):
            raise Conflict("entry_gone", clause="R2.6", name=entry.lichess_name)
        if entry.state is EntryState.UNPROVEN:
            edition = store.get(Edition, entry.edition_id)
            self._refuse_closed(store, edition)
            event = load_event(store, self._desk.folds, edition.id, keep=False)
            self._refuse_over(event)
            refuse_held(event, entry.lichess_id, entry.person_id)
            _refuse_entrant(event, entry.person_id)
            file_entry(store, edition, entry, proof, now)
        return load_entry(store, entry.id)

    # Taking it back -------------------------------------------------------------------------------------------------

    async def withdrawable(self, actor: Actor) -> list[EntryView]:
        """The own entries that `withdraw` would take back, the newest last; errors as there."""
        return await self._desk.db.read(lambda r: [load_entry(r, mine.id) for mine in self._withdrawable(r, actor)])

    async def withdraw(self, actor: Actor, registration_id: int) -> list[EntryView]:
        """Takes back whatever the person has entered, as long as they are no entrant. NotFound("no_entry").

        Conflict("withdraw_anew") when `registration_id`, the newest that they were asked about, is not the newest any
        more, and for an entrant, whose leaving is another matter (`engine.usecases.withdrawals`).
        """
        now = self._desk.clock.now()

        def work(store: Store) -> list[EntryView]:
            outbox = Outbox(store, actor.guild_id, now)
            found = self._withdrawable(store, actor)
            if found[-1].id != registration_id:
                raise Conflict("withdraw_anew")
            for mine in found:
                entry = store.save(replace(mine, state=EntryState.WITHDRAWN, decided_at=now))
                if mine.state is not EntryState.UNPROVEN:
                    outbox.entry_card(entry)
                if mine.state is EntryState.APPROVED:
                    outbox.td(f"entry:{entry.id}:taken-back", "entry_taken_back", **_named(entry))
            return [load_entry(store, mine.id) for mine in found]

        return await self._desk.db.write(work)

    async def drop(self, actor: Actor, registration_id: int) -> EntryView:
        """Takes back an entry that is only begun, and no other. NotFound("registration"), NotAllowed("not_your_entry");
        Conflict("already_registered") once it is proven."""
        now = self._desk.clock.now()

        def work(store: Store) -> EntryView:
            entry = unproven(own_entry(store, actor, registration_id))
            store.save(replace(entry, state=EntryState.WITHDRAWN, decided_at=now))
            return load_entry(store, entry.id)

        return await self._desk.db.write(work)

    def _withdrawable(self, reader: Reader, actor: Actor) -> list[Registration]:
        edition = current_edition(reader, actor.guild_id)
        person = known_person(reader, actor)
        if person and reader.one(Entrant, edition_id=edition.id, person_id=person.id):
            raise Conflict("withdraw_anew")
        states = (EntryState.UNPROVEN, *LIVE)
        found = person and reader.find(Registration, edition_id=edition.id, person_id=person.id, state=states)
        if not found:
            raise NotFound("no_entry", title=edition.title)
        return found

    def _claim(self, reader: Reader, entry: Registration, edition: Edition) -> Claim:
        dates = dates_of(edition)
        live = reader.find(Registration, edition_id=edition.id, state=LIVE)
        own = next((other for other in live if other.person_id == entry.person_id), None)
        return Claim(
            entry=entry,
            edition=edition,
            rules=dates.ruleset,
            dates=dates,
            own=own.lichess_name if own else None,
            login=self._desk.door is not None,
            taken=any(o.lichess_id == entry.lichess_id and o.person_id != entry.person_id for o in live),
        )

    # The window -----------------------------------------------------------------------------------------------------

    def _open_to(self, reader: Reader, actor: Actor, lichess_id: str) -> Edition:
        server_of(reader, actor.guild_id)
        edition = current_edition(reader, actor.guild_id)
        self._refuse_closed(reader, edition)
        event = load_event(reader, self._desk.folds, edition.id, keep=False)
        self._refuse_over(event)
        self._refuse_entered(reader, event, actor, lichess_id)
        return edition

    def _refuse_over(self, event: Event) -> None:
        """The day has come, and the TDs have not made the seeds yet; after that it is a late entry."""
        ends = registration_ends(event)
        if event.edition.state is EditionState.OPEN and self._desk.clock.now() >= ends:
            raise RuleViolation("registration_over", clause="R2.8", title=event.edition.title, ended=ends)

    def _refuse_closed(self, reader: Reader, edition: Edition) -> None:
        """After the seeds are made only a late entry is possible (Q44g)."""
        if edition.state is EditionState.DRAFT:
            raise Conflict("registration_not_open", title=edition.title, opens=opens_at(edition))
        if edition.state is EditionState.CLOSED and not self._late_entry_open(reader, edition):
            raise Conflict("registration_already_closed", title=edition.title)

    def _late_entry_open(self, reader: Reader, edition: Edition) -> bool:
        return late_entry_open(load_event(reader, self._desk.folds, edition.id, keep=False))

    def _refuse_entered(self, reader: Reader, event: Event, actor: Actor, lichess_id: str) -> None:
        person = known_person(reader, actor)
        refuse_held(event, lichess_id, person.id if person else None)
        if person is None:
            return
        _refuse_entrant(event, person.id)
        mine = reader.one(
            Registration, edition_id=event.edition.id, person_id=person.id, lichess_id=lichess_id, state=LIVE
        )
        if mine is not None:
            raise Conflict("already_registered", clause="R2.6", name=mine.lichess_name, state=mine.state)


def _refuse_entrant(event: Event, person_id: int) -> None:
    """Who is in needs no entry, who is out gets in by a TD alone (R8). Conflict `already_entered`, `you_are_out`."""
    entrant = event.entrant_of(person_id)
    left = event.tournament.left.get(entrant.id) if entrant else None
    if left is not None:
        raise Conflict("you_are_out", title=event.edition.title, how=left.exit)
    if entrant is not None:
        raise Conflict("already_entered", clause="R2.6", title=event.edition.title, name=event.name(entrant.id))


def refuse_account(account: Account | None, asked: str, rules: Ruleset) -> None:
    """What refuses an account at once (R2.7)."""
    if account is None:
        raise NotFound("no_account", name=asked)
    if account.closed:
        raise RuleViolation("account_closed", clause="R2.8", name=account.name)
    if account.is_bot and not rules.entry.bots:
        raise RuleViolation("bot_account", clause="R2.7", name=account.name)


def _named(entry: Registration) -> dict[str, Any]:
    return {"edition_id": entry.edition_id, "name": entry.lichess_name}


def new_code(chance: bytes) -> str:
    """What shows whose account it is: a letter for each random byte, so that nobody guesses it."""
    return "acwc-" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in chance)


def _with_account(
    begun: Registration | None,
    edition: Edition,
    person: Person,
    account: Account,
    others: Sequence[str],
    now: datetime,
    code: str,
) -> Registration:
    """The entry that is begun. The same account keeps its code: it may be in the bio already."""
    same = begun is not None and begun.lichess_id == account.id
    rules = ruleset_of(edition.ruleset)
    return Registration(
        id=begun.id if begun else 0,
        edition_id=edition.id,
        person_id=person.id,
        lichess_id=account.id,
        lichess_name=account.name,
        state=EntryState.UNPROVEN,
        rating=account.ratings.get(rules.variant),
        games=account.games.get(rules.variant),
        flags=(TOS_VIOLATION,) if account.tos_violation else (),
        others=_others(others, account.id) or (begun.others if begun and same else ()),
        code=begun.code if begun and same else code,
        created_at=now,
    )


def _others(names: Sequence[str], own_id: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name.lower() != own_id))


def own_entry(reader: Reader, actor: Actor, registration_id: int) -> Registration:
    """NotFound("registration"), NotAllowed("not_your_entry")."""
    entry = reader.one(Registration, id=registration_id)
    if entry is None or reader.get(Edition, entry.edition_id).guild_id != actor.guild_id:
        raise NotFound("registration", id=registration_id)
    person = known_person(reader, actor)
    if person is None or person.id != entry.person_id:
        raise NotAllowed("not_your_entry", name=entry.lichess_name)
    return entry


def unproven(entry: Registration) -> Registration:
    """Conflict `already_registered`; `entry_gone` for one that was taken back or turned down."""
    if entry.state not in (EntryState.UNPROVEN, *LIVE):
        raise Conflict("entry_gone", clause="R2.6", name=entry.lichess_name)
    if entry.state is not EntryState.UNPROVEN:
        raise Conflict("already_registered", clause="R2.6", name=entry.lichess_name, state=entry.state)
    return entry
