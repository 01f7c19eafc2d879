"""What a player prefers: the own time zone, and which reminders come (R5.3, R5.7)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from engine.model import Person
from engine.ports import Reader, Store
from engine.reminders import Kind
from engine.usecases.context import Actor, Desk, known_person, person_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """`timezone`: an IANA name as it was chosen; None is UTC."""

    timezone: str | None
    muted: frozenset[Kind]
    now: datetime


class People:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def preferences(self, actor: Actor) -> Preferences:
        """Whoever is not known yet has chosen nothing."""

        def work(reader: Reader) -> Preferences:
            return self._preferences(known_person(reader, actor))

        return await self._desk.db.read(work)

    async def choose_timezone(self, actor: Actor, timezone: str | None) -> Preferences:
        """`timezone`: an IANA name that exists, or None for UTC; what people type is resolved by the caller."""

        def work(store: Store) -> Preferences:
            return self._preferences(store.save(replace(person_of(store, actor), timezone=timezone)))

        return await self._desk.db.write(work)

    async def switch_reminder(self, actor: Actor, kind: Kind, *, on: bool) -> Preferences:
        """The same switch twice is one: the button says the state that is wanted."""

        def work(store: Store) -> Preferences:
            person = person_of(store, actor)
            muted = {*person.muted} - {kind} if on else {*person.muted, kind}
            return self._preferences(store.save(replace(person, muted=tuple(sorted(muted)))))

        return await self._desk.db.write(work)

    def _preferences(self, person: Person | None) -> Preferences:
        muted = frozenset(kind for kind in Kind if person is not None and kind in person.muted)
        timezone = person.timezone if person is not None else None
        return Preferences(timezone=timezone, muted=muted, now=self._desk.clock.now())
