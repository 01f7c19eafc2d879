"""The named strategies a ruleset may choose from: closed sets, each name carried by code somewhere in the engine.

A set with a single name is a reading that has one strategy so far; another reading is a new name here and its code.
"""

from __future__ import annotations

# The variants as Lichess calls them. Standard chess is none of them: its ratings go by the speed, not by the variant.
VARIANTS = frozenset(
    {
        "antichess", "atomic", "chess960", "crazyhouse", "horde", "kingOfTheHill", "racingKings", "threeCheck",
    }
)  # fmt: skip
# Q39: the clocks that Lichess lets a challenge have, in seconds, beside whole minutes.
SHORT_CLOCKS = frozenset({0, 15, 30, 45, 90})

# R3.4: how the logarithm of the number of entrants becomes whole.
ROUNDINGS = frozenset({"floor", "ceil"})

# R3.6, R3.12: tiebreaks, in `engine.tiebreaks`. `cumulative` sums the running match points after each round;
# `total_game_points` is the other sense of "cumulative score". Points come first without being named.
SWISS_TIEBREAKS = frozenset(
    {
        "cumulative", "total_game_points", "wins_against_tied", "median_buchholz", "buchholz", "buchholz_cut_1",
        "sonneborn_berger", "kashdan", "wins", "direct_encounter", "mutual_match", "mutual_game", "overall_game",
        "last_finals", "seed",
    }
)  # fmt: skip
# A pool has one criterion more: while the Qualification is played, nobody has a place in it yet.
POOL_TIEBREAKS = SWISS_TIEBREAKS | {"qualification_place"}
# Q29: what a round without a game is worth in Median-Buchholz.
UNPLAYED = frozenset({"virtual", "skip", "zero"})
# R3.6: the group of `wins_against_tied`, formed once and not again when it has split.
TIED_GROUPS = frozenset({"formed_once"})

# R3.7: top half against bottom half inside score groups, the best pairing of the whole field.
SWISS_PAIRINGS = frozenset({"fold"})
RANKS_IN_GROUP = frozenset({"seed"})
# Q42: when two players count as having met.
MET = frozenset({"published"})
BYE_RECEIVERS = frozenset({"lowest_seed_of_lowest_score"})

# R3.9 and R3.12.
POOL_PAIRINGS = frozenset({"berger"})
POOL_TIEBREAKS_ON_GAMES = frozenset({"mutual_game", "overall_game", "total_game_points"})
# R3.12: every part of a split tie starts again at the first criterion.
TIE_SPLITTINGS = frozenset({"restart"})

# After R2.8: the rating when registration closes, or its average with the highest rating of a period.
SEED_METHODS = frozenset({"rating_at_close", "average_with_peak"})
SEED_ORDERS = frozenset({"rated_games", "lichess_id"})

# R3.3, R3.10, R3.13: `decided`: no game counts after the decision; `optional_after_decided`: a decided match may be
# played out and every game is shown; `all_games`: complete only with all its games.
STOPS = frozenset({"decided", "optional_after_decided", "all_games"})
# R3.3, R3.15: `draw`: it stands; `armageddon`: `extra_games` more games, then an armageddon game;
# `pairs_until_decided`: two more games at a time until somebody leads.
TIED = frozenset({"draw", "armageddon", "pairs_until_decided"})
# Not every kind of match can end in every way: a table takes the tie as it is, a knock-out needs a winner.
TIED_IN_TABLE = frozenset({"draw"})
TIED_IN_KNOCKOUT = frozenset({"armageddon", "pairs_until_decided"})
# Q33: who goes on when a knock-out match cannot be played at all.
WITHOUT_PLAY = frozenset({"candidates_place", "qualification_place"})

# R3.16.
COLOURS = frozenset({"white", "black"})
EQUAL_BIDS = frozenset({"rock_paper_scissors"})

# Q10: the latest end of an extended match.
EXTENSION_LIMITS = frozenset({"next_round"})

# Q37, Q31.
FIRST_WHITES = frozenset({"better_seed"})
MISSING_GAMES = frozenset({"to_the_opponent"})
# Q32b: the games of a match that is ruled a draw: each side gets half of them.
RULED_DRAWS = frozenset({"shared"})

# R6.5, Q24: the kinds of forfeit. `director`: R1.4 and R6.2; `both_failed`: R5.6; `double`: both by a ruling.
FORFEITS = frozenset({"no_show", "failed_reschedule", "left", "both_failed", "director", "double"})
# Q25: when a disqualification by forfeits is in force, unless a director has confirmed it before.
IN_FORCE = frozenset({"next_publication"})
# R6.6.
REPORTERS = frozenset({"player", "bot", "director"})

# R8: the grounds of a disqualification and what leaving does in each stage.
GROUNDS = frozenset(
    {"engine", "booster", "guilty", "ineligible", "second_account", "public_accusation", "two_forfeits", "conduct"}
)
LEAVING_QUALIFICATION = frozenset({"opponent_wins_open_match"})
# Q45: how somebody who left stands in the table; the points stay for the opponents.
IN_TABLE = frozenset({"unranked"})
# Q46: who takes a place that is free before the Candidates.
LEAVING_BEFORE_CANDIDATES = frozenset({"next_moves_up"})
ENGINE_MARK = frozenset({"played_matches_to_opponents"})
LEAVING_CANDIDATES = frozenset({"disregard_matches"})
AFTER_LAST_MATCH = frozenset({"results_stay"})
LEAVING_SEMIFINALS = frozenset({"pool_moves_up"})
LEAVING_FINALS = frozenset({"semifinal_loser_then_pool"})
# Q52: the ways out of a final that has begun.
EXITS = frozenset({"withdrawal", "disqualification"})
