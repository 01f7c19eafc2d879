"""A player leaves the event on their own word (R8): first what it does at this stage, then the fact."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import Conflict
from engine.exit_rulings import withdraw
from engine.model import Authority, Entrant
from engine.ports import Reader, Store
from engine.rulings import Preview, preview
from engine.usecases.context import Actor, Desk, Event, current_event, known_person
from engine.usecases.following import look_at_open
from engine.usecases.rulings import Signature, enact

BY_THE_PLAYER = "withdrawn by the player"
"""The reason that is recorded; nobody is asked for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalView:
    """What leaving does, or has done. `asked`: the edition and its newest round, for which that is said."""

    event: Event
    entrant: Entrant
    preview: Preview

    @property
    def asked(self) -> str:
        rounds = self.event.rounds
        return f"{self.event.edition.id}-{rounds[-1].id if rounds else 0}"


class Withdrawals:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def ask(self, actor: Actor) -> WithdrawalView | None:
        """What would change if the actor left now (R8.1, R8.3-R8.5); None for who is no entrant.

        Conflict("you_are_out") for one who is out already. Lichess is asked first: a match that its games have decided
        is no walkover.
        """
        await self._look(actor)
        return await self._desk.db.read(lambda reader: self._view(reader, actor, keep=True))

    async def leave(self, actor: Actor, asked: str) -> WithdrawalView:
        """R8: records that the actor, and nobody else, has withdrawn, and tells player and TDs.

        `asked` as in the view that the player has confirmed: Conflict("withdraw_anew") when a round came out since, or
        for who is no entrant; errors as `ask`. Games begun before this moment decide, also those that are seen only
        afterwards, because Lichess did not answer (`engine.usecases.following`).
        """
        await self._look(actor)
        now = self._desk.clock.now()

        def work(store: Store) -> WithdrawalView:
            view = self._view(store, actor, keep=False)
            if view is None or view.asked != asked:
                raise Conflict("withdraw_anew")
            person = view.event.people[view.entrant.person_id]
            signed = Signature(
                author=person,
                reason=BY_THE_PLAYER,
                at=now,
                command_id=actor.command_id,
                authority=Authority.PLAYER,
            )
            enact(store, view.event, withdraw(view.event.championship, view.entrant.id), view.preview, signed)
            return view

        return await self._desk.db.write(work)

    async def _look(self, actor: Actor) -> None:
        def find(reader: Reader) -> tuple[Event, Entrant | None]:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            person = known_person(reader, actor)
            return event, event.entrant_of(person.id) if person else None

        event, entrant = await self._desk.db.read(find)
        if entrant is not None and event.tournament.is_in(entrant.id):
            await look_at_open(self._desk, event, entrant.id)

    def _view(self, reader: Reader, actor: Actor, *, keep: bool) -> WithdrawalView | None:
        event = current_event(reader, self._desk.folds, actor.guild_id, keep=keep)
        person = known_person(reader, actor)
        entrant = event.entrant_of(person.id) if person else None
        if entrant is None:
            return None
        left = event.tournament.left.get(entrant.id)
        if left is not None:
            raise Conflict("you_are_out", title=event.edition.title, how=left.exit)
        ruling = withdraw(event.championship, entrant.id)
        seen = preview(event.championship, ruling, self._desk.clock.now())
        return WithdrawalView(event=event, entrant=entrant, preview=seen)
