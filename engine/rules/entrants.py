"""How many entrants a ruleset needs: those who qualify, and enough for the rounds of the Swiss (R3.4, R3.5, R3.7)."""

from __future__ import annotations

from engine.rules.schema import Ruleset, Swiss

# From here on every formula fits: log2 has grown by at most 7, `rounds_plus` is at most 20.
_ALWAYS_ENOUGH = 64


def most_rounds(entrants: int) -> int:
    """How many rounds so many can play at most without a rematch and with at most one bye each (R3.7).

    No Swiss can have more. That nobody runs out of opponents earlier is certain only up to half as many rounds; in
    between the pairing itself says when it finds none.
    """
    return entrants - 1 + entrants % 2


def least_for_rounds(swiss: Swiss) -> int:
    """The smallest field from which on the rounds of R3.4 are never more than `most_rounds`; at least 2."""
    too_small = [n for n in range(2, _ALWAYS_ENOUGH) if swiss.rounds(n) > most_rounds(n)]
    return max(too_small, default=1) + 1


def least_entrants(rules: Ruleset, direct: int = 0) -> int:
    """The fewest with whom an edition can be played, `direct` direct entrants to the Candidates among them.

    All others play the Qualification: at least as many as qualify, and enough for its rounds. `direct` is between 0 and
    the number of `candidates.direct`.
    """
    return direct + max(rules.candidates.seating_for(direct).qualifiers, least_for_rounds(rules.swiss))
