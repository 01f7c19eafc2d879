"""Q55: another Lichess account for a player during the event, with its own check, on a TD's word."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from engine.account_rulings import change_account
from engine.eligibility import Estimate, Judgement, Progress, Verdict, begin, estimate, from_json, judge, to_json
from engine.errors import Conflict, NotFound
from engine.model import AccountChange, Edition, Entrant, Registration
from engine.ports import Account, Reader, Store
from engine.rulings import Ruling
from engine.usecases.context import Actor, Desk, Event, current_event, person_of, require_td
from engine.usecases.due import running_editions
from engine.usecases.eligibility import Eligibility
from engine.usecases.entries import LIVE, rules_of
from engine.usecases.posts import Outbox
from engine.usecases.registration import refuse_account
from engine.usecases.rulings import Rulings, RulingView, refuse_recused

log = logging.getLogger(__name__)


class _Stopped(Exception):
    """The process ends, or nobody needs the check any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountChangeView:
    """`in_force`: the entrant plays with it. `entrant` is shown with the account of now."""

    change: AccountChange
    edition: Edition
    entrant: Entrant
    judgement: Judgement
    remaining: Estimate
    in_force: bool
    is_in: bool

    @property
    def is_clear(self) -> bool:
        """Every check is passed, so that nothing is waived (R2.8)."""
        return self.judgement.verdict is Verdict.PASS

    @property
    def can_be_made(self) -> bool:
        return self.is_in and not self.in_force


class AccountChanges:
    def __init__(self, desk: Desk, rulings: Rulings) -> None:
        self._desk = desk
        self._rulings = rulings
        self._eligibility = Eligibility(desk.lichess, desk.clock)
        self._stopped = False

    async def propose(self, actor: Actor, entrant_id: int, account_name: str) -> AccountChangeView:
        """The account is looked at and its check begins; a card for the TDs follows it. Asked for again, it is checked
        anew.

        As `change_account`, and NotFound("no_account"); RuleViolation `account_closed`, `bot_account`.
        """
        event = await self._desk.db.read(lambda reader: self._event(reader, actor, entrant_id, account_name, None))
        account = await self._desk.lichess.account(account_name)
        refuse_account(account, account_name, event.rules)
        assert account is not None
        now = self._desk.clock.now()

        def work(store: Store) -> AccountChangeView:
            event = self._event(store, actor, entrant_id, account.id, account)
            known = store.one(AccountChange, entrant_id=entrant_id, lichess_id=account.id)
            new = AccountChange(
                id=known.id if known else 0,
                edition_id=event.edition.id,
                entrant_id=entrant_id,
                lichess_id=account.id,
                name=account.name,
                asked_by=person_of(store, actor).id,
                progress=to_json(begin(account.id)),
                started_at=now,
            )
            change = store.save(new) if known else store.add(new)
            Outbox(store, actor.guild_id, now).account_card(change)
            return _view(event, change)

        return await self._desk.db.write(work)

    def _event(self, reader: Reader, actor: Actor, entrant_id: int, name: str, account: Account | None) -> Event:
        require_td(reader, actor)
        event = current_event(reader, self._desk.folds, actor.guild_id, keep=False)
        shown = account.name if account else name
        ruling = change_account(event.championship, entrant_id, name.lower(), shown, waived=False)
        refuse_recused(reader, actor, event, ruling)
        refuse_entered(reader, event, entrant_id, name.lower(), shown)
        return event

    async def show(self, actor: Actor, change_id: int) -> AccountChangeView:
        """NotFound("account_change")."""

        def work(reader: Reader) -> AccountChangeView:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            return _view(event, _change(reader, event, change_id))

        return await self._desk.db.read(work)

    async def make(self, actor: Actor, change_id: int, reason: str) -> RulingView:
        """The change comes into force. What the checks have not passed is waived by this, which is recorded.

        As `change_account` and `Rulings.make`; NotFound("account_change").
        """
        view = await self.show(actor, change_id)
        change = view.change
        await self._desk.db.read(lambda r: self._event(r, actor, change.entrant_id, change.lichess_id, None))

        def decide(event: Event) -> Ruling:
            return change_account(
                event.championship, change.entrant_id, change.lichess_id, change.name, waived=not view.is_clear
            )

        return await self._rulings.make(actor, decide, reason)

    # The check ------------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """The check that runs ends behind its present request; what it has read so far is stored."""
        self._stopped = True

    async def advance(self) -> None:
        """Goes on with every check of an event that runs and that is not over, the oldest first."""
        for change in await self._desk.db.read(_unfinished):
            try:
                await self._run(change)
            except _Stopped:
                if self._stopped:
                    return
            except Exception:
                log.exception("the check of account change %d failed", change.id)

    async def _run(self, change: AccountChange) -> None:
        edition = await self._desk.db.read(lambda reader: reader.get(Edition, change.edition_id))

        async def store_step(progress: Progress) -> None:
            written = await self._store(change, progress, None, ended=False)
            if self._stopped or not written:
                raise _Stopped

        try:
            outcome = await self._eligibility.resume(
                rules_of(edition), from_json(change.progress), on_progress=store_step
            )
        except NotFound as gone:
            # As with an entry: a 404 may be Lichess's own fault for a moment, so it ends nothing.
            await self._store(change, None, gone.code, ended=False)
            return
        if outcome.unavailable is not None:
            await self._store(change, outcome.progress, outcome.unavailable.code, ended=False)
        elif outcome.judgement.verdict is Verdict.INCOMPLETE:
            # R2.2: games ended during the count, which is made again from its beginning.
            await self._store(change, begin(change.lichess_id), None, ended=False)
        else:
            await self._store(change, outcome.progress, None, ended=True)

    async def _store(
        self, begun: AccountChange, progress: Progress | None, problem: str | None, *, ended: bool
    ) -> bool:
        """Whether it was stored: a check that was begun anew meanwhile is left alone, and one that is over, for it may
        have been erased."""
        now = self._desk.clock.now()

        def work(store: Store) -> bool:
            change = store.get(AccountChange, begun.id)
            if change.started_at != begun.started_at or change.finished_at is not None:
                return False
            written = change.progress if progress is None else to_json(progress)
            store.save(replace(change, progress=written, problem=problem, finished_at=now if ended else None))
            if ended or problem != change.problem:
                edition = store.get(Edition, change.edition_id)
                Outbox(store, edition.guild_id, now).account_card(change)
            return True

        return await self._desk.db.write(work)


def refuse_entered(reader: Reader, event: Event, entrant_id: int, lichess_id: str, name: str) -> None:
    """R2.6: nobody else has entered with it, nor waits to. Conflict("account_of_another")."""
    person_id = event.entrants[entrant_id].person_id
    for entry in reader.find(Registration, edition_id=event.edition.id, lichess_id=lichess_id, state=LIVE):
        if entry.person_id != person_id:
            raise Conflict("account_of_another", clause="R2.6", name=name, by=entry.lichess_name)


def _unfinished(reader: Reader) -> list[AccountChange]:
    editions = running_editions(reader)
    return reader.find(AccountChange, finished_at=None, edition_id=editions) if editions else []


def view_change(reader: Reader, event: Event, change_id: int) -> AccountChangeView:
    """NotFound("account_change")."""
    return _view(event, _change(reader, event, change_id))


def _change(reader: Reader, event: Event, change_id: int) -> AccountChange:
    change = reader.one(AccountChange, id=change_id, edition_id=event.edition.id)
    if change is None or not change.progress:
        raise NotFound("account_change", id=change_id)
    return change


def _view(event: Event, change: AccountChange) -> AccountChangeView:
    rules, progress = rules_of(event.edition), from_json(change.progress)
    entrant = event.entrants[change.entrant_id]
    return AccountChangeView(
        change=change,
        edition=event.edition,
        entrant=entrant,
        judgement=judge(rules, progress),
        remaining=estimate(rules, progress),
        in_force=entrant.lichess_id == change.lichess_id,
        is_in=event.tournament.is_in(entrant.id),
    )
