"""What the lines of a report say together: everything in which one of them contradicts another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from engine.trf.lines import FIRST_ROUND, OPPONENT, POINTS, RESULT, ROUND_WIDTH, Listing, Said
from engine.trf.shapes import MOST_FAULTS, Cell, Fault, Meeting, TrfFile, TrfPlayer
from engine.trf.shapes import POINTS as WORTH

Players = Mapping[int, TrfPlayer]

RESULTS_OF_A_MATCH = frozenset(frozenset(pair) for pair in ("10", "==", "WL", "DD", "+-", "--", "LL", "00", "  "))
"""What the two lines of a match may say. 0 and L for both: both lost, by a ruling (Q44; FIDE Laws of Chess 11.8)."""


def rounds_played(players: Sequence[TrfPlayer]) -> int:
    """The last round in which somebody had an opponent or the pairing's bye; also one in which everybody has an entry.

    A later cell is an absence or a bye that was asked for before the pairing (JaVaFo's reading).
    """
    played = 0
    for at, column in enumerate(zip(*(p.cells for p in players), strict=True), start=1):
        paired = any(cell.opponent is not None or cell.result == "U" for cell in column)
        if paired or (played == at - 1 and all(cell.result for cell in column)):
            played = at
    return played


def contradictions(file: TrfFile, said: Said) -> list[Fault]:
    """The faults between lines that are in order by themselves."""
    players = {player.number: player for player in file.players}
    found = chain(
        _rounds(file, said),
        _matches(file, players),
        _unknown_players(said, players),
        _meetings(said.lists["AWD"], file, players, Cell(None, "H"), "a half-point bye (H)"),
        _meetings(said.lists["AWV"], file, players, Cell(None, "Z"), "a round without points (Z)"),
        _extended(said.lists["AWE"], file, players),
        _points(file),
    )
    return list(islice(found, MOST_FAULTS))


def _column(round: int, place: int = OPPONENT[0]) -> int:
    return FIRST_ROUND + ROUND_WIDTH * (round - 1) + place


def _rounds(file: TrfFile, said: Said) -> Iterator[Fault]:
    width = len(file.players[0].cells)
    if said.rounds is not None and width > said.rounds.numbers[0]:
        reason = f"{said.rounds.numbers[0]} rounds in all, but the players' lines go on to round {width}"
        yield Fault(said.rounds.line, 5, reason)
    if width > file.played + 1:
        for player in file.players:
            late = next((at for at, cell in enumerate(player.cells[file.played + 1 :]) if cell.result), None)
            if late is not None:
                at = file.played + 2 + late
                reason = f"an entry for round {at}, but the next round is {file.played + 1}"
                yield Fault(player.line, _column(at), reason)


# --- Matches ----------------------------------------------------------------------------------------------------


def _matches(file: TrfFile, players: Players) -> Iterator[Fault]:
    for player in file.players:
        for at, cell in enumerate(player.cells, start=1):
            if cell.opponent is not None:
                yield from _match(file, players, player, at, cell)


def _match(file: TrfFile, players: Players, player: TrfPlayer, at: int, cell: Cell) -> Iterator[Fault]:
    """The faults of one cell with an opponent; what concerns both sides equally is said once, at the second line."""
    opponent = players.get(cell.opponent or 0)
    if opponent is None:
        yield Fault(player.line, _column(at), f"round {at}: there is no player {cell.opponent}")
        return
    theirs = opponent.cells[at - 1]
    if theirs.opponent != player.number:
        yield Fault(player.line, _column(at), _one_sided(players, player, opponent, at))
        return
    if player.line < opponent.line:
        return
    if frozenset((cell.result, theirs.result)) not in RESULTS_OF_A_MATCH:
        reason = f"round {at}: two different results for one match, {_quoted(cell)} here and {_quoted(theirs)}"
        yield Fault(player.line, _column(at, RESULT), f"{reason} in line {opponent.line}")
    elif cell.result == " " and at < file.played and not _is_extended(file, at, player, opponent):
        reason = f"round {at}: the match against {opponent.number} has no result, but round {file.played} is paired"
        yield Fault(player.line, _column(at, RESULT), reason)


def _quoted(cell: Cell) -> str:
    return "no result" if cell.result == " " else cell.result


def _one_sided(players: Players, player: TrfPlayer, opponent: TrfPlayer, at: int) -> str:
    other = opponent.cells[at - 1].opponent
    third = players.get(other or 0)
    if other is None:
        return f"round {at}: one-sided, {opponent.number} has no opponent (line {opponent.line})"
    if third is not None and third.cells[at - 1].opponent == opponent.number:
        return f"round {at}: {opponent.number} is paired twice, with {player.number} here and with {other}"
    return f"round {at}: one-sided, {opponent.number} names {other} (line {opponent.line})"


def _is_extended(file: TrfFile, at: int, player: TrfPlayer, opponent: TrfPlayer) -> bool:
    return any(Meeting(at, *pair) in file.extended for pair in _both_ways(player.number, opponent.number))


def _both_ways(a: int, b: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (a, b), (b, a)


# --- Lists ------------------------------------------------------------------------------------------------------


def _unknown_players(said: Said, players: Players) -> Iterator[Fault]:
    for code, listings in said.lists.items():
        for listing in listings:
            words = listing.words[1:] if code in ("AWD", "AWV", "AWE") else listing.words
            for word in words:
                if word.value not in players:
                    yield Fault(listing.line, word.column, f"there is no player {word.value}")


def _pairs_of_rounds(listings: Iterable[Listing], file: TrfFile) -> Iterator[tuple[Listing, Meeting] | Fault]:
    for listing in listings:
        meeting = listing.meeting
        if 1 <= meeting.round <= file.played:
            yield listing, meeting
        else:
            yield Fault(listing.line, listing.words[0].column, f"there is no paired round {meeting.round}")


def _meetings(
    listings: Sequence[Listing], file: TrfFile, players: Players, wanted: Cell, words: str
) -> Iterator[Fault]:
    """AWD and AWV: both players must have the `wanted` cell, and be in one such pair of a round only."""
    seen: set[tuple[int, int]] = set()
    for found in _pairs_of_rounds(listings, file):
        if isinstance(found, Fault):
            yield found
            continue
        listing, meeting = found
        for word in listing.words[1:]:
            player = players.get(word.value)
            if player is not None and player.cells[meeting.round - 1] != wanted:
                reason = f"{word.value} does not have {words} in round {meeting.round} (line {player.line})"
                yield Fault(listing.line, word.column, reason)
            if (meeting.round, word.value) in seen:
                yield Fault(listing.line, word.column, f"{word.value} is paired twice in round {meeting.round}")
            seen.add((meeting.round, word.value))


def _extended(listings: Sequence[Listing], file: TrfFile, players: Players) -> Iterator[Fault]:
    """AWE: the two must be opponents without a result."""
    for found in _pairs_of_rounds(listings, file):
        if isinstance(found, Fault):
            yield found
            continue
        listing, meeting = found
        player = players.get(meeting.a)
        if player is not None and player.cells[meeting.round - 1] != Cell(meeting.b, " "):
            reason = f"{meeting.a} has no match without a result against {meeting.b} in round {meeting.round}"
            yield Fault(listing.line, listing.words[1].column, reason)


# --- Points -----------------------------------------------------------------------------------------------------


def _points(file: TrfFile) -> Iterator[Fault]:
    """Stated points that the results do not give. Some programs add what is known of the next round.

    With accelerated points (XXA, 250) the column may hold them too, so nothing can be said against it.
    """
    if file.accelerated is not None:
        return
    for player in file.players:
        worth = [WORTH[cell.result] for cell in player.cells]
        sums = (sum(worth[: file.played]), sum(worth))
        if player.points is not None and player.points not in sums:
            stated, counted = (f"{points / 2:.1f}" for points in (player.points, sums[0]))
            reason = f"{player.number} has {stated} points here, but the results give {counted}"
            yield Fault(player.line, POINTS[0], reason)
