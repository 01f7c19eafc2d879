"""What TDs decide about a player by the one way of rulings (R7, R8), and how they find one."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import NotFound
from engine.exit_rulings import disqualify, reinstate, withdraw
from engine.model import Entrant
from engine.ports import Reader
from engine.seed_rulings import correct_seed
from engine.usecases.context import Actor, Desk, current_event, require_td
from engine.usecases.rulings import Rulings, RulingView


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerView:
    """A player as a TD sees them before a decision; `grounds` are those of the ruleset."""

    entrant: Entrant
    is_in: bool
    grounds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedView:
    """A corrected seed. `entrant`: with the seed of the entry; `below`: who comes directly after the player now."""

    made: RulingView
    entrant: Entrant
    below: int | None


class Players:
    def __init__(self, desk: Desk, rulings: Rulings) -> None:
        self._desk = desk
        self._rulings = rulings

    async def all(self, actor: Actor) -> list[PlayerView]:
        """Every player of the edition, those who are in first, by seed."""

        def work(reader: Reader) -> list[PlayerView]:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            grounds, is_in = event.rules.leaving.grounds, event.tournament.is_in
            order = event.championship.seeds
            found = sorted(event.entrants.values(), key=lambda entrant: (not is_in(entrant.id), order[entrant.id]))
            return [PlayerView(entrant=entrant, is_in=is_in(entrant.id), grounds=grounds) for entrant in found]

        return await self._desk.db.read(work)

    async def show(self, actor: Actor, entrant_id: int) -> PlayerView:
        """NotFound("entrant")."""
        found = next((view for view in await self.all(actor) if view.entrant.id == entrant_id), None)
        if found is None:
            raise NotFound("entrant", id=entrant_id)
        return found

    async def disqualify(self, actor: Actor, entrant_id: int, ground: str, reason: str) -> RulingView:
        """Errors as in `engine.exit_rulings` and `Rulings.make`."""
        return await self._rulings.make(actor, lambda event: disqualify(event.championship, entrant_id, ground), reason)

    async def withdraw(self, actor: Actor, entrant_id: int, reason: str) -> RulingView:
        """R8: for a player who has said so elsewhere, or has left the server. Errors as `disqualify`."""
        return await self._rulings.make(actor, lambda event: withdraw(event.championship, entrant_id), reason)

    async def reinstate(self, actor: Actor, entrant_id: int, reason: str) -> RulingView:
        """R8: whoever is out is in again. Errors as in `engine.exit_rulings` and `Rulings.make`."""
        return await self._rulings.make(actor, lambda event: reinstate(event.championship, entrant_id), reason)

    async def correct_seed(self, actor: Actor, entrant_id: int, seed: int, reason: str) -> SeedView:
        """Q44g. Errors as in `engine.seed_rulings` and `Rulings.make`."""
        made = await self._rulings.make(actor, lambda event: correct_seed(event.championship, entrant_id, seed), reason)
        after = made.preview.after
        order = sorted(after.seeds, key=after.seeds.__getitem__)
        below = order[order.index(entrant_id) + 1 :]
        return SeedView(made=made, entrant=made.event.entered[entrant_id], below=next(iter(below), None))
