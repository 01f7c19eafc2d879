"""The rulings about a match that has no time yet or missed it (R5.6-R5.10, Q1, Q2, Q5, Q9): each a `Ruling` to preview.

Every decision refuses what makes no sense: Conflict("match_settled") where a result stands, NotFound("match"). Whose
fault it is can be ruled after the offer deadline only, RuleViolation("not_judged_yet"), once, Conflict("fault_ruled"),
and not where the players have agreed, Conflict("already_agreed").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engine import adjudication
from engine.adjudication import Case
from engine.championship import Championship
from engine.errors import Conflict, NotFound, RuleViolation
from engine.facts import (
    CountedGame,
    DeciderSet,
    Draft,
    DutyWaived,
    FaultFound,
    MatchExtended,
    PlayAllowed,
    TimerRuled,
    TimeSet,
)
from engine.knockout import decider_only
from engine.model import KNOCKOUT, Match
from engine.negotiation import Window
from engine.rulings import Ruling
from engine.seating import THIRD_PLACE
from engine.terms import BOTH_FAILED, NO_TERMS, Terms


def case_of(event: Championship, match_id: int, *, game_started: bool = False) -> Case:
    """The match as `adjudication` takes it, with the games recorded so far. NotFound("match")."""
    published, pair = event.tournament.match(match_id)
    rules = event.rules.match(published.stage, third_place=pair.group == THIRD_PLACE)
    alone = event.tournament.terms.get(match_id, NO_TERMS).decider_alone
    return Case(
        pair=pair,
        stage=published.stage,
        rules=decider_only(rules) if alone else rules,
        games=event.tournament.begun.get(match_id, ()),
        tiebreak_games=event.tournament.begun_tiebreaks.get(match_id, ()),
        game_started=game_started,
    )


def fault_of(event: Championship, match: Match, entrant_id: int) -> Ruling:
    """R5.8, R5.9: that player is at fault, so the other sets the time. ValueError for somebody else."""
    if not match.has(entrant_id):
        raise ValueError(f"entrant {entrant_id} does not play match {match.id}")
    _refuse_fault(event, match)
    if _terms(event, match).at_fault == (entrant_id,):
        raise Conflict("nothing_to_change")
    return Ruling("fault", (Draft(FaultFound(match.id, (entrant_id,)), "R5.9"),))


def nobody_at_fault(event: Championship, match: Match) -> Ruling:
    """R5.9: a draw, and no forfeit. RuleViolation("no_draw") in a knock-out (Q33)."""
    _refuse_fault(event, match)
    draw = adjudication.no_fault(case_of(event, match.id), event.rules.no_agreement)
    return Ruling("no_fault", (Draft(FaultFound(match.id, ()), "R5.9"), draw))


def both_at_fault(event: Championship, match: Match) -> Ruling:
    """R5.6: a draw, and a forfeit of each. NeedsTdRuling("games_played") where games are on record (Q1)."""
    both = (match.a_id, match.b_id)
    found: tuple[Draft, ...] = ()
    if _terms(event, match).at_fault == both:
        _refuse_settled(event, match)  # what they agreed on afterwards does not bind the TDs (Q1)
    else:
        _refuse_fault(event, match)
        found = (Draft(FaultFound(match.id, both), "R5.6"),)
    result = adjudication.both_failed(case_of(event, match.id), event.rules.no_agreement)
    return Ruling(BOTH_FAILED, (*found, result))


def waive(event: Championship, match: Match, entrants: Collection[int], *, play_by: datetime | None = None) -> Ruling:
    """R5.10: missing offers are forgiven; a match that R5.6 has decided may be played all the same (Q2), until
    `play_by` if its time is over already.

    Conflict("nothing_to_change") when that is so already.
    """
    result = event.tournament.results.get(match.id)
    if result is not None and result.forfeit == BOTH_FAILED:
        if match.id in event.tournament.allowed:
            raise Conflict("nothing_to_change")
        more = () if play_by is None else (Draft(MatchExtended(match.id, play_by, None), "R5.10"),)
        return Ruling("allowed", (Draft(PlayAllowed(match.id), "R5.10"), *more))
    _refuse_settled(event, match)
    terms = _terms(event, match)
    owing = set(entrants) if terms.fault is None else set(entrants).intersection(terms.fault.at_fault)
    new = tuple(sorted(owing - terms.waived))
    if not new:
        raise Conflict("nothing_to_change")
    return Ruling("waived", (Draft(DutyWaived(match.id, new), "R5.10"),))


def set_time(event: Championship, match: Match, at: datetime, now: datetime, window: Window) -> Ruling:
    """R5.10: the TDs set or move the time. Any minute ahead inside the window: RuleViolation `time_in_the_past`,
    `time_outside_window` (then the match is to be extended first), Conflict("nothing_to_change")."""
    _refuse_settled(event, match)
    if at <= now:
        raise RuleViolation("time_in_the_past", clause="R5.10", at=at)
    if not window.opens <= at < window.closes:
        raise RuleViolation("time_outside_window", clause="R4.4", at=at, closes=window.closes)
    if match.agreed_at == at:
        raise Conflict("nothing_to_change")
    return Ruling("time", (Draft(TimeSet(match.id, at, None), "R5.10"),))


def set_decider(
    event: Championship, match: Match, at: datetime, now: datetime, window: Window, counted: Sequence[CountedGame]
) -> Ruling:
    """Q33: the armageddon game alone, at this minute. `counted`: the games of the match that count now.

    Errors as `set_time`; RuleViolation("no_decider") outside a knock-out, Conflict("games_count") once a game counts,
    Conflict("decider_already") where it is what is left anyway: then its time can be moved.
    """
    set_time(event, replace(match, agreed_at=None), at, now, window)
    if event.tournament.match(match.id)[0].stage not in KNOCKOUT:
        raise RuleViolation("no_decider", clause="Q33")
    if counted:
        raise Conflict("games_count", clause="Q33", games=len(counted))
    if _terms(event, match).decider_alone:
        raise Conflict("decider_already", clause="Q33")
    return Ruling("decider", (Draft(DeciderSet(match.id, at), "Q33"),))


def rule_timers(event: Championship, match: Match, until: Mapping[int, datetime | None]) -> Ruling:
    """R5.10: by id the ten minutes of a match are extended to a moment, or stopped: None. NotFound("no_timer") when
    none run, Conflict("nothing_to_change")."""
    _refuse_settled(event, match)
    if not until:
        raise NotFound("no_timer")
    known = _terms(event, match).timers
    drafts = [Draft(TimerRuled(match.id, id, at), "R5.10") for id, at in until.items() if (id, at) not in known.items()]
    if not drafts:
        raise Conflict("nothing_to_change")
    return Ruling("timer", tuple(drafts))


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Of one match, as they are: for offers that count (R5.1) and for playing (R4.4); both exclusive."""

    offers_by: datetime
    play_by: datetime


def extend(matches: Mapping[int, Deadlines], until: datetime, now: datetime) -> Ruling:
    """Q9, Q10: the matches, by id, may be played until then. An offer deadline still ahead moves along (Q14).

    Conflict("nothing_to_change") when every one of them may be already.
    """
    drafts: list[Draft] = []
    for match_id, old in ((id, old) for id, old in matches.items() if old.play_by != until):
        offers_by = old.offers_by + (until - old.play_by) if now < old.offers_by else None
        drafts.append(Draft(MatchExtended(match_id, until, offers_by), "Q9"))
    if not drafts:
        raise Conflict("nothing_to_change")
    return Ruling("extended", tuple(drafts))


def _terms(event: Championship, match: Match) -> Terms:
    return event.tournament.terms.get(match.id, NO_TERMS)


def _refuse_settled(event: Championship, match: Match) -> None:
    if event.tournament.is_settled(match.id):
        raise Conflict("match_settled")


def _refuse_fault(event: Championship, match: Match) -> None:
    """What stands against a finding of fault by the TDs (R5.1, R5.8)."""
    _refuse_settled(event, match)
    if match.agreed_at is not None:
        raise Conflict("already_agreed", at=match.agreed_at, clause="R5.9")
    terms = _terms(event, match)
    if terms.fault is None:
        raise RuleViolation("not_judged_yet", clause="R5.1")
    if terms.fault.by_td and terms.at_fault:
        raise Conflict("fault_ruled")
