"""A second program for the Qualification table of R3.6, written from the text; it imports nothing of the bot.

It goes through the rounds once, as somebody with a pencil would. Points are match points: 1, 0.5 and 0 are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple


class Met(NamedTuple):
    """A match of a closed round. `played`: at least one counted game was started. Open: 0, 0 and not played."""

    a: str
    b: str
    points_a: float
    points_b: float
    played: bool = True


class Round(NamedTuple):
    matches: Sequence[Met]
    bye: str | None = None


class Line(NamedTuple):
    """`place` is None for somebody who left."""

    place: int | None
    name: str
    points: float
    cumulative: float
    wins_tied: int
    median_buchholz: float


def table(rounds: Sequence[Round], seeds: Mapping[str, int], left: Set[str] = frozenset()) -> list[Line]:
    """The table after these rounds: who is still in by rank, then who left by seed."""
    total = dict.fromkeys(seeds, 0.0)
    cumulative = dict.fromkeys(seeds, 0.0)
    beaten: dict[str, list[str]] = {name: [] for name in seeds}
    # Whose points a round adds to the Buchholz: an opponent's, one's own where no game was started, or nobody's.
    lenders: dict[str, list[str | None]] = {name: [] for name in seeds}
    for matches, bye in rounds:
        seen = {bye} if bye is not None else set[str]()
        if bye is not None:
            total[bye] += 1
            lenders[bye].append(bye)
        for a, b, points_a, points_b, played in matches:
            seen |= {a, b}
            for me, other, points in ((a, b, points_a), (b, a, points_b)):
                total[me] += points
                lenders[me].append(other if played else me)
                if points == 1:
                    beaten[me].append(other)
        for name in seeds:
            cumulative[name] += total[name]
            if name not in seen:
                lenders[name].append(None)

    def wins_tied(me: str) -> int:
        level = (total[me], cumulative[me])
        return sum(other not in left and (total[other], cumulative[other]) == level for other in beaten[me])

    def median_buchholz(me: str) -> float:
        return sum(sorted(0.0 if who is None else total[who] for who in lenders[me])[1:-1])

    lines = [Line(None, n, total[n], cumulative[n], wins_tied(n), median_buchholz(n)) for n in seeds]
    lines.sort(key=lambda line: (line.name in left, *(-value for value in line[2:]), seeds[line.name]))
    return [line if line.name in left else line._replace(place=place) for place, line in enumerate(lines, start=1)]
