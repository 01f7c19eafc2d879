"""What a player says of a match that its games do not show: a claim, which is no result (R1.1, R1.3, Q22, Q38c)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engine.model import DisputeCause, DisputeEnd, Match, Report
from engine.ports import Reader, Store
from engine.scoring import Fault, MatchScore
from engine.usecases.context import Event
from engine.usecases.disputes import end_dispute, open_dispute
from engine.usecases.matches import Seat
from engine.usecases.posts import Outbox

_ASKABLE = frozenset({Fault.OTHER_ACCOUNT, Fault.NEEDS_TD})


def own_report(reader: Reader, seat: Seat) -> Report | None:
    return reader.one(Report, match_id=seat.match.id, entrant_id=seat.entrant.id)


def other_report(reader: Reader, seat: Seat) -> Report | None:
    return reader.one(Report, match_id=seat.match.id, entrant_id=seat.match.opponent_of(seat.entrant.id))


def put_report(
    store: Store,
    seat: Seat,
    now: datetime,
    *,
    first_game_id: str | None = None,
    claimed: tuple[int, int] | None = None,
) -> Report:
    """One report of each player; the newer word replaces the older. `claimed`: half-points of a and b."""
    report = own_report(store, seat)
    if report is None:
        report = store.add(Report(match_id=seat.match.id, entrant_id=seat.entrant.id, first_game_id=None, made_at=now))
    if first_game_id is not None:
        report = replace(report, first_game_id=first_game_id, made_at=now)
    if claimed is not None:
        report = replace(report, claimed_a=claimed[0], claimed_b=claimed[1], made_at=now)
    return store.save(report)


def claim(store: Store, outbox: Outbox, seat: Seat, score: tuple[int, int], now: datetime) -> tuple[int, int] | None:
    """Q22: a score without games. The TDs are told; two that differ are a dispute, which ends when they are the same.

    `score` in half-points, the reporter's first; so is what the other side has claimed, if anything.
    """
    first = seat.entrant.id == seat.match.a_id
    mine = put_report(store, seat, now, claimed=score if first else (score[1], score[0]))
    theirs = other_report(store, seat)
    key = f"match:{seat.match.id}:score_without_games"
    event, match = seat.event, seat.match
    claims = [
        [report.entrant_id, report.claimed_a, report.claimed_b]
        for report in sorted(store.find(Report, match_id=match.id), key=lambda one: one.id)
        if report.claimed is not None
    ]
    outbox.td_news(key, "score_without_games", edition_id=event.edition.id, match_id=match.id, claims=claims)
    if theirs is None or theirs.claimed is None:
        return None
    if theirs.claimed == mine.claimed:
        end_dispute(store, outbox, match, DisputeEnd.AGREED, now, cause=DisputeCause.REPORTS_DIFFER)
    else:
        open_dispute(store, outbox, match, DisputeCause.REPORTS_DIFFER, now)
    return theirs.claimed if first else (theirs.claimed[1], theirs.claimed[0])


def from_another_account(event: Event, match: Match, reading: MatchScore, linked: Sequence[str]) -> tuple[str, ...]:
    """Q38c: of the linked games those that only a TD could count, because one account is nobody's."""
    ruled = event.tournament.ruled_games.get(match.id, {})
    return tuple(
        bad.game_id
        for bad in reading.faulty
        if bad.game_id in linked
        and bad.game_id not in ruled
        and Fault.OTHER_ACCOUNT in bad.faults
        and _ASKABLE.issuperset(bad.faults)
    )


def for_td(outbox: Outbox, event: Event, match: Match, ended: Sequence[str], strange: Sequence[str]) -> None:
    """The TDs hear of games that `ended` in a way only they can judge (Q38b), and of those from a strange account."""
    if ended:
        key = f"match:{match.id}:games_need_td"
        outbox.td_news(key, "games_need_td", edition_id=event.edition.id, match_id=match.id, games=list(ended))
    for game_id in strange:
        outbox.game_for_td(event.edition.id, match, game_id, "account", [Fault.OTHER_ACCOUNT])
