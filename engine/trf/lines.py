"""The lines of a report one by one: what each says by itself. Columns are those of TRF16, from 1."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.trf.shapes import MOST_FAULTS, RESULTS, Cell, Fault, Meeting, TrfPlayer

MOST_PLAYERS = 2000
MOST_ROUNDS = 99
MOST_FORBIDDEN_PAIRS = 100_000

# First and last column of what is read of a 001 line, and the columns around it that must be blank.
NUMBER, NAME, RATING, POINTS, RANK = (5, 8), (15, 47), (49, 52), (81, 84), (86, 89)
BLANK = (4, 9, 48, 53, 80, 85, 90, 91)
FIRST_ROUND, ROUND_WIDTH = 92, 10
OPPONENT, COLOUR, RESULT = (0, 4), 5, 7  # from the first column of the round
COLOURS = frozenset(" -wbWB")
BYES = frozenset("HFUZ ")
OLD_BYES = {"+": "U", "=": "H", "-": "Z"}
ACCELERATED = frozenset({"XXA", "250"})


@dataclass(frozen=True, slots=True)
class Word:
    """A number in a list of numbers, and the column where it stands."""

    value: int
    column: int


@dataclass(frozen=True, slots=True)
class Listing:
    """A line that is a list of numbers (XXZ, XXP, AW…)."""

    line: int
    words: tuple[Word, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(word.value for word in self.words)

    @property
    def meeting(self) -> Meeting:
        return Meeting(*self.numbers)


@dataclass(slots=True)
class Said:
    """What the lines say, gathered while they are read."""

    faults: list[Fault] = field(default_factory=list[Fault])
    players: list[TrfPlayer] = field(default_factory=list[TrfPlayer])
    title: str | None = None
    rounds: Listing | None = None
    accelerated: int | None = None
    lists: dict[str, list[Listing]] = field(
        default_factory=lambda: {code: [] for code in ("XXZ", "XXP", "AWD", "AWV", "AWE", "AWL")}
    )

    def fault(self, line: int, column: int, reason: str) -> None:
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(Fault(line, column, reason))


def read_lines(lines: list[str]) -> Said:
    """What each line says; `lines` without their ends. Everything that is unknown is passed over."""
    said = Said()
    for at, line in enumerate(lines, start=1):
        if not line.isprintable():
            _check_characters(said, at, line)
        code = line[:3]
        if code == "001":
            _read_player(said, at, line)
        elif code == "012" and said.title is None:
            said.title = line[4:].strip()
        elif code == "XXR":
            _read_rounds(said, at, line)
        elif code in said.lists:
            _read_list(said, code, at, line)
        elif code in ACCELERATED and said.accelerated is None:
            said.accelerated = at
    _check_players(said)
    _check_size_of_forbidden(said)
    return said


def _check_characters(said: Said, at: int, line: str) -> None:
    """Tabs and whatever else a line may hold are kept; control characters are not for terminals."""
    control = next((i for i, c in enumerate(line) if c != "\t" and (c < " " or "\x7f" <= c <= "\x9f")), None)
    if control is not None:
        said.fault(at, control + 1, "a control character; is this a text file?")


# --- 001 --------------------------------------------------------------------------------------------------------


def _read_player(said: Said, at: int, line: str) -> None:
    faults = len(said.faults)
    if len(line) < POINTS[1]:
        said.fault(at, len(line) + 1, f"the line is cut off before the points (columns {POINTS[0]}-{POINTS[1]})")
        return
    moved = next((column for column in BLANK if line[column - 1 : column].strip()), None)
    if moved is not None:
        said.fault(at, moved, f"{line[moved - 1]!r} stands between two fields; the columns have moved")
        return
    number = _number(said, at, line, NUMBER, "the starting rank")
    if number is None or number == 0:
        if len(said.faults) == faults:
            said.fault(at, NUMBER[0], "the starting rank is missing")
        return
    rating = _number(said, at, line, RATING, "the rating")
    _number(said, at, line, RANK, "the rank")
    points = _points(said, at, line)
    cells = _cells(said, at, line, number)
    name = _field(line, NAME).strip()
    said.players.append(TrfPlayer(number, name, rating, points, cells, at))


def _field(line: str, columns: tuple[int, int]) -> str:
    return line[columns[0] - 1 : columns[1]]


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None


def _number(said: Said, at: int, line: str, columns: tuple[int, int], what: str) -> int | None:
    """The number in these columns, None where they are blank."""
    text = _field(line, columns).strip(" ")
    if not text:
        return None
    number = _whole(text)
    if number is None:
        said.fault(at, columns[0], f"{what} is not a number: {text!r}")
    return number


def _points(said: Said, at: int, line: str) -> int | None:
    """Half-points; the file has whole points and a half, as in 4.5."""
    text = _field(line, POINTS).strip(" ")
    if not text:
        return None
    whole, _, half = text.partition(".")
    points = _whole(whole)
    if points is None or half not in ("", "0", "5"):
        said.fault(at, POINTS[0], f"the points are not a number of whole or half points: {text!r}")
        return None
    return 2 * points + (half == "5")


def _cells(said: Said, at: int, line: str, number: int) -> tuple[Cell, ...]:
    """The rounds up to the last one about which the line says something."""
    end = len(line.rstrip(" "))
    cells: list[Cell] = []
    for column in range(FIRST_ROUND, end + 1, ROUND_WIDTH):
        if len(cells) == MOST_ROUNDS:
            said.fault(at, column, f"more than {MOST_ROUNDS} rounds")
            break
        cells.append(_cell(said, at, column, line[column - 1 : column - 1 + ROUND_WIDTH], number))
    return tuple(cells)


def _cell(said: Said, at: int, column: int, block: str, number: int) -> Cell:
    """One round of ten columns, the last two blank: ` 141 w 1  `."""
    if not block.strip(" "):
        return Cell()
    if len(block) <= RESULT:
        said.fault(at, column + len(block), "the line is cut off before the result of the round")
        return Cell()
    for place in (4, 6, 8, 9):
        if block[place : place + 1].strip(" "):
            said.fault(at, column + place, f"{block[place]!r} stands between two fields; the columns have moved")
            return Cell()
    text, colour, result = block[slice(*OPPONENT)].strip(" "), block[COLOUR], block[RESULT].upper()
    opponent = _whole(text) if text else 0
    if opponent is None:
        said.fault(at, column, f"the opponent is not a number: {text!r}")
    elif opponent == number:
        said.fault(at, column, "the opponent is the player himself")
    elif colour not in COLOURS:
        said.fault(at, column + COLOUR, f"an unknown colour: {colour!r} (known: w, b, -)")
    elif result not in RESULTS:
        said.fault(at, column + RESULT, f"an unknown result: {block[RESULT]!r} (known: 1 0 = + - W D L H F U Z)")
    elif opponent:
        if result in BYES - {" "}:
            said.fault(at, column + RESULT, f"a bye ({result}) with an opponent ({opponent})")
        return Cell(opponent, result)
    elif result not in BYES | OLD_BYES.keys():
        said.fault(at, column + RESULT, f"the result {result} without an opponent")
    else:
        return Cell(None, OLD_BYES.get(result, result.strip() or "Z"))
    return Cell()


def _check_players(said: Said) -> None:
    first: dict[int, int] = {}
    for player in said.players:
        if player.number in first:
            reason = f"the starting rank {player.number} is that of line {first[player.number]} already"
            said.fault(player.line, NUMBER[0], reason)
        first.setdefault(player.number, player.line)
    if len(said.players) > MOST_PLAYERS:
        said.fault(0, 0, f"more than {MOST_PLAYERS} players")
    if not said.players and not said.faults:
        said.fault(0, 0, "no players: there is no line that begins with 001")


# --- Lists of numbers -------------------------------------------------------------------------------------------


def _words(said: Said, at: int, line: str) -> Listing | None:
    """The numbers after the code; None, with a fault, where something is not a number."""
    words: list[Word] = []
    column = 4
    for part in line[3:].replace("\t", " ").split(" "):
        if part:
            value = _whole(part)
            if value is None:
                said.fault(at, column, f"not a number: {part[:20]!r}")
                return None
            words.append(Word(value, column))
        column += len(part) + 1
    if line[3:4].strip():
        said.fault(at, 4, f"a blank must follow {line[:3]}")
        return None
    return Listing(at, tuple(words))


def _read_rounds(said: Said, at: int, line: str) -> None:
    found = _words(said, at, line)
    if found is None:
        return
    if len(found.words) != 1 or found.words[0].value == 0:
        said.fault(at, 5, "XXR has one number, of all rounds, at least 1")
    elif said.rounds is not None and said.rounds.numbers != found.numbers:
        said.fault(at, 5, f"another number of rounds than in line {said.rounds.line}")
    else:
        said.rounds = found


def _read_list(said: Said, code: str, at: int, line: str) -> None:
    found = _words(said, at, line)
    if found is None:
        return
    pair_of_a_round = code in ("AWD", "AWV", "AWE")
    players = found.numbers[1:] if pair_of_a_round else found.numbers
    if pair_of_a_round and len(found.words) != 3:
        said.fault(at, 5, f"{code} has three numbers: a round and two players")
    elif code == "XXP" and len(players) < 2:
        said.fault(at, 5, "XXP names two or more players")
    elif len(set(players)) < len(players):
        said.fault(at, 5, f"{code} names a player twice")
    else:
        said.lists[code].append(found)


def _check_size_of_forbidden(said: Said) -> None:
    pairs = 0
    for group in said.lists["XXP"]:
        pairs += len(group.words) * (len(group.words) - 1) // 2
        if pairs > MOST_FORBIDDEN_PAIRS:
            said.fault(group.line, 1, f"more than {MOST_FORBIDDEN_PAIRS} forbidden pairs")
            return
