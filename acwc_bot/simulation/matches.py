"""The matches of a week: when each is played, what goes wrong, and the fact that comes of it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count

from acwc_bot.simulation.accidents import Accidents, Fate, may_forfeit
from acwc_bot.simulation.book import Book
from acwc_bot.simulation.chance import Chance, happens, moment
from acwc_bot.simulation.games import Board, Meeting, Sitting, result_of
from engine.adjudication import (
    Case,
    both_failed,
    concession,
    double_forfeit,
    forfeit,
    no_fault,
    ruled,
    stopped_early,
    without_play,
)
from engine.calendar import RoundSlot, extension_limit
from engine.errors import NeedsTdRuling
from engine.facts import CountedGame, Draft, MatchBegun, MatchExtended, Pair
from engine.knockout import decider_only
from engine.model import Authority
from engine.reading import game_rules
from engine.rules import MatchRules
from engine.scoring import MatchScore, more_than_half
from engine.seating import THIRD_PLACE

LONGEST_EVENING = timedelta(hours=4)
Action = Callable[[datetime], None]


@dataclass(slots=True)
class Agenda:
    """What will happen, in order of time; of two things at one moment the one planned first."""

    _heap: list[tuple[datetime, int, Action]] = field(default_factory=list[tuple[datetime, int, Action]])
    _turn: count[int] = field(default_factory=count)

    def at(self, when: datetime, action: Action) -> None:
        heapq.heappush(self._heap, (when, next(self._turn), action))

    def run_until(self, end: datetime) -> None:
        """Everything before `end`, what is planned on the way included."""
        while self._heap and self._heap[0][0] < end:
            when, _, action = heapq.heappop(self._heap)
            action(when)


@dataclass(slots=True)
class Plan:
    """A match that has no result yet. `sitting` while it is played; `extended`: it has had its extension (Q10)."""

    pair: Pair
    slot: RoundSlot
    rules: MatchRules
    window_start: datetime
    deadline: datetime
    starts_at: datetime
    sitting: Sitting | None = None
    extended: bool = False

    @property
    def players(self) -> tuple[int, int]:
        return self.pair.a_id, self.pair.b_id


class Matches:
    def __init__(self, book: Book, agenda: Agenda, chance: Chance, accidents: Accidents, entrants: int) -> None:
        self._book = book
        self._agenda = agenda
        self._chance = chance
        self._accidents = accidents
        self._entrants = entrants
        self._board = Board(chance, book.rules.armageddon)
        self._open: dict[int, Plan] = {}

    # --- Planning -----------------------------------------------------------------------------------------------

    def plan(self, pair: Pair, slot: RoundSlot, now: datetime, *, until: datetime | None = None) -> None:
        """A match of a round; with `until` one that a TD has let be played later."""
        deadline = until or slot.matches_by
        plan = Plan(
            pair=pair,
            slot=slot,
            rules=self._book.rules.match(slot.stage, third_place=pair.group == THIRD_PLACE),
            window_start=slot.publish_at,
            deadline=deadline,
            starts_at=moment(self._chance, now + timedelta(hours=6), deadline - LONGEST_EVENING),
            extended=until is not None,
        )
        self._open[pair.match_id] = plan
        fate = Fate.PLAYED if until else self._accidents.fate(slot.stage, self._chance)
        if fate is Fate.EXTENDED and self._extension_end(slot) is None:
            fate = Fate.PLAYED
        self._schedule(plan, fate, now)

    def _extension_end(self, slot: RoundSlot) -> datetime | None:
        """Q10: None where a later end than the deadline is not allowed."""
        rules = self._book.rules
        until = extension_limit(rules, rules.starts, self._entrants, slot.stage, slot.number)
        return until if until is not None and until > slot.matches_by else None

    def _schedule(self, plan: Plan, fate: Fate, now: datetime) -> None:
        slot, offers_by = plan.slot, max(plan.slot.offers_by, now + timedelta(hours=1))
        when = {
            Fate.NO_SHOW: plan.starts_at + timedelta(minutes=20),
            Fate.DOUBLE: plan.starts_at + timedelta(minutes=20),
            Fate.BOTH_FAILED: offers_by,
            Fate.NO_FAULT: plan.deadline - timedelta(hours=8),
            Fate.DECIDER: plan.deadline - timedelta(hours=8) - self._book.rules.armageddon.bid_within,
            Fate.EXTENDED: slot.matches_by,
        }.get(fate, plan.starts_at)
        handler = _HANDLERS[fate]
        self._agenda.at(when, lambda at: self._if_open(plan, lambda: handler(self, plan, at)))

    def _if_open(self, plan: Plan, action: Callable[[], None]) -> None:
        if self._open.get(plan.pair.match_id) is plan:
            action()

    # --- From outside -------------------------------------------------------------------------------------------

    def meeting_of(self, entrant: int) -> Plan | None:
        """The next match of a player."""
        own = [plan for plan in self._open.values() if entrant in plan.players]
        return min(own, key=lambda plan: plan.starts_at, default=None)

    def is_planned(self, match_id: int) -> bool:
        return match_id in self._open

    def write_down_begun(self, at: datetime) -> None:
        """Before an exit: which matches have begun, with the games so far (R8.1, Q51, Q52)."""
        for plan in list(self._open.values()):
            games = plan.sitting.counted(before=at) if plan.sitting else ()
            if games:
                self._book.record(MatchBegun(plan.pair.match_id, games), at, clause="R3.3")

    def forget_settled(self) -> None:
        """After an exit or a new pairing: what has a result by now, or is paired no more, is not played."""
        tournament = self._book.event.tournament
        paired = {pair.match_id for published in tournament.rounds for pair in published.pairs}
        for match_id in list(self._open):
            if match_id in tournament.results or match_id not in paired:
                del self._open[match_id]

    # --- What becomes of a match --------------------------------------------------------------------------------

    def _start(self, plan: Plan, at: datetime, enough: Callable[[MatchScore], bool] | None = None) -> Sitting:
        plan.starts_at = at
        plan.sitting = self._board.play(self._meeting(plan), enough)
        return plan.sitting

    def _play(self, plan: Plan, at: datetime) -> None:
        if plan.extended and happens(self._chance, self._accidents.missed_again):
            plan.extended = False
            self._no_show(plan, at, "failed_reschedule")
            return
        sitting = self._start(plan, at)
        self._agenda.at(sitting.now, lambda end: self._if_open(plan, lambda: self._played(plan, sitting, end)))

    def _played(self, plan: Plan, sitting: Sitting, at: datetime) -> None:
        result = result_of(sitting, self._book.rules.armageddon)
        if sitting.colours is not None:
            self._book.bids[plan.pair.match_id] = sitting.colours
        self._book.record(result, at, clause="R6.6")
        del self._open[plan.pair.match_id]
        if plan.extended:
            self._book.tell(at, "played_late", plan.players, "Q10")

    def _no_show(self, plan: Plan, at: datetime, kind: str = "no_show") -> None:
        by = self._chance.choice(plan.players)
        if self._may_forfeit((by,)):
            self._forfeited(plan, at, by, kind, ())
        else:
            self._play(plan, at)

    def _left(self, plan: Plan, at: datetime) -> None:
        """R6.4: somebody goes away in the middle and does not come back."""
        by = self._chance.choice(plan.players)
        if self._may_forfeit((by,)):
            self._after_some_games(plan, at, lambda end, games: self._forfeited(plan, end, by, "left", games))
        else:
            self._play(plan, at)

    def _forfeited(self, plan: Plan, at: datetime, by: int, kind: str, games: tuple[CountedGame, ...]) -> None:
        self._rule(plan, at, forfeit(self._case(plan, games), by, kind), kind, (by, _other(plan, by)))

    def _conceded(self, plan: Plan, at: datetime) -> None:
        by = self._chance.choice(plan.players)

        def give_up(end: datetime, games: tuple[CountedGame, ...]) -> None:
            self._rule(plan, end, concession(self._case(plan, games), by), "conceded", (by, _other(plan, by)))

        self._after_some_games(plan, at, give_up)

    def _after_some_games(
        self, plan: Plan, at: datetime, then: Callable[[datetime, tuple[CountedGame, ...]], None]
    ) -> None:
        some = self._chance.randint(1, plan.rules.games // 2)
        sitting = self._start(plan, at, lambda score: len(score.counted) >= some)
        end = sitting.now + timedelta(minutes=10)
        self._agenda.at(end, lambda now: self._if_open(plan, lambda: then(now, sitting.counted())))

    def _stopped_early(self, plan: Plan, at: datetime) -> None:
        """Q32: a Candidates match that is decided and not played out."""
        length = plan.rules.games
        sitting = self._start(plan, at, lambda score: score.decided or more_than_half(length, score.counted))

        def stop(end: datetime) -> None:
            games = sitting.counted()
            if len(games) == length or not more_than_half(length, games):
                self._played(plan, sitting, end)
                return
            refused_by = self._chance.choice((None, *plan.players))
            ruling = stopped_early(self._case(plan, games), refused_by)
            self._rule(plan, end, ruling, "stopped_early", plan.players)

        self._agenda.at(sitting.now, lambda end: self._if_open(plan, lambda: stop(end)))

    def _both_failed(self, plan: Plan, at: datetime) -> None:
        if not self._may_forfeit(plan.players):
            self._play(plan, at)
            return
        case = self._case(plan)
        ruling = both_failed(case, self._book.rules.no_agreement)
        kind = "both_failed"
        if case.is_knockout:
            self._book.record(ruling.event, at, clause=ruling.clause, authority=Authority.TD)
            ruling, kind = self._without_play(plan, case), "without_play"
        self._rule(plan, at, ruling, kind, plan.players)

    def _without_play(self, plan: Plan, case: Case) -> Draft:
        """Q33: the better place in the Candidates, then in the Qualification; else the TDs choose."""
        event = self._book.event
        pools = {line.entrant_id: line.rank for table in event.pools().values() for line in table}
        places = {"candidates_place": pools, "qualification_place": event.qualification_places()}
        a, b = plan.players
        try:
            pairs = {name: (found.get(a), found.get(b)) for name, found in places.items()}
            return without_play(case, event.rules.knockout, pairs)
        except NeedsTdRuling:
            return ruled(case, self._chance.choice(plan.players))

    def _no_fault(self, plan: Plan, at: datetime) -> None:
        ruling = no_fault(self._case(plan), self._book.rules.no_agreement)
        self._rule(plan, at, ruling, "no_fault", plan.players)

    def _double(self, plan: Plan, at: datetime) -> None:
        if not self._may_forfeit(plan.players):
            self._play(plan, at)
            return
        forfeits = self._book.rules.forfeits
        ruling = double_forfeit(self._case(plan), self._chance.choice(forfeits.double_points), forfeits)
        self._rule(plan, at, ruling, "double_forfeit", plan.players)

    def _decider(self, plan: Plan, at: datetime) -> None:
        plan.rules = decider_only(plan.rules)
        self._book.tell(at, "decider", plan.players, "Q33")
        self._play(plan, at)

    def _extend(self, plan: Plan, at: datetime) -> None:
        slot, until = plan.slot, self._extension_end(plan.slot)
        assert until is not None
        self._book.record(MatchExtended(plan.pair.match_id, until), at, clause="Q9", authority=Authority.TD)
        self._book.tell(at, "extended", plan.players, "Q9")
        self.plan(plan.pair, slot, at, until=until)

    def _may_forfeit(self, entrants: Sequence[int]) -> bool:
        return may_forfeit(self._book.event, entrants, self._accidents.keep)

    # --- Writing it down ----------------------------------------------------------------------------------------

    def _rule(self, plan: Plan, at: datetime, ruling: Draft, kind: str, entrants: Sequence[int]) -> None:
        self._book.record(ruling.event, at, clause=ruling.clause, authority=Authority.TD)
        del self._open[plan.pair.match_id]
        self._book.tell(at, kind, entrants, ruling.clause)

    def _case(self, plan: Plan, games: tuple[CountedGame, ...] = ()) -> Case:
        return Case(pair=plan.pair, stage=plan.slot.stage, rules=plan.rules, games=games)

    def _meeting(self, plan: Plan) -> Meeting:
        stage, match = plan.slot.stage, plan.rules
        games = replace(
            game_rules(self._book.rules, stage),
            clock_initial=match.clock_initial,
            clock_increment=match.clock_increment,
            rated=match.rated,
            stop=match.stop,
        )
        return Meeting(
            match_id=plan.pair.match_id,
            stage=stage,
            a=self._book.entrant(plan.pair.a_id),
            b=self._book.entrant(plan.pair.b_id),
            match=match,
            games=games,
            agreed_at=plan.starts_at,
            window_start=plan.window_start,
            deadline=plan.deadline,
        )


def _other(plan: Plan, entrant: int) -> int:
    a, b = plan.players
    return b if entrant == a else a


_HANDLERS: Mapping[Fate, Callable[[Matches, Plan, datetime], None]] = {
    Fate.PLAYED: Matches._play,
    Fate.NO_SHOW: Matches._no_show,
    Fate.LEFT: Matches._left,
    Fate.CONCEDED: Matches._conceded,
    Fate.BOTH_FAILED: Matches._both_failed,
    Fate.NO_FAULT: Matches._no_fault,
    Fate.DOUBLE: Matches._double,
    Fate.EXTENDED: Matches._extend,
    Fate.STOPPED_EARLY: Matches._stopped_early,
    Fate.DECIDER: Matches._decider,
}
