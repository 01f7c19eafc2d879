"""Points are integers in half-points: a win is 2, a draw 1, a loss 0 (R3.3). Floats never decide sport."""

WIN = 2
DRAW = 1
LOSS = 0


def show(half_points: int) -> str:
    """Half-points as people write them: 0 -> "0", 1 -> "½", 5 -> "2½"."""
    whole, half = divmod(half_points, 2)
    if not half:
        return str(whole)
    return f"{whole}½" if whole else "½"


def show_score(a: int, b: int) -> str:
    """Two half-point totals as a score: (11, 5) -> "5½–2½"."""
    return f"{show(a)}–{show(b)}"
