"""The check of an entry, piece by piece: stored after each, taken up after a restart (R2.1-R2.5)."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from engine.eligibility import Judgement, Progress, Verdict, begin, judge, to_json
from engine.errors import NotFound
from engine.model import AccountCheck, Edition, Registration
from engine.ports import Reader, Store
from engine.usecases.context import Desk
from engine.usecases.eligibility import Eligibility
from engine.usecases.entries import DECIDABLE, EntryView, known_of, load_entry, progress_of, rules_of
from engine.usecases.posts import Outbox

log = logging.getLogger(__name__)

REPEATED_AFTER = timedelta(minutes=5)

Follow = Callable[[EntryView], Awaitable[None]]


class _Stopped(Exception):
    """The process ends, or nobody needs the check any more."""


class EntryChecks:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._eligibility = Eligibility(desk.lichess, desk.clock)
        self._running: set[int] = set()
        self._stopped = False

    def stop(self) -> None:
        """Each check that runs ends behind its present request; what it has read so far is stored."""
        self._stopped = True

    async def run(self, registration_id: int, follow: Follow | None = None) -> EntryView:
        """Goes on with the check of an entry until it is over or Lichess does not answer; `follow` sees each step.

        A check that somebody runs already is left to them.
        """
        if registration_id in self._running:
            return await self._view(registration_id)
        self._running.add(registration_id)
        try:
            await self._run(registration_id, follow)
        finally:
            self._running.discard(registration_id)
        return await self._view(registration_id)

    async def repeat(self, registration_id: int) -> bool:
        """Begins a check anew that is over with "not yet", for the account may have got there; nothing for any other,
        nor so soon after the last one that Lichess could not have moved on. Whether it did."""
        now = self._desk.clock.now()

        def work(store: Store) -> bool:
            for one in _waiting(store):
                if one.entry.id == registration_id and one.is_early(now):
                    self._anew(store, one)
                    return True
            return False

        return await self._desk.db.write(work)

    def _anew(self, store: Store, one: _Waiting) -> None:
        progress = to_json(begin(one.entry.lichess_id, one.entry.others))
        store.save(replace(one.check, progress=progress, problem=None, finished_at=None))

    async def advance(self) -> int:
        """Goes on with every check that is not over, the oldest first; how many came to their end."""
        ended = 0
        await self._begin_again()
        for registration_id in await self._desk.db.read(_unfinished):
            if self._stopped:
                break
            try:
                view = await self.run(registration_id)
            except Exception:
                log.exception("the check of entry %d failed", registration_id)
                continue
            ended += view.check is not None and view.check.finished_at is not None
        return ended

    async def _begin_again(self) -> None:
        """R2.2: what was "not yet" is checked anew when its day has come, for the account may have got there; what came
        to no verdict because games ended during the count, at once."""
        now = self._desk.clock.now()

        def work(store: Store) -> None:
            for one in _to_repeat(store, now):
                self._anew(store, one)

        if await self._desk.db.read(lambda reader: _to_repeat(reader, now)):
            await self._desk.db.write(work)

    async def _run(self, registration_id: int, follow: Follow | None) -> None:
        def begun(reader: Reader) -> tuple[Registration, Edition, AccountCheck | None]:
            entry = reader.get(Registration, registration_id)
            check = reader.one(AccountCheck, registration_id=registration_id)
            return entry, reader.get(Edition, entry.edition_id), check

        entry, edition, check = await self._desk.db.read(begun)
        if check is None or check.finished_at is not None:
            return

        async def store_step(progress: Progress) -> None:
            view = await self._store(check.id, progress, None, ended=False)
            if view is None or self._stopped:
                raise _Stopped
            if follow is not None:
                await follow(view)

        try:
            outcome = await self._eligibility.resume(
                rules_of(edition), progress_of(check), known=known_of(entry), on_progress=store_step
            )
        except _Stopped:
            return
        except NotFound as gone:
            # A 404 may be Lichess's own fault for a moment, so it ends nothing: asked again, it says the same or not.
            await self._store(check.id, None, gone.code, ended=False)
            return
        problem = outcome.unavailable.code if outcome.unavailable else None
        await self._store(check.id, outcome.progress, problem, ended=problem is None)

    async def _store(
        self, check_id: int, progress: Progress | None, problem: str | None, *, ended: bool
    ) -> EntryView | None:
        """The card follows when a check of the list comes to another verdict, and at the end. None when the entry was
        decided, taken back or erased while Lichess was asked: then nothing is stored."""
        now = self._desk.clock.now()

        def work(store: Store) -> EntryView | None:
            check = store.get(AccountCheck, check_id)
            before = load_entry(store, check.registration_id)
            if check.finished_at is not None or not check.progress or before.entry.state not in DECIDABLE:
                return None
            store.save(
                replace(
                    check,
                    progress=check.progress if progress is None else to_json(progress),
                    problem=problem,
                    finished_at=now if ended else None,
                )
            )
            after = load_entry(store, check.registration_id)
            if ended or problem != check.problem or _verdicts(before) != _verdicts(after):
                Outbox(store, after.edition.guild_id, now).entry_card(after.entry)
            return after

        return await self._desk.db.write(work)

    async def _view(self, registration_id: int) -> EntryView:
        return await self._desk.db.read(lambda reader: load_entry(reader, registration_id))


def _verdicts(view: EntryView) -> list[object]:
    return [] if view.judgement is None else [check.verdict for check in view.judgement.checks]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The check of an entry that waits for a decision in the newest edition of its server: no other needs one."""

    check: AccountCheck
    entry: Registration
    edition: Edition

    def may_change(self, now: datetime) -> bool:
        """It is over, and its answer may be another one by now."""
        found = self._judgement()
        if found is None:
            return False
        return found.verdict is Verdict.INCOMPLETE or (found.again_at is not None and found.again_at <= now)

    def is_early(self, now: datetime) -> bool:
        """It is over with "not yet", and not just now."""
        found, ended = self._judgement(), self.check.finished_at
        early = found is not None and found.verdict is Verdict.NOT_YET
        return early and ended is not None and now - ended >= REPEATED_AFTER

    def _judgement(self) -> Judgement | None:
        """None while the check goes on."""
        if self.check.finished_at is None or not self.check.progress:
            return None
        return judge(rules_of(self.edition), progress_of(self.check), known_of(self.entry))


def _waiting(reader: Reader) -> list[_Waiting]:
    newest = {edition.guild_id: edition for edition in reader.find(Edition)}
    editions = {edition.id: edition for edition in newest.values()}
    entries = reader.find(Registration, edition_id=[*editions], state=DECIDABLE) if editions else []
    by_id = {entry.id: entry for entry in entries}
    checks = reader.find(AccountCheck, registration_id=[*by_id]) if by_id else []
    return [_Waiting(c, entry := by_id[c.registration_id], editions[entry.edition_id]) for c in checks]


def _unfinished(reader: Reader) -> list[int]:
    return [one.entry.id for one in _waiting(reader) if one.check.finished_at is None]


def _to_repeat(reader: Reader, now: datetime) -> list[_Waiting]:
    return [one for one in _waiting(reader) if one.may_change(now)]
