"""Who has forfeited too often (R6.5, Q24, Q25)."""

from __future__ import annotations

from engine.exits import TWO_FORFEITS
from engine.facts import EntrantLeft, Exit
from engine.tournament import Tournament


def due_disqualifications(tournament: Tournament, to_disqualify: int) -> tuple[EntrantLeft, ...]:
    """Those still in who have forfeited in so many different matches, by entrant id.

    Proposed to the TDs at once, in force on a TD's word or at the next publication at the latest (Q25). Recorded, it
    stands as long as the forfeits do (Q44e). A forfeit in a match that may be played all the same (Q2) is open as long
    as that is so.
    """
    return tuple(
        EntrantLeft(entrant, Exit.DISQUALIFIED, TWO_FORFEITS)
        for entrant, matches in sorted(tournament.forfeits.items())
        if len(set(matches) - tournament.allowed) >= to_disqualify and tournament.is_in(entrant)
    )
