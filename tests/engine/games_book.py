"""Games of ann (side a) and bob (side b) as Lichess gives them, for tests of scoring and of knock-out matches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.model import Stage
from engine.ports import LichessGame
from engine.reading import game_rules
from engine.rules import load, shipped_text

OPENS = datetime(2023, 4, 4, 12, tzinfo=UTC)
AGREED = datetime(2023, 4, 8, 18, tzinfo=UTC)
DEADLINE = datetime(2023, 4, 11, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
RULES = game_rules(load(shipped_text("2023")), Stage.QUALIFICATION)


def game(id: str, created_at: datetime, winner: str | None = "ann", **changes: object) -> LichessGame:
    """A valid game of ann (white) and bob (black); `winner` is a player or None."""
    values: dict[str, object] = {
        "id": id,
        "white": "ann",
        "black": "bob",
        "variant": "antichess",
        "rated": True,
        "status": "variantEnd" if winner else "draw",
        "winner": None,
        "created_at": created_at,
        "last_move_at": created_at + 2 * MINUTE,
        "clock_initial": 60,
        "clock_increment": 2,
        "source": "friend",
        "tournament_id": None,
        "swiss_id": None,
        "line": id,
        **changes,
    }
    if winner:
        values["winner"] = "white" if values["white"] == winner else "black"
    return LichessGame(**values)  # type: ignore[arg-type]


def series(results: str, start: datetime = AGREED) -> list[LichessGame]:
    """One game every five minutes, colours alternating: "1" ann wins, "0" bob wins, "=" a draw."""
    games: list[LichessGame] = []
    for n, result in enumerate(results):
        white, black = ("ann", "bob") if n % 2 == 0 else ("bob", "ann")
        winner = {"1": "ann", "0": "bob", "=": None}[result]
        games.append(game(f"g{n:02}", start + 5 * n * MINUTE, winner, white=white, black=black))
    return games
