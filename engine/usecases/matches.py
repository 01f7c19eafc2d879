"""A match as people see it: sides, offers, duty, result; and which match a player means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from engine.armageddon import Bidding, ColoursFixed
from engine.calendar import choose_by
from engine.conduct import due_disqualifications
from engine.errors import BadInput, Conflict, NotAllowed, NotFound
from engine.facts import CountedGame, GameDecision
from engine.knockout import decider_only
from engine.model import (
    KNOCKOUT,
    Dispute,
    DisputeCause,
    EditionState,
    Entrant,
    Match,
    Offer,
    OfferState,
    Person,
    Post,
    Report,
    Round,
)
from engine.negotiation import Duty, Right, Window, duty, right_to_choose
from engine.ports import Reader
from engine.reading import choice_rules, duty_rules
from engine.rules import MatchRules, Ruleset
from engine.seating import THIRD_PLACE
from engine.terms import Terms
from engine.timers import Timer, TimerKind, breaks_used, ends_at, stands_against
from engine.tournament import Result
from engine.usecases.bids import bidding_of
from engine.usecases.context import Actor, Event, Folds, current_event, known_person, load_event
from engine.usecases.posts import result_key


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
    soonest first; while a time is agreed these are the proposals to move it.

    `offers_by`: until when offers count for the duty (exclusive). `right`: who may set the time now or could until it
    ended (R5.5). `dispute`: one about the time that waits for the TDs (R5.8). `allowed`: it may be
    played in spite of its result (Q2).
    `due_out`: who of the two is disqualified with the next pairings for having forfeited too often (R6.5, Q25).
    `reports`: those that wait for the other side to name the same first game (Q12). `begun`: the counted games so far
    of a match that waits for a result; none where it was `taken_back` by a TD. `ruled_games`: what TDs have said of
    single games (Q35); `reopened`: such a ruling has left a decided match open. `in_play`: its deadline has
    passed while it was played, and it may be finished (Q8); `may_claim`: the entrant who may claim the win. `group`:
    the pool, the semifinal or the final it belongs to. `begun_tiebreak`: the tiebreak games so far; `tied_at`: since
    when only the armageddon game can decide, `colours` who has White in it, and `bidding` what it waits for now
    (R3.13-R3.16). `replaced`: others have taken these seats, it is not played any more (R8.4, R8.5). `came_late`: it
    took the place of another after the time for offers, so nobody owes any.
    `left`: who of the two is out of the event. `absence`: the newest report of absence at the agreed time that stands
    against another (R6.3).
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
    offers_by: datetime
    terms: Terms
    right: Right | None = None
    dispute: Dispute | None = None
    allowed: bool = False
    due_out: tuple[int, ...] = ()
    begun: tuple[CountedGame, ...] = ()
    taken_back: bool = False
    begun_tiebreak: tuple[CountedGame, ...] = ()
    tied_at: datetime | None = None
    colours: ColoursFixed | None = None
    bidding: Bidding | None = None
    group: str = ""
    replaced: bool = False
    came_late: bool = False
    left: tuple[int, ...] = ()
    ruled_games: Mapping[str, GameDecision] = field(default_factory=dict[str, GameDecision])
    reopened: bool = False
    in_play: bool = False
    may_claim: int | None = None
    absence: Timer | None = None

    @property
    def phase(self) -> Phase:
        if self.result is not None and not self.allowed:
            return Phase.FINISHED
        if self.now >= self.play_by:
            return Phase.OVERDUE
        return Phase.AGREED if self.match.agreed_at is not None else Phase.NEGOTIATING

    @property
    def match_rules(self) -> MatchRules:
        """How many games of this match, and how they are played (R3.1, R3.3, R3.10, R3.14, Q33)."""
        rules = self.rules.match(self.round.stage, third_place=self.group == THIRD_PLACE)
        return decider_only(rules) if self.terms.decider_alone else rules

    @property
    def is_knockout(self) -> bool:
        """A match that somebody wins (R3.13)."""
        return self.round.stage in KNOCKOUT

    @property
    def sides(self) -> tuple[Side, Side]:
        return (self.a, self.b)

    @property
    def window(self) -> Window:
        """When the match may be played (R4.3, R4.4, Q10)."""
        return Window(self.round.published_at, self.play_by)

    @property
    def play_by(self) -> datetime:
        """The end of the match's window, exclusive: the round's, or what a TD extended it to."""
        return self.extended_until or self.round.matches_by

    @property
    def finish_by(self) -> datetime:
        """Q8: until when (exclusive) games of a match count that was begun before its deadline."""
        return self.play_by + self.rules.games.finish_by

    @property
    def chooser(self) -> Side | None:
        """Who may set the time now (R5.5, R5.9)."""
        open_now = self.right is not None and self.now < self.right.until and self.phase is Phase.NEGOTIATING
        return self.side(self.right.entrant_id) if self.right is not None and open_now else None

    def side(self, entrant_id: int) -> Side:
        return self.a if entrant_id == self.a.entrant.id else self.b

    def other(self, entrant_id: int) -> Side:
        return self.b if entrant_id == self.a.entrant.id else self.a

    def side_of_person(self, person_id: int) -> Side | None:
        return next((side for side in self.sides if side.entrant.person_id == person_id), None)


def side_duty(event: Event, match: Match, offers: Sequence[Offer]) -> Duty:
    """R5.1, R5.4: of one player, by the deadline and the window that the match has now."""
    return duty(offers, event.offers_by(match), event.window(match), duty_rules(event.rules))


def right_of(event: Event, match: Match) -> Right | None:
    """Who may, or might, set the time of a match (R5.5, R5.9): until the Sunday after the match's own deadline."""
    usual = choose_by(event.rules, replace(event.round_of(match), offers_by=event.offers_by(match)))
    return right_to_choose(match, event.terms(match), usual, event.window(match), choice_rules(event.rules))


def view_match(reader: Reader, event: Event, match: Match, now: datetime) -> MatchView:
    round = event.round_of(match)
    offers = reader.find(Offer, match_id=match.id)

    def side(entrant_id: int) -> Side:
        own = tuple(offer for offer in offers if offer.entrant_id == entrant_id)
        return Side(
            entrant=event.entrants[entrant_id],
            discord_id=event.discord_id(entrant_id),
            duty=side_duty(event, match, own),
            offers=own,
        )

    return MatchView(
        match=match,
        round=round,
        rules=event.rules,
        title=event.edition.title,
        a=side(match.a_id),
        b=side(match.b_id),
        offers=tuple(sorted(on_the_table(match, offers, now), key=lambda o: (o.starts_at, o.id))),
        reports=tuple(reader.find(Report, match_id=match.id)),
        result=event.tournament.results.get(match.id),
        extended_until=event.terms(match).play_by,
        now=now,
        offers_by=event.offers_by(match),
        terms=event.terms(match),
        right=right_of(event, match),
        dispute=reader.one(Dispute, match_id=match.id, cause=DisputeCause.NO_AGREEMENT, outcome=None),
        allowed=match.id in event.tournament.allowed,
        due_out=tuple(e for e in (match.a_id, match.b_id) if e in due_out(event)),
        begun=() if event.was_taken_back(match) else event.tournament.begun.get(match.id, ()),
        taken_back=event.was_taken_back(match),
        group=event.group_of(match),
        replaced=not event.is_paired(match),
        came_late=event.came_late(match),
        left=tuple(e for e in (match.a_id, match.b_id) if not event.tournament.is_in(e)),
        begun_tiebreak=event.tournament.begun_tiebreaks.get(match.id, ()),
        tied_at=event.tied_at(match),
        colours=event.colours(match),
        bidding=bidding_of(reader, event, match, now),
        ruled_games=event.tournament.ruled_games.get(match.id, {}),
        reopened=match.id in event.tournament.reopened and not event.has_result(match),
        in_play=in_play(reader, event, match, now),
        may_claim=may_claim(reader, event, match, now),
        absence=_absence(reader, event, match, now),
    )


def in_play(reader: Reader, event: Event, match: Match, now: datetime) -> bool:
    """Q8: begun before its deadline, which has passed, and to be finished: a game counts, or the first is running."""
    closes = event.window(match).closes
    if not closes <= now < closes + event.rules.games.finish_by or event.is_settled(match):
        return False
    if event.tournament.begun.get(match.id):
        return not event.was_taken_back(match)
    live = reader.one(Post, key=result_key(match.id))
    return live is not None and live.payload.get("running") is not None


def may_claim(reader: Reader, event: Event, match: Match, now: datetime) -> int | None:
    """R6.3, R6.4: who has waited ten minutes for the other and has not chosen yet. Neither the deadline nor its
    extension takes that from them; only a TD, by stopping the ten minutes (R5.10)."""
    if match.agreed_at is None or now < match.agreed_at or event.is_settled(match):
        return None
    rules, terms, timers = event.rules.evening, event.terms(match), reader.find(Timer, match_id=match.id)
    for timer in timers:
        over = ends_at(rules, terms, timer)
        open_now = timer.outcome is None and timer.agreed_at == match.agreed_at and over is not None and over <= now
        gone = match.opponent_of(timer.entrant_id)
        used = breaks_used(rules, terms, timers, gone, before=timer) if timer.kind is TimerKind.LEFT else -1
        if open_now and timer.kind is not TimerKind.BREAK and used < rules.breaks:
            return timer.entrant_id
    return None


def _absence(reader: Reader, event: Event, match: Match, now: datetime) -> Timer | None:
    if match.agreed_at is None or now < match.agreed_at:
        return None
    reported = reader.find(Timer, match_id=match.id, kind=TimerKind.ABSENT, agreed_at=match.agreed_at)
    terms, ruled = event.terms(match), event.tournament.ruled_games.get(match.id, {})
    return next((one for one in reversed(reported) if stands_against(terms, ruled, one)), None)


def due_out(event: Event) -> frozenset[int]:
    """Who has forfeited too often and is out with the next pairings, unless a TD decides otherwise (R6.5, Q25)."""
    found = due_disqualifications(event.tournament, event.rules.forfeits.to_disqualify)
    return frozenset(left.entrant_id for left in found)


def on_the_table(match: Match, offers: Iterable[Offer], now: datetime) -> list[Offer]:
    """What can still be accepted: once a time is agreed, only proposals to move the match."""
    return [offer for offer in offers if is_open(offer, now) and (offer.moves or match.agreed_at is None)]


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
    reader: Reader,
    folds: Folds,
    actor: Actor,
    match_id: int | None,
    *,
    keep: bool = True,
    finished: bool = False,
    fits: Callable[[Event, Match], bool] | None = None,
) -> Seat:
    """The match a player means: the named one, else the open one in whose thread it is said, else the only open one.
    Of several the only one that `fits` what is asked, as on the evening there is no time to name it.

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
        if not event.is_paired(match):
            raise Conflict("match_replaced", clause="R8.4", opponent=event.name(match.opponent_of(entrant.id)))
        return Seat(event, person, entrant, match, event.round_of(match))
    mine = [m for m in event.matches.values() if m.has(entrant.id) and event.is_paired(m)]
    candidates = [m for m in mine if not event.is_settled(m)]
    if not candidates and finished and mine:
        candidates = [max(mine, key=lambda m: m.id)]
    if not candidates:
        raise NotFound("no_open_match", title=event.edition.title)
    candidates = [m for m in candidates if actor.place_id and m.thread_id == actor.place_id] or candidates
    if len(candidates) > 1 and fits is not None:
        candidates = [match for match in candidates if fits(event, match)] or candidates
    if len(candidates) > 1:
        raise BadInput("which_match", matches=tuple(label(event, m) for m in candidates))
    return Seat(event, person, entrant, candidates[0], event.round_of(candidates[0]))


def label(event: Event, match: Match) -> str:
    """`R3 · alice – bob`, as autocomplete shows it."""
    return f"{event.round_of(match).code} · {event.name(match.a_id)} – {event.name(match.b_id)}"


def refuse_finished(seat: Seat) -> None:
    if seat.event.is_settled(seat.match):
        opponent = seat.event.name(seat.match.opponent_of(seat.entrant.id))
        raise Conflict("match_finished", opponent=opponent, number=seat.round.number)
