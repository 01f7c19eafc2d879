"""Wrong values in the ruleset: (clause, what the bot would then do, the change)."""

from __future__ import annotations

from tests.clauses.change import Change, Value

COUNTING = '["no_show", "failed_reschedule", "left", "director", "double"]'
EVERY_EXIT = '["withdrawal", "disqualification"]'
OTHER_STAGES = ("candidates", "semifinals", "third_place", "grand_final")

VALUES: list[tuple[str, str, Change]] = [
    ("R2.1", "a younger account is in order", Value("entry.account_created_before", "2023-01-02")),
    ("R2.1", "an older account is too new", Value("entry.account_created_before", "2022-12-31")),
    ("R2.2", "999 games are enough", Value("entry.min_games", "999")),
    ("R2.2", "1000 games are too few", Value("entry.min_games", "1001")),
    ("R2.7", "BOT accounts play", Value("entry.bots", "true")),
    ("R2.8", "seeds by rating, then name", Value("seeding.then", '["lichess_id", "rated_games"]')),
    # --- R3: format
    ("R3.1", "3+2", Value("matches.qualification.clock_initial", "180")),
    ("R3.1", "1+0", Value("matches.qualification.clock_increment", "0")),
    ("R3.1", "casual games count", Value("matches.qualification.rated", "false")),
    ("R3.1", "atomic chess", Value("variant", '"atomic"')),
    *(
        ("R3.1", f"{says} in matches.{stage}", Value(f"matches.{stage}.{key}", value))
        for stage in OTHER_STAGES
        for says, key, value in (
            ("3+2", "clock_initial", "180"),
            ("1+0", "clock_increment", "0"),
            ("casual games count", "rated", "false"),
        )
    ),
    ("R3.2", "no Third Place Playoff", Value("knockout.third_place_playoff", "false")),
    ("R3.3", "three points for a won match", Value("swiss.points_win", "3")),
    ("R3.3", "nothing for a tied match", Value("swiss.points_draw", "0")),
    ("R3.3", "half a point for a lost match", Value("swiss.points_loss", "0.5")),
    ("R3.3", "a match has twelve games", Value("matches.qualification.games", "12")),
    ("R3.3", "all ten games are played", Value("matches.qualification.stop", '"all_games"')),
    ("R3.4", "the logarithm is rounded up", Value("swiss.rounds_log2", '"ceil"')),
    ("R3.4", "a round more", Value("swiss.rounds_plus", "3")),
    (
        "R3.5",
        "ten advance",
        Value(
            "candidates.seating.qualifiers",
            "10",
            also=(("candidates.seating.pools.places", ("[9, 8, 5, 4, 1]", "[10, 7, 6, 3, 2]")),),
        ),
    ),
    (
        "R3.6",
        "Median-Buchholz before the wins",
        Value("swiss.tiebreaks", '["cumulative", "median_buchholz", "wins_against_tied", "seed"]'),
    ),
    (
        "R3.6",
        "cumulative means game points",
        Value("swiss.tiebreaks", '["total_game_points", "wins_against_tied", "median_buchholz", "seed"]'),
    ),
    ("R3.6", "a walkover is no win", Value("swiss.forfeit_wins_count", "false")),
    ("R3.6", "a bye is not in cumulative", Value("swiss.bye_in_cumulative", "false")),
    ("R3.6", "Buchholz without dropping", Value("swiss.median_drop", "0")),
    ("R3.6", "an unplayed round is worth nothing", Value("swiss.unplayed", '"zero"')),
    ("R3.6", "an absent round is left out", Value("swiss.absent", '"skip"')),
    ("R3.7", "half a point for the bye", Value("swiss.bye_points", "0.5")),
    ("R3.7", "a walkover does not bar from the bye", Value("swiss.walkover_bars_bye", "false")),
    (
        "R3.8",
        "odd places in one pool, even in the other",
        Value("candidates.seating.pools.places", ("[1, 3, 5, 7, 9, 11]", "[2, 4, 6, 8, 10, 12]")),
    ),
    ("R3.8", "the pools have each other's name", Value("candidates.seating.pools.name", ('"lower"', '"upper"'))),
    ("R3.9", "everybody meets twice", Value("candidates.encounters", "2")),
    ("R3.9", "two points for a won match", Value("candidates.points_win", "2")),
    ("R3.10", "eight games are all", Value("matches.candidates.games", "8")),
    ("R3.11", "twelve games", Value("matches.semifinals.games", "12")),
    (
        "R3.11",
        "winner against runner-up of one pool",
        Value("knockout.semifinals", '[["upper 1", "upper 2"], ["lower 1", "lower 2"]]'),
    ),
    (
        "R3.12",
        "overall game score first",
        Value(
            "candidates.tiebreaks",
            '["overall_game", "mutual_match", "mutual_game", "last_finals", "qualification_place"]',
        ),
    ),
    (
        "R3.12",
        "the seed instead of the place in the Qualification",
        Value("candidates.tiebreaks", '["mutual_match", "mutual_game", "overall_game", "last_finals", "seed"]'),
    ),
    ("R3.13", "no game after the decision counts", Value("matches.semifinals.stop", '"decided"')),
    ("R3.13", "pairs of games after a tie", Value("matches.semifinals.tied", '"pairs_until_decided"')),
    ("R3.13", "tiebreak games in a Semifinal", Value("matches.semifinals.extra_games", "2")),
    ("R3.13", "no game after the decision of the playoff counts", Value("matches.third_place.stop", '"decided"')),
    ("R3.13", "no game after the decision of the final counts", Value("matches.grand_final.stop", '"decided"')),
    ("R3.14", "a playoff of ten games", Value("matches.third_place.games", "10")),
    ("R3.14", "a final of ten games", Value("matches.grand_final.games", "10")),
    ("R3.15", "four tiebreak games in the playoff", Value("matches.third_place.extra_games", "4")),
    ("R3.15", "two tiebreak games in the final", Value("matches.grand_final.extra_games", "2")),
    *(
        (
            "R3.15",
            f"pairs of games in matches.{stage} until one side leads",
            Value(
                f"matches.{stage}.tied",
                '"pairs_until_decided"',
                also=((f"matches.{stage}.extra_games", "0"),),
            ),
        )
        for stage in ("third_place", "grand_final")
    ),
    ("R3.16", "Black has four minutes", Value("armageddon.black_clock", "240")),
    ("R3.16", "an increment", Value("armageddon.increment", "2")),
    ("R3.16", "a drawn game is won by White", Value("armageddon.draw_wins", '"white"')),
    ("R3.16", "the lower bid plays Black", Value("armageddon.lower_bid_plays", '"black"')),
    ("R3.16", "a bid of one second is refused", Value("armageddon.bid_least", "2")),
    (
        "R3.16",
        "two minutes is the highest bid",
        Value("armageddon.bid_most", "120", also=(("armageddon.no_bid", "120"),)),
    ),
    # --- R4: the calendar
    ("R4.1", "a match every other week", Value("week.weeks_per_round", "2")),
    ("R4.2", "no free week before the Candidates", Value("week.free_weeks_before_candidates", "0")),
    ("R4.2", "no free week before the Semifinals", Value("week.free_weeks_before_semifinals", "0")),
    ("R4.2", "a free week before the Finals", Value("week.free_weeks_before_finals", "1")),
    ("R4.3", "the first pairings on a Monday", Value("starts", "2023-03-20")),
    ("R4.3", "the first pairings at two", Value("week.first_publish", "14:00:00")),
    ("R4.3", "pairings on Wednesdays", Value("week.publish", '"wednesday 12:00"')),
    ("R4.4", "matches may begin on Tuesday morning", Value("week.match_deadline", '"tuesday 09:59"')),
    ("R4.4", "a match in play ends by one", Value("games.finish_by", '"60 min"')),
    # --- R5: negotiation
    ("R5.1", "two offers are enough", Value("offers.count", "2")),
    ("R5.1", "four offers are the duty", Value("offers.count", "4")),
    ("R5.1", "offers by Saturday", Value("week.offer_deadline", '"saturday 23:59"')),
    ("R5.1", "the first reminder at noon", Value("reminders.no_offer", '"thursday 12:00"')),
    ("R5.1", "the Friday ping in the evening", Value("reminders.too_few", '"friday 20:00"')),
    ("R5.1", "the last call at ten", Value("reminders.last_call", '"friday 22:00"')),
    ("R5.4", "two hours apart", Value("offers.min_gap", '"2 h"')),
    ("R5.4", "four hours apart", Value("offers.min_gap", '"4 h"')),
    ("R5.4", "three on one date", Value("offers.max_per_date", "3")),
    ("R5.6", "nothing for both", Value("no_agreement.both_failed_points", "0")),
    ("R5.6", "no forfeit", Value("no_agreement.both_failed_forfeits", "false")),
    ("R5.9", "nothing for both", Value("no_agreement.no_fault_points", "0")),
    ("R5.9", "a forfeit each", Value("no_agreement.no_fault_forfeits", "true")),
    ("R6.5", "the third forfeit disqualifies", Value("forfeits.to_disqualify", "3")),
    # --- R8: exits
    ("R8.2", "a booster mark reaches back", Value("leaving.reaching_back", '["engine", "booster"]')),
    ("R8.2", "an engine mark does not reach back", Value("leaving.reaching_back", "[]")),
    # --- Situations
    ("Q4", "half an hour's notice", Value("offers.min_notice", '"30 min"')),
    ("Q4", "half an hour before the deadline", Value("offers.latest_before_deadline", '"30 min"')),
    ("Q8", "a match in play ends by one", Value("games.finish_by", '"60 min"')),
    ("Q9", "an extended match is worth nothing in the pairing", Value("swiss.extended_points", "0")),
    ("Q12", "an hour early counts", Value("games.before_start", '"60 min"')),
    ("Q12", "five minutes early is the most", Value("games.before_start", '"5 min"')),
    ("Q12", "tournament games count", Value("games.from_tournaments", "true")),
    ("Q14", "two days until Friday are enough", Value("week.late_publication", '"48 h"')),
    ("Q14", "four days until Friday are needed", Value("week.late_publication", '"96 h"')),
    ("Q20", "casual games count", Value("matches.qualification.rated", "false")),
    ("Q24", "two failed negotiations do not count", Value("forfeits.counting", COUNTING)),
    ("Q26", "a TD cannot choose nil all", Value("forfeits.double_points", "[0.5]")),
    ("Q28", "a walkover is no win", Value("swiss.forfeit_wins_count", "false")),
    ("Q29", "an unplayed round is left out", Value("swiss.unplayed", '"skip"')),
    ("Q29", "an absent round is left out", Value("swiss.absent", '"skip"')),
    ("Q30", "nothing for a tied match", Value("candidates.points_draw", "0")),
    ("Q30", "half a point for a lost match", Value("candidates.points_loss", "0.5")),
    (
        "Q33",
        "the place in the Qualification first",
        Value("knockout.without_play", '["qualification_place", "candidates_place"]'),
    ),
    ("Q35", "games after the decision count", Value("matches.qualification.stop", '"optional_after_decided"')),
    ("Q36", "12 was in the Finals of last year", Value("candidates.last_finals", '["p12"]')),
    ("Q38d", "half an hour to report", Value("evening.absence_report_within", '"30 min"')),
    ("Q38d", "two hours to report", Value("evening.absence_report_within", '"2 h"')),
    ("Q40", "two days for a bid", Value("armageddon.bid_within", '"48 h"')),
    ("Q40", "no bid is one second", Value("armageddon.no_bid", "1")),
    ("Q41", "ten minutes a throw", Value("armageddon.throw_within", '"10 min"')),
    ("Q42", "a walkover does not bar from the bye", Value("swiss.walkover_bars_bye", "false")),
    ("Q44", "half a point for both who are out", Value("leaving.both_left_points", "0.5")),
    ("Q44c", "guilty is as good as engine", Value("leaving.reaching_back", '["engine", "guilty"]')),
    ("Q44g", "late entry until round 3", Value("registration.late_entry_before_round", "3")),
    ("Q44g", "half a point for a missed round", Value("registration.missed_round_points", "0.5")),
    ("Q52", "a disqualified finalist keeps the place", Value("leaving.keeps_place", EVERY_EXIT)),
    ("Q52", "who withdraws has no place", Value("leaving.keeps_place", "[]")),
    ("Q52c", "pools of three", Value("candidates.min_players", "6")),
]
