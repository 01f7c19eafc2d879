"""Writing a report: what was read, as it stood, and the Qualification of an edition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.model import Entrant, Stage
from engine.points import DRAW, LOSS, WIN
from engine.standings import PointValues, Standing, table_of
from engine.tiebreaks import Kind, RoundScore
from engine.tournament import PublishedRound, ResultKind, Tournament
from engine.trf.reader import read
from engine.trf.shapes import Fault, TrfFile, TrfInvalid

END = "\r\n"
PLAYED = {WIN: "1", DRAW: "=", LOSS: "0"}
RULED = {WIN: "W", DRAW: "D", LOSS: "L"}
WITHOUT_A_GAME = {WIN: "+", DRAW: "H", LOSS: "-"}


def write(file: TrfFile) -> str:
    """The text of a report: exactly the lines that it has."""
    return "".join(file.lines)


def from_tournament(
    tournament: Tournament,
    entrants: Iterable[Entrant],
    lines: Sequence[Standing],
    *,
    title: str,
    rounds: int,
    values: PointValues | None = None,
) -> TrfFile:
    """The closed rounds of the Qualification. `lines` are its standings, `rounds` the number of all its rounds.

    The starting rank is the seed. Raises TrfInvalid where TRF16 has no way to say it: what `not_in_a_report` names, or
    half a point to one side only.
    """
    if keys := not_in_a_report(values or PointValues()):
        reason = f"{', '.join(keys)}: a report knows only 1, ½ and 0 for a match, 1 for a bye and 0 for a missed round"
        raise TrfInvalid("the ruleset", (Fault(0, 0, reason),))
    seeds = {line.entrant_id: line.seed for line in lines}
    scores = table_of(tournament, seeds, values=values).scores
    closed = [r for r in tournament.stage_rounds(Stage.QUALIFICATION) if r.closed]
    first = [frozenset(pair.a_id for pair in published.pairs) for published in closed]
    by_id = {entrant.id: entrant for entrant in entrants}
    places = {line.entrant_id: place for place, line in enumerate(lines, start=1)}
    text = [f"012 {' '.join(title.split())}", f"062 {len(lines)}", "092 Individual: Swiss-System", f"XXR {rounds}"]
    for line in sorted(lines, key=lambda line: line.seed):
        id = line.entrant_id
        blocks = (_block(score, seeds, id in white) for score, white in zip(scores[id], first, strict=True))
        text.append("  ".join((_player(by_id[id], line, places[id]), *blocks)))
    text += _pair_lines(tournament, closed, seeds)
    text += _leaver_lines(tournament, lines)
    return read("".join(line + END for line in text).encode(), "report")


def not_in_a_report(values: PointValues) -> tuple[str, ...]:
    """The ruleset keys whose values TRF16 cannot say. Half a point for a bye would not bar from another one."""
    checks = (
        ("swiss.points_win", values.win == WIN),
        ("swiss.points_draw", values.draw == DRAW),
        ("swiss.points_loss", values.loss == LOSS),
        ("swiss.bye_points", values.bye == WIN),
        ("registration.missed_round_points", values.absent == LOSS),
    )
    return tuple(key for key, said in checks if not said)


def _player(entrant: Entrant, line: Standing, place: int) -> str:
    """Columns 1-89: code, starting rank, name, rating, points, rank; other programs want a rank of everybody, so who
    has left (AWL) has the last ones."""
    rating = "" if entrant.rating is None else entrant.rating
    return f"001 {line.seed:>4}      {entrant.name[:33]:<33} {rating:>4}{'':28}{line.points / 2:>4.1f} {place:>4}"


def _block(score: RoundScore, seeds: Mapping[int, int], white: bool) -> str:
    """One round, eight columns. The colour means nothing: the first of a pair has White, as other programs want one."""
    result = _result(score)
    if score.opponent is None or result == "H":
        return f"0000 - {result}"
    return f"{seeds[score.opponent]:>4} {'w' if white else 'b'} {result}"


def _result(score: RoundScore) -> str:
    """The letter of a round. A draw without a game is a half-point bye of both, which AWD puts together again."""
    match score.kind:
        case Kind.BYE:
            return "H" if score.outcome == DRAW else "U"
        case Kind.ABSENT | Kind.VOIDED:
            return "Z"
        case Kind.OPEN:
            return " "
        case Kind.PLAYED:
            return PLAYED[score.outcome]
        case _ if score.played:
            return RULED[score.outcome]
        case _:
            return WITHOUT_A_GAME[score.outcome]


# --- Lists ------------------------------------------------------------------------------------------------------


def _pair_lines(tournament: Tournament, closed: Sequence[PublishedRound], seeds: Mapping[int, int]) -> Iterator[str]:
    """AWD, with XXP for programs that don't know it, AWV and AWE."""
    for at, published in enumerate(closed, start=1):
        for pair in published.pairs:
            a, b = sorted((seeds[pair.a_id], seeds[pair.b_id]))
            result = tournament.results.get(pair.match_id)
            if result is None:
                yield f"AWE {at} {a} {b}"
            elif result.kind is ResultKind.VOIDED:
                yield f"AWV {at} {a} {b}"
            elif not result.played and result.a == result.b == DRAW:
                yield f"AWD {at} {a} {b}"
                yield f"XXP {a} {b}"


def _leaver_lines(tournament: Tournament, table: Sequence[Standing]) -> Iterator[str]:
    """XXZ for who is not paired any more, AWL for who has no place in the table."""
    out = sorted(line.seed for line in table if not tournament.is_in(line.entrant_id))
    unranked = sorted(line.seed for line in table if line.rank is None)
    for code, seeds in (("XXZ", out), ("AWL", unranked)):
        if seeds:
            yield f"{code} {' '.join(map(str, seeds))}"
