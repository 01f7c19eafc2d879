"""What is due in the negotiation of a match: the judgement at the offer deadline and what follows (R5.5-R5.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.chain import chain
from engine.facts import Draft, FaultFound, PlayAllowed, Reverted, kind_of
from engine.match_rulings import both_at_fault
from engine.model import KNOCKOUT, DisputeCause, Fact, Match, Round
from engine.negotiation import agreed_in_time
from engine.rulings import Ruling, preview
from engine.scoring import Fault
from engine.usecases.context import Event, record
from engine.usecases.disputes import open_dispute
from engine.usecases.matches import right_of, side_duty
from engine.usecases.occurrences import Agenda, Due, Handler, Kind, Task
from engine.usecases.pair_games import read_games
from engine.usecases.posts import Outbox
from engine.usecases.rulings import Signature, enact

_ANY_FAULT = FaultFound(0, ())
BY_RULE = "Neither made the offers by the deadline, and no game of theirs was found on Lichess."
NOT_PLAYED = "They were let play all the same, and no game that counts was found on Lichess."
_CLAUSES = ("R5.8", "R5.5", "R5.6")
"""By how many are at fault."""


def due(agenda: Agenda) -> Iterator[Due]:
    event = agenda.event
    for deadline, matches in _to_judge(agenda).items():
        # Who has to be judged is in the key: an undo may bring a match back that the first judgement passed over.
        names = ",".join(str(match.id) for match in matches)
        yield Due(f"judge:{deadline:%Y-%m-%dT%H:%M}:{names}", Kind.JUDGE, deadline, names)
    for match in event.open_matches():
        if not event.has_result(match):
            yield from _of_match(agenda, match)
        else:
            yield from _of_allowed(agenda, match)


def _of_match(agenda: Agenda, match: Match) -> Iterator[Due]:
    event, now = agenda.event, agenda.now
    terms = event.terms(match)
    if terms.fault is not None and terms.both_failed:
        key = f"match:{match.id}:both-failed:{terms.fault.fact_id}"
        yield Due(key, Kind.BOTH_FAILED, terms.fault.deemed_at, match_id=match.id, games_of=match.id)
    right = right_of(event, match)
    if terms.fault is not None and right is not None and terms.fault.found_at < right.until <= now:
        # By its end too: a right may come back when a TD extends the match.
        key = f"match:{match.id}:right-ended:{terms.fault.fact_id}:{right.until:%Y-%m-%dT%H:%M}"
        yield Due(key, Kind.RIGHT_ENDED, right.until, match_id=match.id)


def _of_allowed(agenda: Agenda, match: Match) -> Iterator[Due]:
    """Q2: of a match that may be played in spite of its result, by permission and deadline."""
    event = agenda.event
    deadline, end = event.window(match).closes, _allowed_until(event, match)
    key = f"match:{match.id}:allowed:{_allowed(event, match)[-1].id}:{deadline:%Y-%m-%d}"
    if deadline <= agenda.now:
        yield Due(f"{key}:ends", Kind.ALLOWED_ENDS, deadline, match_id=match.id)
    if end <= agenda.now:
        yield Due(f"{key}:over", Kind.ALLOWED_OVER, end, match_id=match.id, games_of=match.id)


def _allowed_until(event: Event, match: Match) -> datetime:
    """Until when a match in play at its deadline is finished (Q8), where a TD has let them play all the same (Q2)."""
    return event.window(match).closes + event.rules.games.finish_by


def _allowed(event: Event, match: Match) -> list[Fact]:
    """The permissions to play all the same that stand, oldest first."""
    return [entry.fact for entry, said in chain(event.ledger.facts).of(PlayAllowed) if said.match_id == match.id]


def moments(agenda: Agenda) -> Iterator[datetime]:
    event = agenda.event
    for round in event.rounds:
        if not event.tournament.round(round.id).closed:
            yield round.offers_by
    for match in event.open_matches():
        yield event.offers_by(match)
        yield event.window(match).closes
        yield _allowed_until(event, match)
        right = right_of(event, match)
        if right is not None:
            yield right.until


# --- The judgement ----------------------------------------------------------------------------------------------


def _judge(task: Task) -> None:
    """R5.1: once, at the deadline, on what was offered by then, whenever the bot gets to it."""
    for match in _to_judge(task.agenda)[task.due.at]:
        _find_fault(task, match, task.event.round_of(match))


def _to_judge(agenda: Agenda) -> dict[datetime, list[Match]]:
    """By their deadline the matches whose offers have to be judged now and never were, in the order of their ids."""
    event = agenda.event
    judged = {fact.payload["match_id"] for fact in event.ledger.facts if fact.kind == kind_of(_ANY_FAULT)}
    found: dict[datetime, list[Match]] = {}
    for match in event.open_matches():
        deadline = event.offers_by(match)
        if deadline <= agenda.now and match.id not in judged and _has_to_be_judged(agenda, match):
            found.setdefault(deadline, []).append(match)
    return found


def _has_to_be_judged(agenda: Agenda, match: Match) -> bool:
    """Not where they had agreed in time, or play already, or a TD was faster, nor a match younger than the deadline."""
    event, deadline = agenda.event, agenda.event.offers_by(match)
    terms = event.terms(match)
    if event.has_result(match) or terms.fault is not None or match.id in event.tournament.begun:
        return False
    if event.came_late(match):
        return False
    if terms.first_set_at is not None and terms.first_set_at < deadline:
        return False
    return not agreed_in_time(agenda.offers.get(match.id, ()), deadline)


def _find_fault(task: Task, match: Match, round: Round) -> None:
    event, agenda = task.event, task.agenda
    owing = () if event.owed_nothing(match) else (match.a_id, match.b_id)
    at_fault = tuple(entrant for entrant in owing if not _has_offered(agenda, match, entrant))
    fact = record(
        task.store,
        event.edition.id,
        FaultFound(match.id, at_fault),
        task.now,
        clause=_CLAUSES[len(at_fault)],
        occurred_at=event.offers_by(match),
    )
    if match.agreed_at is not None and len(at_fault) < 2:
        return  # agreed in the seconds since: nobody has to choose or to decide any more
    outbox = Outbox(task.store, event.edition.guild_id, task.now)
    outbox.decided(match, fact.id)
    outbox.match_changed(match, round)
    if not at_fault:
        open_dispute(task.store, outbox, match, DisputeCause.NO_AGREEMENT, task.now)


def _has_offered(agenda: Agenda, match: Match, entrant_id: int) -> bool:
    """R5.1, or R5.10: forgiven."""
    waived = entrant_id in agenda.event.terms(match).waived
    return waived or side_duty(agenda.event, match, agenda.offers_of(match, entrant_id)).met


# --- What follows -----------------------------------------------------------------------------------------------


def _both_failed(task: Task) -> None:
    """R5.6, as of the deadline; where they have played or agreed all the same a TD decides (Q1)."""
    event, match = task.event, task.match
    reading = read_games(event, match, task.games)
    running = any(faulty.faults == (Fault.UNFINISHED,) for faulty in reading.faulty)
    if match.agreed_at is not None or reading.counted or reading.first_candidate is not None or running:
        games = len(reading.counted)
        outbox = Outbox(task.store, event.edition.guild_id, task.now)
        outbox.td(task.due.key, "both_failed_but", edition_id=event.edition.id, match_id=match.id, games=games)
        return
    ruling = both_at_fault(event.championship, match)
    signed = Signature(author=None, reason=BY_RULE, at=task.now, command_id=None, since=task.due.at)
    enact(task.store, event, ruling, preview(event.championship, ruling, task.now), signed)
    if event.round_of(match).stage in KNOCKOUT:  # the forfeits count, the match goes on (Q34)
        outbox = Outbox(task.store, event.edition.guild_id, task.now)
        outbox.td(f"{task.due.key}:time", "time_to_set", edition_id=event.edition.id, match_id=match.id)


def _right_ended(task: Task) -> None:
    """Q5: whoever had the right has set no time, so a TD sets it."""
    event, match = task.event, task.match
    outbox = Outbox(task.store, event.edition.guild_id, task.now)
    outbox.td(task.due.key, "time_to_set", edition_id=event.edition.id, match_id=match.id)
    outbox.match_changed(match, event.round_of(match))


def _allowed_ends(task: Task) -> None:
    """The card says so; who has played may still report."""
    Outbox(task.store, task.event.edition.guild_id, task.now).match_thread(task.match)


def _allowed_over(task: Task) -> None:
    """Q2: they could have played and have not, so what R5.6 made of the match is the end of it."""
    event, match = task.event, task.match
    reading = read_games(event, match, task.games)
    if reading.counted or reading.first_candidate is not None:
        outbox = Outbox(task.store, event.edition.guild_id, task.now)
        outbox.td(task.due.key, "allowed_unreported", edition_id=event.edition.id, match_id=match.id)
        outbox.overdue(match, event.window(match).closes)
        return
    ended = (Draft(Reverted(), "R5.10", reverts_id=fact.id) for fact in _allowed(event, match))
    ruling = Ruling("allowed_over", tuple(ended))
    signed = Signature(author=None, reason=NOT_PLAYED, at=task.now, command_id=None)
    enact(task.store, event, ruling, preview(event.championship, ruling, task.now), signed)


HANDLERS: Mapping[Kind, Handler] = {
    Kind.JUDGE: _judge,
    Kind.BOTH_FAILED: _both_failed,
    Kind.RIGHT_ENDED: _right_ended,
    Kind.ALLOWED_ENDS: _allowed_ends,
    Kind.ALLOWED_OVER: _allowed_over,
}
