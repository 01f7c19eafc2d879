"""Reports and seasons for the tests of tournament report files."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from random import Random

from engine.facts import CountedGame, Exit, MatchExtended, MatchRuled, MatchVoided, Pair, RoundClosed
from engine.ledger import fold
from engine.model import Entrant
from engine.standings import Standing, standings
from engine.tiebreaks import CRITERIA, Readings
from engine.tournament import Tournament
from engine.trf import NOT_IN_A_REPORT, TrfFile, from_tournament, read
from tests.engine.season_book import START, Season

EVERY_TIEBREAK = tuple(sorted(CRITERIA.keys() - NOT_IN_A_REPORT - {"points", "seed"}))


def player(number: int, points: str, *rounds: str, name: str = "") -> str:
    """A 001 line, put together by the columns of TRF16, not by the code under test."""
    line = [" "] * 91
    for first, text in ((1, "001"), (5, f"{number:>4}"), (15, name or f"Player {number}"), (49, "2000")):
        line[first - 1 : first - 1 + len(text)] = text
    line[80:84] = f"{points:>4}"
    return "".join(line) + "  ".join(rounds)


def report(*lines: str, end: str = "\n") -> bytes:
    return "".join(line + end for line in lines).encode()


FOUR = (
    "012 Four players",
    "042 28. 07. 2005",
    "XXR 3",
    player(1, "2.0", "   3 w 1", "   2 b 1"),
    player(2, "1.0", "   4 b 1", "   1 w 0"),
    player(3, "0.5", "   1 b 0", "   4 w ="),
    player(4, "0.5", "   2 w 0", "   3 b ="),
)
"""Round 1: 1-3 1:0, 2-4 1:0. Round 2: 1-2 1:0, 3-4 drawn."""


def four(**changed: str) -> bytes:
    """FOUR with other lines: `p3="…"` for a player, `more="…"` for lines at the end."""
    lines = [changed.get(f"p{line[7]}", line) if line.startswith("001") else line for line in FOUR]
    return report(*lines, *changed.get("more", "").splitlines())


def read_four(**changed: str) -> TrfFile:
    return read(four(**changed))


# --- Seasons ----------------------------------------------------------------------------------------------------


def entrants(seeds: dict[int, int]) -> list[Entrant]:
    return [
        Entrant(id=id, edition_id=1, person_id=id, lichess_id=f"p{id}", name=f"P{id}", seed=seed, rating=2500 - seed)
        for id, seed in seeds.items()
    ]


def written(
    season: Season, seeds: dict[int, int], readings: Readings | None = None, rounds: int = 9
) -> tuple[Tournament, tuple[Standing, ...], TrfFile]:
    """The season as the engine sees it, its table with every tiebreak that a report can give, and its report."""
    tournament = fold(season.facts)
    table = standings(tournament, seeds, EVERY_TIEBREAK, readings=readings)
    return tournament, table, from_tournament(tournament, entrants(seeds), table, title="A season", rounds=rounds)


def random_season(random: Random, *, settled: bool = False) -> tuple[Season, dict[int, int]]:
    """Rounds by lot with every kind of result, exits, late entries, voided and extended matches.

    `settled`: nothing that changes an earlier result or pairing, so that floats can be told from the final state; an
    exit would decide an extended match (R8.1), so there is only one of the two.
    """
    exits = not settled or random.random() < 0.5
    n = random.randint(2, 11)
    ids = random.sample(range(1, 60), n)
    seeds = dict(zip(ids, random.sample(range(1, n + 1), n), strict=True))
    late, left, season = set(ids[:1]) if n > 4 else set[int](), set[int](), Season()
    for number in range(1, random.randint(1, 6) + 1):
        playing = [id for id in ids if id not in left and not (number == 1 and id in late)]
        random.shuffle(playing)
        bye = playing.pop() if len(playing) % 2 else None
        pairs = list(zip(playing[::2], playing[1::2], strict=True))
        season.publish(number, pairs, bye)
        for board, (a, b) in enumerate(pairs, start=1):
            _result(season, random, Pair(10 * number + board, a, b), settled, exits)
        if exits and random.random() < 0.3 and len(ids) - len(left) > 2:
            out = random.choice([id for id in ids if id not in left])
            marked = random.random() < 0.4 and not settled
            season.leave(out, Exit.DISQUALIFIED if marked else Exit.WITHDRAWN, "engine" if marked else None)
            left.add(out)
        season.add(RoundClosed(number))
    return season, seeds


def _result(season: Season, random: Random, pair: Pair, settled: bool, exits: bool) -> None:
    id = pair.match_id
    kind = random.choice(["1-0", "0-1", "=", "1-0", "0-1", "+-", "-+", "r=", "half", "draw", "both", "none", "void"])
    games = (CountedGame(f"{id}-1", 2),)
    if kind == "half":
        season.add(MatchRuled(id, 2, 0, forfeited_by=(pair.b_id,), played=True, games=games))
    elif kind == "draw":
        season.add(MatchRuled(id, 1, 1, played=True, games=games))
    elif kind == "both":
        played = random.random() < 0.5
        season.add(MatchRuled(id, 0, 0, (pair.a_id, pair.b_id), played, games if played else ()))
    elif kind == "void" and not settled:
        season.add(MatchVoided(id))
    elif kind == "none" and not (settled and exits):
        season.add(MatchExtended(id, START + timedelta(days=70)))
    else:
        season.result(id, kind if kind not in ("none", "void") else "=")


def by_seed(seeds: dict[int, int], ids: Iterable[int]) -> frozenset[int]:
    return frozenset(seeds[id] for id in ids)
