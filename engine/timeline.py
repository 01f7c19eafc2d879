"""What happened in the negotiation of a match, in order, and how long each side took to answer (R5.7, R5.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from statistics import median

from engine import ledger
from engine.chain import Chain, root_of
from engine.facts import (
    ColoursSettled,
    DeciderSet,
    DutyWaived,
    EntrantLeft,
    FaultFound,
    ForfeitCounted,
    ForfeitLifted,
    GameRuled,
    MatchBegun,
    MatchExtended,
    MatchPlayed,
    MatchRuled,
    MatchVoided,
    PlayAllowed,
    TimerRuled,
    TimeSet,
    decode,
)
from engine.model import Dispute, DisputeCause, DisputeEnd, Fact, Match, Offer, OfferState
from engine.timers import Timer
from engine.tournament import Result

MatchEvent = (
    MatchPlayed
    | MatchBegun
    | ColoursSettled
    | GameRuled
    | MatchRuled
    | MatchVoided
    | MatchExtended
    | FaultFound
    | DutyWaived
    | TimeSet
    | DeciderSet
    | TimerRuled
    | PlayAllowed
    | ForfeitCounted
    | ForfeitLifted
    | EntrantLeft
)
"""What facts can say about a match; an exit is about it when the result of the match rests on it (R8)."""

_ENDING = TimeSet | DeciderSet | MatchPlayed | MatchRuled | MatchVoided | EntrantLeft
_EVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Published:
    at: datetime


@dataclass(frozen=True, slots=True)
class Offered:
    """`offers`: made at one moment by one side. `moves`: proposals to move the agreed match (R6.3)."""

    at: datetime
    by: int
    offers: tuple[Offer, ...]
    moves: bool


@dataclass(frozen=True, slots=True)
class Retracted:
    at: datetime
    by: int
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class Accepted:
    """With a proposal to move, `offer.moves`, the match was moved."""

    at: datetime
    by: int
    offer: Offer


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    """R5.1, while no time was agreed: by entrant how many offers counted then. `at` is the exclusive end."""

    at: datetime
    counted: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Decided:
    """A fact about the match, judged, ruled, set or played. `stands`: not taken back or replaced since."""

    at: datetime
    fact: Fact
    event: MatchEvent
    stands: bool


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What `of` said no longer stands; with `restored` an earlier taking back was itself taken back."""

    at: datetime
    fact: Fact
    of: MatchEvent
    restored: bool


@dataclass(frozen=True, slots=True)
class Disputed:
    at: datetime
    cause: DisputeCause


@dataclass(frozen=True, slots=True)
class DisputeEnded:
    at: datetime
    outcome: DisputeEnd


@dataclass(frozen=True, slots=True)
class Waited:
    """Somebody has told the bot that the opponent is not there or has left, or has called a break (R6)."""

    at: datetime
    timer: Timer


@dataclass(frozen=True, slots=True)
class WaitEnded:
    """What has come of that."""

    at: datetime
    timer: Timer


Happening = (
    Published
    | Offered
    | Retracted
    | Accepted
    | DeadlinePassed
    | Decided
    | TakenBack
    | Disputed
    | DisputeEnded
    | Waited
    | WaitEnded
)


@dataclass(frozen=True, slots=True)
class Wait:
    """From an offer that asked for an answer to the answer, or to the moment up to which there was none."""

    asked_at: datetime
    until: datetime

    @property
    def lasted(self) -> timedelta:
        return self.until - self.asked_at


@dataclass(frozen=True, slots=True)
class Responses:
    """Of one side. `answered`: in order; `open`: what is not answered, in neither `longest` nor `median`."""

    answered: tuple[Wait, ...]
    open: Wait | None

    @property
    def longest(self) -> timedelta | None:
        return max((wait.lasted for wait in self.answered), default=None)

    @property
    def median(self) -> timedelta | None:
        seconds = [wait.lasted.total_seconds() for wait in self.answered]
        return timedelta(seconds=median(seconds)) if seconds else None


@dataclass(frozen=True, slots=True)
class Timeline:
    """`deadline`: the offer deadline; `responses`: by entrant, those of both sides."""

    happenings: tuple[Happening, ...]
    deadline: datetime
    responses: Mapping[int, Responses]


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What is known of a match. `offers`: of both sides; `deadline`: of offers, exclusive; `counted`: by entrant, how
    many offers count for the duty; `result`: as it stands; `timers`: the ten minutes of its evening."""

    match: Match
    offers: Sequence[Offer]
    disputes: Sequence[Dispute]
    standing: Chain
    deadline: datetime
    counted: Mapping[int, int]
    result: Result | None
    timers: Sequence[Timer] = ()


def timeline(known: Material, now: datetime) -> Timeline:
    """Everything that happened up to `now`, oldest first.

    A fact has its place where it took effect: what was judged as of the deadline at the deadline, however late it was
    recorded. The passing of the offer deadline is told only where it mattered, with no time agreed or set and no result
    before.
    """
    decided = list(_decided(known))
    ended = _ended_at(known.offers, decided)
    in_time = ended is not None and ended < known.deadline
    found: list[Happening] = [*_published(known)]
    if known.deadline <= now and not in_time:
        found.append(DeadlinePassed(known.deadline, known.counted))
    found += [*_offered(known.offers), *_retracted(known.offers), *_accepted(known)]
    found += [*_waited(known.timers), *decided, *_taken_back(known), *_disputes(known.disputes)]
    found.sort(key=lambda happening: happening.at)  # stable: at one moment in the order above
    return Timeline(
        happenings=tuple(found),
        deadline=known.deadline,
        responses={
            side: responses(known.offers, side, min(now, known.deadline), known.deadline, settled=in_time)
            for side in (known.match.a_id, known.match.b_id)
        },
    )


def responses(
    offers: Iterable[Offer], entrant_id: int, until: datetime, deadline: datetime, *, settled: bool
) -> Responses:
    """How long one side took to answer the other's offers (R5.7): to accept one, or to offer a time of its own.

    The reading. An offer asks for an answer. What is offered while an earlier offer is unanswered starts no other wait,
    and one answer answers everything that was asked before it. An offer retracted without an answer asks no more, as if
    it had not been made: if others still ask, the wait began with the first of those. That an offered time has passed
    ends no wait, because another time can still be offered. Nights are not left out; the two may live anywhere.

    Only what was done before the offer `deadline` counts, because R5.8 asks how it came that there was no time by then:
    an answer after it is none, so that whoever answers late looks no worse than who never does. What is unanswered is
    measured up to `until`, now or the deadline; nothing is when the match was `settled` before the deadline, since the
    other side did without the answer. Proposals to move an agreed match ask nothing: its time stands (R6.3).
    """
    counting = [offer for offer in offers if not offer.moves and offer.made_at < deadline]
    asks = [offer for offer in counting if offer.entrant_id != entrant_id]
    acts = {offer.made_at for offer in counting if offer.entrant_id == entrant_id}
    acts |= {at for offer in asks if (at := _changed(offer, OfferState.ACCEPTED)) is not None and at < deadline}
    since = _EVER
    answered: list[Wait] = []
    for at in sorted(acts):
        asked = [o for o in asks if since <= o.made_at < at and not _retracted_before(o, at)]
        if asked:
            answered.append(Wait(min(o.made_at for o in asked), at))
        since = at
    unanswered = [o for o in asks if since <= o.made_at and not _retracted_before(o, deadline)]
    still_open = None if settled or not unanswered else Wait(min(o.made_at for o in unanswered), until)
    return Responses(tuple(answered), still_open)


def _changed(offer: Offer, to: OfferState) -> datetime | None:
    return offer.changed_at if offer.state is to else None


def _retracted_before(offer: Offer, moment: datetime) -> bool:
    at = _changed(offer, OfferState.RETRACTED)
    return at is not None and at < moment


# --- Happenings ---------------------------------------------------------------------------------------------------


def _published(known: Material) -> Iterator[Published]:
    """The first publication of the pair; a repair of the round publishes it again."""
    for fact in known.standing.ledger:
        if any(pair["match_id"] == known.match.id for pair in fact.payload.get("pairs", ())):
            yield Published(fact.occurred_at)
            return


def _offered(offers: Iterable[Offer]) -> Iterator[Offered]:
    made = sorted(offers, key=lambda o: (o.made_at, o.entrant_id, o.moves, o.starts_at, o.id))
    for (at, by, moves), group in groupby(made, key=lambda o: (o.made_at, o.entrant_id, o.moves)):
        yield Offered(at, by, tuple(group), moves)


def _retracted(offers: Iterable[Offer]) -> Iterator[Retracted]:
    gone = [(at, o.entrant_id, o.starts_at, o.id, o) for o in offers if (at := _changed(o, OfferState.RETRACTED))]
    for (at, by), group in groupby(sorted(gone), key=lambda item: item[:2]):
        yield Retracted(at, by, tuple(item[-1] for item in group))


def _accepted(known: Material) -> Iterator[Accepted]:
    for offer in known.offers:
        at = _changed(offer, OfferState.ACCEPTED)
        if at is not None:
            yield Accepted(at, known.match.opponent_of(offer.entrant_id), offer)


def _decided(known: Material) -> Iterator[Decided]:
    standing = {entry.fact.id for entry in known.standing.entries}
    hold = {(said.said.match_id, said.at) for said in ledger.colours(known.standing).values()}
    has_begun = False
    for fact in known.standing.ledger:
        event = _about(known, fact)
        if isinstance(event, MatchBegun):
            if has_begun:
                continue  # with each game there is another; that it began is told once
            has_begun = True
        if event is not None:
            # Colours hold as long as the games before them do (R3.16).
            holds = not isinstance(event, ColoursSettled) or (event.match_id, fact.recorded_at) in hold
            yield Decided(fact.occurred_at, fact, event, fact.id in standing and holds)


def _about(known: Material, fact: Fact) -> MatchEvent | None:
    result_rests_on_it = known.result is not None and known.result.fact_id == fact.id
    if fact.payload.get("match_id") != known.match.id and not result_rests_on_it:
        return None
    event = decode(fact)
    return event if isinstance(event, MatchEvent) else None


def _taken_back(known: Material) -> Iterator[TakenBack]:
    by_id = {fact.id: fact for fact in known.standing.ledger}
    for fact in known.standing.ledger:
        target, restored = root_of(fact, by_id)
        event = _about(known, target) if target is not fact else None
        if event is not None:
            yield TakenBack(fact.occurred_at, fact, event, restored)


def _waited(timers: Iterable[Timer]) -> Iterator[Waited | WaitEnded]:
    for timer in timers:
        yield Waited(timer.called_at, timer)
        if timer.decided_at is not None:
            yield WaitEnded(timer.decided_at, timer)


def _disputes(disputes: Iterable[Dispute]) -> Iterator[Disputed | DisputeEnded]:
    for dispute in disputes:
        yield Disputed(dispute.opened_at, dispute.cause)
        if dispute.ended_at is not None and dispute.outcome is not None:
            yield DisputeEnded(dispute.ended_at, dispute.outcome)


def _ended_at(offers: Iterable[Offer], decided: Iterable[Decided]) -> datetime | None:
    """When the negotiation was over: the first agreement, time that was set, or result that stands."""
    ends = [at for offer in offers if (at := _changed(offer, OfferState.ACCEPTED)) is not None]
    ends += [one.at for one in decided if one.stands and isinstance(one.event, _ENDING)]
    return min(ends, default=None)
