"""A match as people see it: sides, offers, duty, result; and which match a player means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine.errors import BadInput, Conflict, NotAllowed, NotFound
from engine.model import EditionState, Entrant, Match, Offer, OfferState, Person, Report, Round
from engine.negotiation import Duty, Window, duty
from engine.ports import Reader
from engine.reading import duty_rules
from engine.rules import Ruleset
from engine.tournament import Result
from engine.usecases.context import Actor, Event, Folds, current_event, known_person, load_event


class Phase(StrEnum):
    """Where a match is; follows from the agreed time, the ledger and the present, never stored.

    OVERDUE: its window has closed without a result, and nothing is decided by silence (Q7).
    """

    NEGOTIATING = "negotiating"
    AGREED = "agreed"
    OVERDUE = "overdue"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    entrant: Entrant
    discord_id: int | None
    duty: Duty
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchView:
    """Everything a card or a reply needs. `offers` are those of both sides that can still be accepted at `now`,
    soonest first.

    `asked_to_confirm`: a report that waits for the other side to name the same first game (Q12).
    """

    match: Match
    round: Round
    rules: Ruleset
    title: str
    a: Side
    b: Side
    offers: tuple[Offer, ...]
    reports: tuple[Report, ...]
    result: Result | None
    extended_until: datetime | None
    now: datetime

    @property
    def phase(self) -> Phase:
        if self.result is not None:
            return Phase.FINISHED
        if self.now >= self.play_by:
            return Phase.OVERDUE
        return Phase.AGREED if self.match.agreed_at is not None else Phase.NEGOTIATING

    @property
    def sides(self) -> tuple[Side, Side]:
        return (self.a, self.b)

    @property
    def play_by(self) -> datetime:
        """The end of the match's window, exclusive: the round's, or what a TD extended it to."""
        return self.extended_until or self.round.matches_by

    def side(self, entrant_id: int) -> Side:
        return self.a if entrant_id == self.a.entrant.id else self.b

    def other(self, entrant_id: int) -> Side:
        return self.b if entrant_id == self.a.entrant.id else self.a

    def side_of_person(self, person_id: int) -> Side | None:
        return next((side for side in self.sides if side.entrant.person_id == person_id), None)


def window_of(view_round: Round, extended_until: datetime | None = None) -> Window:
    """R4.3, R4.4: from the publication to the match deadline, or to what a TD extended it to (Q10)."""
    return Window(opens=view_round.published_at, closes=extended_until or view_round.matches_by)


def side_duty(event: Event, round: Round, offers: Sequence[Offer]) -> Duty:
    return duty(offers, round.offers_by, window_of(round), duty_rules(event.rules))


def view_match(reader: Reader, event: Event, match: Match, now: datetime) -> MatchView:
    round = event.round_of(match)
    offers = reader.find(Offer, match_id=match.id)

    def side(entrant_id: int) -> Side:
        own = tuple(offer for offer in offers if offer.entrant_id == entrant_id)
        return Side(
            entrant=event.entrants[entrant_id],
            discord_id=event.discord_id(entrant_id),
            duty=side_duty(event, round, own),
            offers=own,
        )

    return MatchView(
        match=match,
        round=round,
        rules=event.rules,
        title=event.edition.title,
        a=side(match.a_id),
        b=side(match.b_id),
        offers=tuple(sorted((o for o in offers if is_open(o, now)), key=lambda o: (o.starts_at, o.id))),
        reports=tuple(reader.find(Report, match_id=match.id)),
        result=event.tournament.results.get(match.id),
        extended_until=event.tournament.extended.get(match.id),
        now=now,
    )


def is_open(offer: Offer, now: datetime) -> bool:
    """Neither answered nor retracted, and its time, or the end of its range, is still ahead (Q3)."""
    return offer.state is OfferState.OPEN and (offer.ends_at or offer.starts_at) > now


def load_match(reader: Reader, folds: Folds, match_id: int, now: datetime) -> MatchView:
    match = reader.get(Match, match_id)
    return view_match(reader, load_event(reader, folds, match.edition_id), match, now)


@dataclass(frozen=True, slots=True)
class Seat:
    """A player at a match: what every player's command about a match starts from."""

    event: Event
    person: Person
    entrant: Entrant
    match: Match
    round: Round


def find_seat(
    reader: Reader, folds: Folds, actor: Actor, match_id: int | None, *, keep: bool = True, finished: bool = False
) -> Seat:
    """The match a player means: the named one, else the only open one.

    With `finished` the newest match is meant when none is open (a second `/report` finds the result).
    NotAllowed("not_an_entrant"), NotAllowed("not_your_match"), NotFound("no_open_match"), BadInput("which_match").
    """
    event = current_event(reader, folds, actor.guild_id, keep=keep)
    person = known_person(reader, actor)
    entrant = event.entrant_of(person.id) if person else None
    if person is None or entrant is None:
        raise NotAllowed("not_an_entrant", title=event.edition.title, closed=event.edition.state is EditionState.CLOSED)
    if match_id is not None:
        match = event.matches.get(match_id)
        if match is None:
            raise NotFound("match", id=match_id)
        if not match.has(entrant.id):
            raise NotAllowed("not_your_match", a=event.name(match.a_id), b=event.name(match.b_id))
        return Seat(event, person, entrant, match, event.round_of(match))
    mine = [m for m in event.matches.values() if m.has(entrant.id)]
    candidates = [m for m in mine if not event.has_result(m)]
    if not candidates and finished and mine:
        candidates = [max(mine, key=lambda m: m.id)]
    if not candidates:
        raise NotFound("no_open_match", title=event.edition.title)
    if len(candidates) > 1:
        raise BadInput("which_match", matches=tuple(label(event, m) for m in candidates))
    return Seat(event, person, entrant, candidates[0], event.round_of(candidates[0]))


def label(event: Event, match: Match) -> str:
    """`R3 · alice – bob`, as autocomplete shows it."""
    return f"R{event.round_of(match).number} · {event.name(match.a_id)} – {event.name(match.b_id)}"


def refuse_finished(seat: Seat) -> None:
    if seat.event.has_result(seat.match):
        opponent = seat.event.name(seat.match.opponent_of(seat.entrant.id))
        raise Conflict("match_finished", opponent=opponent, number=seat.round.number)
