"""A whole edition without Discord: games, results and accidents by chance, everything else by the engine.

`field` is who plays, `games` what is played on the simulated Lichess, `accidents` what goes wrong, `matches` one week
of matches, `edition` the run from round to round; `tables` and `report` show what came of it.
"""

from acwc_bot.simulation.accidents import Accidents
from acwc_bot.simulation.book import Happening, Season
from acwc_bot.simulation.edition import simulate
from acwc_bot.simulation.field import CannotSimulate

__all__ = ["Accidents", "CannotSimulate", "Happening", "Season", "simulate"]
