"""What TDs decide about a match that has no time or missed it (R5.8-R5.10, Q1, Q2, Q5), by the one way of rulings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine import match_rulings as decide
from engine.championship import Championship
from engine.errors import Conflict, NotFound
from engine.model import Dispute, DisputeCause, Entrant, Match
from engine.ports import Reader
from engine.rulings import Ruling
from engine.usecases.context import Actor, Desk, Event, current_event, require_td
from engine.usecases.games_now import games_now, match_of, refuse_running
from engine.usecases.matches import MatchView, label, view_match
from engine.usecases.pair_games import read_games
from engine.usecases.rulings import Rulings, RulingView
from engine.usecases.schedule import extension_end

Pure = Callable[[Championship, Match], Ruling]


class Blame(StrEnum):
    """Whose fault it is that there is no time (R5.8): one side's, nobody's (R5.9), both sides' (R5.6)."""

    A = "a"
    B = "b"
    NOBODY = "nobody"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A dispute that waits, with its match."""

    dispute: Dispute
    label: str
    view: MatchView


class MatchRulings:
    def __init__(self, desk: Desk, rulings: Rulings) -> None:
        self._desk = desk
        self._rulings = rulings

    async def blame(self, actor: Actor, match_id: int, blame: Blame, reason: str) -> RulingView:
        """R5.6, R5.8, R5.9. Errors as in `engine.match_rulings` and `Rulings.make`."""

        def pure(event: Championship, match: Match) -> Ruling:
            if blame is Blame.NOBODY:
                return decide.nobody_at_fault(event, match)
            if blame is Blame.BOTH:
                return decide.both_at_fault(event, match)
            return decide.fault_of(event, match, match.a_id if blame is Blame.A else match.b_id)

        return await self._make(actor, match_id, pure, reason)

    async def rule(self, actor: Actor, dispute_id: int, blame: Blame, reason: str) -> RulingView:
        """The answer to a dispute that waits. NotFound("dispute"), Conflict("dispute_answered")."""

        def work(reader: Reader) -> Dispute:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            found = reader.one(Dispute, id=dispute_id, edition_id=event.edition.id)
            if found is None:
                raise NotFound("dispute", id=dispute_id)
            if found.outcome is not None:
                raise Conflict("dispute_answered", id=dispute_id)
            if found.cause is not DisputeCause.NO_AGREEMENT:
                raise Conflict("dispute_not_about_time", clause="R1.3", id=dispute_id)
            return found

        dispute = await self._desk.db.read(work)
        return await self.blame(actor, dispute.match_id, blame, reason)

    async def waive(self, actor: Actor, match_id: int, reason: str, entrant_id: int | None = None) -> RulingView:
        """R5.10, Q2: the missing offers of one player, or of both, are forgiven."""

        now = self._desk.clock.now()

        def forgiven(event: Event) -> Ruling:
            match = match_of(event, match_id)
            whose = (match.a_id, match.b_id) if entrant_id is None else (entrant_id,)
            is_over = now >= event.window(match).closes
            play_by = extension_end(event, now, [match]) if is_over else None
            return decide.waive(event.championship, match, whose, play_by=play_by)

        return await self._rulings.make(actor, forgiven, reason, match_id=match_id)

    async def set_time(self, actor: Actor, match_id: int, at: datetime, reason: str) -> RulingView:
        """R5.10, Q5: the TDs set or move the time."""
        now = self._desk.clock.now()

        def chosen(event: Event) -> Ruling:
            match = match_of(event, match_id)
            return decide.set_time(event.championship, match, at, now, event.window(match))

        return await self._rulings.make(actor, chosen, reason, match_id=match_id)

    async def set_decider(self, actor: Actor, match_id: int, at: datetime, reason: str) -> RulingView:
        """Q33: a knock-out match is left to the armageddon game alone, at this time."""
        now = self._desk.clock.now()
        _, games, _ = await games_now(self._desk, actor, match_id)

        def alone(event: Event) -> Ruling:
            match = match_of(event, match_id)
            refuse_running(event, match, games)
            counted = read_games(event, match, games).all_counted
            return decide.set_decider(event.championship, match, at, now, event.window(match), counted)

        return await self._rulings.make(actor, alone, reason, match_id=match_id)

    async def match(self, actor: Actor, match_id: int) -> MatchView:
        """A match as a TD sees it before a decision."""

        def work(reader: Reader) -> MatchView:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            return view_match(reader, event, match_of(event, match_id), self._desk.clock.now())

        return await self._desk.db.read(work)

    async def choices(self, actor: Actor) -> list[tuple[int, str]]:
        """Every match of the edition for autocomplete, open ones first, newest first: (id, "R3 · alice – bob")."""

        def work(reader: Reader) -> list[tuple[int, str]]:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            order = sorted(event.matches.values(), key=lambda m: (event.is_settled(m), -m.round_id, m.board))
            return [(match.id, label(event, match)) for match in order]

        return await self._desk.db.read(work)

    async def disputes(self, actor: Actor) -> Sequence[Waiting]:
        """Those that wait for the TDs, oldest first."""

        def work(reader: Reader) -> list[Waiting]:
            require_td(reader, actor)
            event, now = current_event(reader, self._desk.folds, actor.guild_id), self._desk.clock.now()
            found = reader.find(Dispute, edition_id=event.edition.id, outcome=None)
            return [
                Waiting(dispute=dispute, label=label(event, match), view=view_match(reader, event, match, now))
                for dispute in found
                for match in (event.matches[dispute.match_id],)
            ]

        return await self._desk.db.read(work)

    async def entrant_of(self, actor: Actor, match_id: int, discord_id: int) -> Entrant:
        """The player of a match behind a Discord user; NotFound("no_such_player")."""

        def work(reader: Reader) -> Entrant:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            match = match_of(event, match_id)
            for entrant_id in (match.a_id, match.b_id):
                if event.discord_id(entrant_id) == discord_id:
                    return event.entrants[entrant_id]
            raise NotFound("no_such_player", label=label(event, match))

        return await self._desk.db.read(work)

    async def _make(self, actor: Actor, match_id: int, pure: Pure, reason: str) -> RulingView:
        def decide(event: Event) -> Ruling:
            return pure(event.championship, match_of(event, match_id))

        return await self._rulings.make(actor, decide, reason, match_id=match_id)
