"""The ruleset of an edition: every number and every choice of the rules, each with its clause (rulebook, situations).

The annotation of a field is its whole contract: type, clauses, bounds or the closed set of names. The loader builds
from it, `clauses()` lists it. Points are half-points, clocks and bids whole seconds, everything else a timedelta.

A field that came after editions had been stored has a default, the reading by which they were played: their texts,
which lack it, still load. Only `None` as a default means that there may be no value.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Annotated

from engine.model import Stage
from engine.rules import registry as known
from engine.rules.values import Deadline, HalfPoints, Player, Seat, Team, WeekTime, is_unnamed


class Rule:
    """What an annotation says of a value: its clauses, its bounds, its names.

    `names` is the closed set a text (or each text of a list) must come from; `least`/`most` bound a whole number
    (`least` of a duration in minutes); `label` names a date where the dates of an edition are shown for confirmation.
    """

    __slots__ = ("clauses", "label", "least", "most", "names")

    def __init__(
        self,
        *clauses: str,
        names: frozenset[str] | None = None,
        least: int | None = None,
        most: int | None = None,
        label: str | None = None,
    ) -> None:
        self.clauses = clauses
        self.names = names
        self.least = least
        self.most = most
        self.label = label


class Clauses:
    """The clauses of the fields of a section that is used in more than one place."""

    __slots__ = ("by_field",)

    def __init__(self, **by_field: tuple[str, ...]) -> None:
        self.by_field = by_field


@dataclass(frozen=True, slots=True, kw_only=True)
class CheatGames:
    """So many lost games with "cheat detected" since that day disqualify."""

    count: Annotated[int, Rule("R2.5", least=1)]
    since: Annotated[date, Rule("R2.5", label="cheat-detected games count since")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """R2: who may play.

    `team` and `min_rating` (in the variant, when registration closes) are grounds that not every edition has: R2.8.
    """

    account_created_before: Annotated[date, Rule("R2.1", label="account created before")]
    min_games: Annotated[int, Rule("R2.2", least=0)]
    min_games_before: Annotated[date, Rule("R2.2", label="rated games counted before")]
    engine_mark_after: Annotated[date, Rule("R2.3", label="engine marks disqualify after")]
    boost_mark_after: Annotated[date, Rule("R2.4", label="booster marks disqualify after")]
    cheat_games: Annotated[tuple[CheatGames, ...], Rule("R2.5")]
    bots: Annotated[bool, Rule("R2.7")]
    team: Annotated[Team | None, Rule("R2.8")] = None
    min_rating: Annotated[int | None, Rule("R2.8", least=1, most=4000)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """From when and until when one may enter. A late entry needs a TD and must come before that round is published.

    Without `opens` a TD opens registration; with it, it opens by itself on that day.
    """

    closes: Annotated[date, Rule("R2.8", label="registration closes, seeds are made")]
    late_entry_before_round: Annotated[int, Rule("Q44g", least=1)]
    missed_round_points: Annotated[HalfPoints, Rule("Q44g")]
    opens: Annotated[date | None, Rule("R2.8", label="registration opens")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeding:
    """The reading after R2.8. `peak_from` (inclusive) and `peak_until` (exclusive) only for `average_with_peak`."""

    method: Annotated[str, Rule("R2.8", names=known.SEED_METHODS)]
    then: Annotated[tuple[str, ...], Rule("R2.8", names=known.SEED_ORDERS)]
    peak_from: Annotated[date | None, Rule("R2.8", label="highest rating looked for from")] = None
    peak_until: Annotated[date | None, Rule("R2.8", label="highest rating looked for until")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Swiss:
    """The Qualification. Match points in half-points."""

    rounds_log2: Annotated[str, Rule("R3.4", names=known.ROUNDINGS)]
    rounds_plus: Annotated[int, Rule("R3.4", least=0, most=20)]
    points_win: Annotated[HalfPoints, Rule("R3.3")]
    points_draw: Annotated[HalfPoints, Rule("R3.3")]
    points_loss: Annotated[HalfPoints, Rule("R3.3")]
    tiebreaks: Annotated[tuple[str, ...], Rule("R3.6", "Q52b", names=known.SWISS_TIEBREAKS)]
    forfeit_wins_count: Annotated[bool, Rule("R3.6", "Q28")]
    bye_in_cumulative: Annotated[bool, Rule("R3.6")]
    tied_group: Annotated[str, Rule("R3.6", names=known.TIED_GROUPS)]
    median_drop: Annotated[int, Rule("R3.6", least=0, most=3)]
    unplayed: Annotated[str, Rule("R3.6", "Q29", names=known.UNPLAYED)]
    absent: Annotated[str, Rule("R3.6", "Q29", names=known.UNPLAYED)]
    pairing: Annotated[str, Rule("R3.2", "R3.7", names=known.SWISS_PAIRINGS)]
    rank_in_group: Annotated[str, Rule("R3.7", "Q42", names=known.RANKS_IN_GROUP)]
    met: Annotated[str, Rule("R3.7", "Q42", names=known.MET)]
    bye_points: Annotated[HalfPoints, Rule("R3.7")]
    bye_to: Annotated[str, Rule("R3.7", "Q42", names=known.BYE_RECEIVERS)]
    walkover_bars_bye: Annotated[bool, Rule("R3.7", "Q42")]
    extended_points: Annotated[HalfPoints, Rule("Q9")]

    def rounds(self, entrants: int) -> int:
        """R3.4: how many rounds so many entrants (at least one) play."""
        log2 = entrants.bit_length() - 1 if self.rounds_log2 == "floor" else (entrants - 1).bit_length()
        return log2 + self.rounds_plus


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Places of the Qualification, and direct entrants: number 1 is the first of `candidates.direct` who plays."""

    name: Annotated[str, Rule("R3.8")]
    places: Annotated[tuple[int, ...], Rule("R3.8", least=1)]
    direct: Annotated[tuple[int, ...], Rule("R3.8", least=1)]

    @property
    def size(self) -> int:
        return len(self.places) + len(self.direct)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """The pools when `direct` direct entrants play: then `qualifiers` come from the Qualification."""

    direct: Annotated[int, Rule("R3.8", least=0, most=64)]
    qualifiers: Annotated[int, Rule("R3.5", least=2, most=256)]
    pools: Annotated[tuple[Pool, ...], Rule("R3.8")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The pools. `direct` and `last_finals` are best first."""

    direct: Annotated[tuple[Player, ...], Rule("R3.8")]
    seating: Annotated[tuple[Seating, ...], Rule("R3.8")]
    pairing: Annotated[str, Rule("R3.2", "R3.9", names=known.POOL_PAIRINGS)]
    encounters: Annotated[int, Rule("R3.9", least=1, most=4)]
    points_win: Annotated[HalfPoints, Rule("R3.9", "Q30")]
    points_draw: Annotated[HalfPoints, Rule("R3.9", "Q30")]
    points_loss: Annotated[HalfPoints, Rule("R3.9", "Q30")]
    tiebreaks: Annotated[tuple[str, ...], Rule("R3.12", names=known.POOL_TIEBREAKS)]
    tie_splitting: Annotated[str, Rule("R3.12", names=known.TIE_SPLITTINGS)]
    last_finals: Annotated[tuple[Player, ...], Rule("R3.12", "Q36")]
    accept_by: Annotated[Deadline, Rule("Q46")]
    min_players: Annotated[int, Rule("Q52c", least=2)]

    def seating_for(self, direct: int) -> Seating:
        """The seating when so many direct entrants play; the loader has made sure that there is one for each number."""
        return next(seating for seating in self.seating if seating.direct == direct)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knockout:
    """Semifinals and Finals. A pair of seats per semifinal; "direct 1" is the first of `direct`."""

    semifinals: Annotated[tuple[tuple[Seat, Seat], ...], Rule("R3.2", "R3.11")]
    direct: Annotated[tuple[Player, ...], Rule("R3.11")]
    third_place_playoff: Annotated[bool, Rule("R3.2", "R3.13")]
    without_play: Annotated[tuple[str, ...], Rule("Q33", names=known.WITHOUT_PLAY)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRules:
    """A match: its length, when it ends, what a tie means, the clock of its games in seconds."""

    games: Annotated[int, Rule(least=2)]
    stop: Annotated[str, Rule(names=known.STOPS)]
    tied: Annotated[str, Rule(names=known.TIED)]
    extra_games: Annotated[int, Rule(least=0)]
    clock_initial: Annotated[int, Rule("R3.1", least=0)]
    clock_increment: Annotated[int, Rule("R3.1", least=0)]
    rated: Annotated[bool, Rule("R3.1")]


def _match(games: str, stop: str, tied: str) -> Clauses:
    return Clauses(games=(games,), stop=(stop,), tied=(tied,), extra_games=(tied,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The kinds of match, in the order of the event."""

    qualification: Annotated[MatchRules, _match("R3.3", "R3.3", "R3.3")]
    candidates: Annotated[MatchRules, _match("R3.9", "R3.10", "R3.9")]
    semifinals: Annotated[MatchRules, _match("R3.11", "R3.13", "R3.13")]
    third_place: Annotated[MatchRules, _match("R3.14", "R3.13", "R3.15")]
    grand_final: Annotated[MatchRules, _match("R3.14", "R3.13", "R3.15")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Armageddon:
    """R3.16. Clocks and bids in whole seconds."""

    black_clock: Annotated[int, Rule("R3.16", least=1)]
    increment: Annotated[int, Rule("R3.16", least=0)]
    draw_wins: Annotated[str, Rule("R3.16", names=known.COLOURS)]
    lower_bid_plays: Annotated[str, Rule("R3.16", names=known.COLOURS)]
    bid_least: Annotated[int, Rule("R3.16", least=1)]
    bid_most: Annotated[int, Rule("R3.16", least=1)]
    bid_within: Annotated[timedelta, Rule("R3.16", "Q40", least=1)]
    no_bid: Annotated[int, Rule("R3.16", "Q40", least=1)]
    equal_bids: Annotated[str, Rule("R3.16", "Q41", names=known.EQUAL_BIDS)]
    throw_within: Annotated[timedelta, Rule("Q41", least=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """R4: the rhythm of an edition. The first round is published on the start day at `first_publish`."""

    first_publish: Annotated[time, Rule("R4.3")]
    publish: Annotated[WeekTime, Rule("R4.3")]
    offer_deadline: Annotated[Deadline, Rule("R5.1")]
    match_deadline: Annotated[Deadline, Rule("R4.4")]
    weeks_per_round: Annotated[int, Rule("R4.1", least=1, most=8)]
    free_weeks_before_candidates: Annotated[int, Rule("R4.2", least=0, most=52)]
    free_weeks_before_semifinals: Annotated[int, Rule("R4.2", least=0, most=52)]
    free_weeks_before_finals: Annotated[int, Rule("R4.2", least=0, most=52)]
    late_publication: Annotated[timedelta, Rule("Q14")]
    extension_limit: Annotated[str, Rule("Q10", names=known.EXTENSION_LIMITS)]

    def free_weeks_before(self, stage: Stage) -> int:
        """R4.2. Nothing comes before the Qualification: 0."""
        return {
            Stage.QUALIFICATION: 0,
            Stage.CANDIDATES: self.free_weeks_before_candidates,
            Stage.SEMIFINALS: self.free_weeks_before_semifinals,
            Stage.FINALS: self.free_weeks_before_finals,
        }[stage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """The reading of R5.1: who has made no offer yet, who has made too few, and the last call."""

    no_offer: Annotated[WeekTime, Rule("R5.1")]
    too_few: Annotated[WeekTime, Rule("R5.1")]
    last_call: Annotated[WeekTime, Rule("R5.1")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """R5.1, R5.4: the duty to offer, and what makes an offer count (Q4)."""

    count: Annotated[int, Rule("R5.1", least=1, most=20)]
    min_gap: Annotated[timedelta, Rule("R5.4")]
    max_per_date: Annotated[int, Rule("R5.4", least=1)]
    min_notice: Annotated[timedelta, Rule("Q4")]
    latest_before_deadline: Annotated[timedelta, Rule("Q4")]
    answer_within: Annotated[timedelta, Rule("R5.7", least=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTime:
    """R5.5: the time that the innocent side chooses. `choose_by` is exclusive."""

    choose_by: Annotated[WeekTime, Rule("R5.5", "Q5")]
    min_notice: Annotated[timedelta, Rule("R5.5", "Q5")]
    latest_before_deadline: Annotated[timedelta, Rule("Q5")]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAgreement:
    """What a match without a time is worth to each side (half-points), and whether it is a forfeit of each."""

    both_failed_points: Annotated[HalfPoints, Rule("R5.6")]
    both_failed_forfeits: Annotated[bool, Rule("R5.6")]
    no_fault_points: Annotated[HalfPoints, Rule("R5.9")]
    no_fault_forfeits: Annotated[bool, Rule("R5.9")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Games:
    """Which Lichess games belong to a match. `finish_by` runs from the match deadline."""

    before_start: Annotated[timedelta, Rule("Q12")]
    from_tournaments: Annotated[bool, Rule("Q12")]
    finish_by: Annotated[timedelta, Rule("R4.4", "Q8")]
    first_white: Annotated[str, Rule("Q37", names=known.FIRST_WHITES)]
    missing: Annotated[str, Rule("R3.10", "Q31", names=known.MISSING_GAMES)]
    ruled_draw: Annotated[str, Rule("R3.10", "Q32b", names=known.RULED_DRAWS)] = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    """R6: the match evening. `breaks` is per player and match."""

    breaks: Annotated[int, Rule("R6.1", least=0)]
    break_length: Annotated[timedelta, Rule("R6.1", least=1)]
    grace: Annotated[timedelta, Rule("R6.3")]
    absence_report_within: Annotated[timedelta, Rule("R6.3", "Q38d")]
    return_within: Annotated[timedelta, Rule("R6.4", least=1)]
    leaving_uses_break: Annotated[bool, Rule("R6.4")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forfeits:
    """R6.5: forfeits in so many different matches disqualify; which kinds count; from when on.

    `double_points`: what each side may get when both forfeit by a ruling (Q26), half-points; a director chooses.
    """

    to_disqualify: Annotated[int, Rule("R6.5", least=1)]
    counting: Annotated[tuple[str, ...], Rule("R6.5", "Q24", names=known.FORFEITS)]
    in_force: Annotated[str, Rule("R6.5", "Q25", names=known.IN_FORCE)] = "next_publication"
    double_points: Annotated[tuple[HalfPoints, ...], Rule("Q26")] = (HalfPoints(1), HalfPoints(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """R6.6, R7.3."""

    by: Annotated[tuple[str, ...], Rule("R6.6", names=known.REPORTERS)]
    marks_checked_every: Annotated[timedelta, Rule("R7.3", least=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """R8: what an exit does, stage by stage. `both_left_points` (half-points) for a match that both left at once.

    `keeps_place`: by which exits somebody who leaves a final that has begun keeps the place of its loser.
    """

    grounds: Annotated[tuple[str, ...], Rule("R1.4", "R7.1", "R7.2", "R7.3", names=known.GROUNDS)]
    in_table: Annotated[str, Rule("R3.5", "Q45", names=known.IN_TABLE)] = "unranked"
    qualification: Annotated[str, Rule("R8.1", names=known.LEAVING_QUALIFICATION)]
    both_left_points: Annotated[HalfPoints, Rule("Q44")]
    reaching_back: Annotated[tuple[str, ...], Rule("R8.2", "Q48", names=known.GROUNDS)]
    engine_mark: Annotated[str, Rule("R8.2", "Q44b", names=known.ENGINE_MARK)]
    before_candidates: Annotated[str, Rule("Q46", names=known.LEAVING_BEFORE_CANDIDATES)] = "next_moves_up"
    candidates: Annotated[str, Rule("R8.3", names=known.LEAVING_CANDIDATES)]
    withdrawal_after_last_match: Annotated[str, Rule("R8.3", "Q49", names=known.AFTER_LAST_MATCH)]
    semifinals: Annotated[str, Rule("R8.4", "Q50", "Q51", names=known.LEAVING_SEMIFINALS)]
    finals: Annotated[str, Rule("R8.5", "Q52", names=known.LEAVING_FINALS)]
    keeps_place: Annotated[tuple[str, ...], Rule("Q52", names=known.EXITS)] = ("withdrawal",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """The rules of one edition. `starts` is the day of its own first publication; see `engine.rules.dates`."""

    name: Annotated[str, Rule()]
    title: Annotated[str, Rule()]
    variant: Annotated[str, Rule("R2.2", "R3.1", names=known.VARIANTS)]
    starts: Annotated[date, Rule("R4.3", label="first pairings published")]
    entry: Entry
    registration: Registration
    seeding: Seeding
    swiss: Swiss
    candidates: Candidates
    knockout: Knockout
    matches: Matches
    armageddon: Armageddon
    week: Week
    reminders: Reminders
    offers: Offers
    set_time: SetTime
    no_agreement: NoAgreement
    games: Games
    evening: Evening
    forfeits: Forfeits
    reporting: Reporting
    leaving: Leaving

    def match(self, stage: Stage, *, third_place: bool = False) -> MatchRules:
        """The rules of a match of that stage; in the Finals the Grand Final unless `third_place`."""
        return {
            Stage.QUALIFICATION: self.matches.qualification,
            Stage.CANDIDATES: self.matches.candidates,
            Stage.SEMIFINALS: self.matches.semifinals,
            Stage.FINALS: self.matches.third_place if third_place else self.matches.grand_final,
        }[stage]

    @property
    def unnamed(self) -> tuple[Player, ...]:
        """Who has to be named before an edition can be played (`<last champion>`), each once."""
        players = (*self.candidates.direct, *self.candidates.last_finals, *self.knockout.direct)
        return tuple(dict.fromkeys(player for player in players if is_unnamed(player)))
