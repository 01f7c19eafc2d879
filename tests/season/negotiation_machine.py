"""R5 as a state machine: two players, a TD and a bot that is not always there, against a plain model of the rule.

The steps go through the real use cases on a real database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields
from datetime import datetime
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from engine.errors import AcwcError
from engine.usecases.choosing import Wish
from engine.usecases.match_rulings import Blame
from engine.usecases.scheduling import Span
from tests.season.negotiation_desk import MATCH, NegotiationDesk, Seen
from tests.season.negotiation_model import (
    FRIDAY_ENDS,
    HOUR,
    MINUTE,
    MONDAY_ENDS,
    NEXT_FRIDAY_ENDS,
    NEXT_MONDAY_ENDS,
    PUBLISHED,
    REMINDERS,
    SECOND,
    SUNDAY_NOON,
    WINNING,
    Negotiation,
    Refused,
    Times,
)

MOMENTS = (
    *(FRIDAY_ENDS - before for _, before in REMINDERS),
    *(FRIDAY_ENDS, SUNDAY_NOON, MONDAY_ENDS, NEXT_FRIDAY_ENDS, NEXT_MONDAY_ENDS),
)

sides = st.sampled_from((0, 1))
starts = st.one_of(
    st.tuples(st.just("ahead"), st.sampled_from((-1, 0, 1, 59, 60, 61, 719, 720, 721, 900, 1500, 2300))),
    st.tuples(st.just("end"), st.sampled_from((-61, -60, -59, -1, 0, 60, -1500))),
    st.tuples(st.just("hour"), st.integers(6 * 24, 9 * 24 - 2)),
)
"""Minutes from now, minutes from the match deadline, hours from Sunday 00:00."""
times = st.lists(st.tuples(starts, st.sampled_from((None, None, None, 0, 60, 300))), min_size=0, max_size=4)
beginnings = st.sampled_from(
    (
        *(PUBLISHED, MOMENTS[0] - HOUR, MOMENTS[1] - HOUR, MOMENTS[2] - HOUR),
        *(FRIDAY_ENDS - SECOND, FRIDAY_ENDS, FRIDAY_ENDS + 9 * HOUR, SUNDAY_NOON - HOUR),
    )
)
preparations = st.sampled_from(((0, 0), (3, 0), (0, 3), (3, 3), (3, 3), (2, 3), (1, 2)))
"""When the steps begin, and how many good offers the sides have made by then."""


def when(holds: Callable[[Negotiation], object]) -> Any:
    return precondition(lambda self: holds(self.model))


live = precondition(lambda self: self.idle < 5)
"""In a match that is over, or past its time, little can happen: it is left for another one."""


class NegotiationMachine(RuleBasedStateMachine):
    desk: ClassVar[NegotiationDesk]
    steps: ClassVar[int] = 0
    reached: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self._begin()

    def _begin(self) -> None:
        self.desk.begin_anew()
        self.model, self.compared, self.idle, self.age = Negotiation(PUBLISHED), None, 0, 0

    @initialize(start=beginnings, prepared=preparations, slowly=st.sampled_from((True, False, False)))
    def some_time_has_passed(self, start: datetime, prepared: tuple[int, int], slowly: bool) -> None:
        for side, many in enumerate(prepared):
            if many:
                self._offer_good_ones(side, many, first=side)
        self.move_with_the_bot(start) if slowly else self.set_clock(start)

    @precondition(lambda self: self.idle or self.age > 20)
    @rule(start=beginnings, prepared=preparations, slowly=st.sampled_from((True, False, False)))
    def another_match(self, start: datetime, prepared: tuple[int, int], slowly: bool) -> None:
        self._begin()
        self.some_time_has_passed(start, prepared, slowly)

    # Doing the same twice ---------------------------------------------------------------------------------------------

    def _at(self, start: tuple[str, int]) -> datetime:
        kind, n = start
        if kind == "ahead":
            return self.model.now + n * MINUTE
        return self.model.play_by + n * MINUTE if kind == "end" else PUBLISHED - 12 * HOUR + n * HOUR

    def _spans(self, times: Iterable[tuple[tuple[str, int], int | None]]) -> list[Times]:
        at = [(self._at(start), length) for start, length in times]
        return [(start, None if length is None else start + length * MINUTE) for start, length in at]

    def _both(self, work: Any, rule: Any, *, name: str) -> Any:
        """The command and the rule: both refuse, or neither; what is refused leaves no trace."""
        before = self.desk.dump()
        try:
            done, refusal = self.desk.do(work), None
        except AcwcError as error:
            done, refusal = None, error
        try:
            rule()
            allowed = True
        except Refused:
            allowed = False
        assert allowed == (refusal is None), f"{name}: the rule {'allows' if allowed else 'refuses'} it, got {refusal}"
        if refusal is not None:
            assert self.desk.dump() == before, f"{name} was refused ({refusal}) and changed something"
        type(self).reached[f"{name}: {refusal.code if refusal else 'done'}"] += 1
        return done

    # The players ------------------------------------------------------------------------------------------------------

    @live
    @rule(side=sides, times=times, moves=st.booleans(), note=st.sampled_from(("", "*soon*")))
    def offer(self, side: int, times: list[Any], moves: bool, note: str) -> None:
        self._offer(side, self._spans(times), moves=moves, note=note)

    @when(lambda model: model.agreed is None and not model.over)
    @live
    @rule(side=sides, first=st.integers(0, 5))
    def offer_three(self, side: int, first: int) -> None:
        self._offer_good_ones(side, 3, first)

    def _offer_good_ones(self, side: int, many: int, first: int) -> None:
        hours = (15, 24, 48)[:many]
        self._offer(side, [(FRIDAY_ENDS + (first + h) * HOUR, None) for h in hours], moves=False, note="")

    def _offer(self, side: int, times: list[Times], *, moves: bool, note: str) -> None:
        scheduling = self.desk.app.scheduling
        call = scheduling.reschedule if moves else scheduling.offer
        spans = [Span(start, end) for start, end in times]
        work = call(self.desk.player(side), MATCH, spans, note)
        name = "reschedule" if moves else "offer"
        made = self._both(work, lambda: self.model.may_offer(side, times, moves=moves), name=name)
        if made is not None:
            self.model.offer(side, [offer.id for offer in made.made], times, moves=moves)

    @live
    @when(lambda model: model.offers)
    @rule(side=sides, pick=st.integers(0, 30))
    def retract(self, side: int, pick: int) -> None:
        id = self._pick(pick)
        work = self.desk.app.scheduling.retract(self.desk.player(side), id)
        self._both(work, lambda: self.model.retract(side, id), name="retract")

    @when(lambda model: model.offers)
    @live
    @rule(side=sides, pick=st.integers(0, 30), minutes=st.sampled_from((None, None, None, 0, 30, 60, -1, 301)))
    def accept(self, side: int, pick: int, minutes: int | None) -> None:
        self._accept(side, self._pick(pick), minutes)

    @when(lambda model: not model.over and model.open_now())
    @live
    @rule(pick=st.integers(0, 5), minutes=st.sampled_from((0, 30, 60)))
    def accept_what_is_on_the_table(self, pick: int, minutes: int) -> None:
        known = self.model.open_now()
        id = known[pick % len(known)]
        offer = self.model.offers[id]
        self._accept(1 - offer.by, id, minutes if offer.end else None)

    def _accept(self, side: int, id: int, minutes: int | None) -> None:
        offer = self.model.offers.get(id)
        at = None if minutes is None or offer is None else offer.start + minutes * MINUTE
        work = self.desk.app.scheduling.accept(self.desk.player(side), id, at)
        self._both(work, lambda: self.model.accept(side, id, at), name="accept")

    def _pick(self, pick: int) -> int:
        """Some offer, the newest ones more often, now and then one that there is not."""
        known = len(self.model.offers)
        return 999 if pick == 0 else known - (pick - 1) % known

    @when(lambda model: model.fault is not None)
    @live
    @rule(side=sides, start=starts)
    def set_time(self, side: int, start: tuple[str, int]) -> None:
        at = self._at(start)
        work = self.desk.app.choosing.set_time(self.desk.player(side), MATCH, at)
        self._both(work, lambda: self.model.set_time(side, at), name="set the time")

    @when(lambda model: model.may_set)
    @live
    @rule(minutes=st.sampled_from((-1, 0, 1, 300)))
    def set_time_with_the_right(self, minutes: int) -> None:
        assert self.model.may_set is not None
        self.set_time(self.model.may_set[0], ("ahead", 720 + minutes))

    @live
    @rule(side=sides, wish=st.sampled_from((None, None, *Wish)))
    def report_or_ask(self, side: int, wish: Wish | None) -> None:
        if wish is None:
            work = self.desk.app.reporting.report(self.desk.player(side), MATCH)
            self._both(work, lambda: self.model.report(side), name="report")
            return
        work = self.desk.app.choosing.ask(self.desk.player(side), MATCH, wish)
        self._both(work, lambda: self.model.ask(wish.value), name="ask")

    # The TDs ----------------------------------------------------------------------------------------------------------

    @when(lambda model: model.fault is not None or model.now >= FRIDAY_ENDS - SECOND)
    @live
    @rule(whom=st.sampled_from(("both", "a", "b", "nobody")))
    def blame(self, whom: str) -> None:
        work = self.desk.app.match_rulings.blame(self.desk.td(), MATCH, Blame(whom), "a reason")
        self._both(work, lambda: self.model.blame(whom), name=f"blame {whom}")

    @when(lambda model: len(model.waived) < 2)
    @live
    @rule(whom=st.sampled_from((frozenset({0}), frozenset({1}), frozenset({0, 1}))))
    def waive(self, whom: frozenset[int]) -> None:
        one = self.desk.sides[min(whom)] if len(whom) == 1 else None
        work = self.desk.app.match_rulings.waive(self.desk.td(), MATCH, "a reason", one)
        self._both(work, lambda: self.model.waive(whom), name="waive")

    @live
    @when(lambda model: model.now >= FRIDAY_ENDS - HOUR)
    @rule(start=starts)
    def td_sets(self, start: tuple[str, int]) -> None:
        at = self._at(start)
        work = self.desk.app.match_rulings.set_time(self.desk.td(), MATCH, at, "a reason")
        self._both(work, lambda: self.model.td_sets(at), name="TD sets")

    @when(lambda model: model.now < NEXT_FRIDAY_ENDS and model.extended is None)
    @live
    @rule()
    def extend(self) -> None:
        self._extend()
        if self.model.extended is not None:
            self._extend()

    def _extend(self) -> None:
        work = self.desk.app.rounds.extend(self.desk.td(), "a reason", match_id=MATCH)
        self._both(work, self.model.extend, name="extend")

    # The world --------------------------------------------------------------------------------------------------------

    @when(lambda model: model.now + WINNING * MINUTE < model.play_by)
    @live
    @rule(running=st.booleans())
    def games_on_lichess(self, running: bool) -> None:
        """A whole match that one side wins, or a first game that goes on for ever."""
        for n in range(1 if running else WINNING):
            at = self.model.now + n * MINUTE
            self.desk.lichess.add(at, None if running else "white")
            self.model.games.append((at, not running))
        self.model.winner = 0 if self.desk.sides[0] == 1 else 1

    @live
    @when(lambda model: model.agreed and model.now <= model.agreed < model.play_by - HOUR and not model.over)
    @rule(side=sides, late=st.sampled_from((-9, 0, 40)))
    def they_play_when_it_was_agreed(self, side: int, late: int) -> None:
        assert self.model.agreed is not None
        self.move_with_the_bot(max(self.model.now, self.model.agreed + late * MINUTE))
        self.games_on_lichess(running=False)
        self.move_with_the_bot(self.model.now + 10 * MINUTE)
        self.report_or_ask(side, None)

    @live
    @rule(down=st.booleans())
    def lichess_goes_or_comes(self, down: bool) -> None:
        self.desk.lichess.down = self.model.lichess_down = down

    @live
    @rule(minutes=st.sampled_from((1, 30, 60, 240, 720)))
    def time_passes(self, minutes: int) -> None:
        self.move_with_the_bot(self.model.now + minutes * MINUTE)

    @live
    @rule(
        pick=st.integers(0, 2), second=st.sampled_from((-1, 0)), bot=st.sampled_from(("there", "slow", "slow", "down"))
    )
    def time_passes_until(self, pick: int, second: int, bot: str) -> None:
        """To a second that matters or the one before it. The bot is there, or commands are faster than it, or it is
        down on the way and another process wakes up."""
        known = {*MOMENTS, self.model.agreed, self.model.right[1] if self.model.right else None}
        coming = sorted(at for at in known if at is not None and at + second * SECOND > self.model.now)
        if not coming:
            return
        to = coming[min(pick, len(coming) - 1)] + second * SECOND
        if bot == "there":
            self.move_with_the_bot(to)
            return
        self.set_clock(to)
        if bot == "down":
            self.desk.restart()
            self._look()

    @live
    @rule()
    def the_bot_looks(self) -> None:
        if not self._look():
            return
        before = self.desk.dump()
        assert self.desk.do(self.desk.app.due.reconcile()) == 0 and self.desk.dump() == before, "once means once"

    def set_clock(self, to: datetime) -> None:
        self.desk.clock.moment = self.model.now = to

    def _look(self) -> int:
        settled = self.desk.do(self.desk.app.due.reconcile())
        self.model.look()
        assert self.desk.raised.records == []
        return settled

    def move_with_the_bot(self, to: datetime) -> None:
        """The bot sleeps until the rule needs it; the moment that it names itself must not be after that. Other moments
        that it names are for reminders that nobody has to get."""
        while self.model.now < to:
            wakes = self.desk.do(self.desk.app.due.next_moment())
            needed = min(self.model.moments(), default=None)
            assert needed is None or (wakes is not None and wakes <= needed), f"it sleeps until {wakes} over {needed}"
            self.set_clock(min(to, needed) if needed is not None else to)
            self._look()

    # After every step -------------------------------------------------------------------------------------------------

    @invariant()
    def the_bot_stands_where_the_rule_does(self) -> None:
        model = self.model
        expected = Seen(
            agreed=model.agreed,
            may_set=model.may_set,
            duty=(model.duty(0), model.duty(1)),
            guilty=model.guilty,
            found=model.fault is not None,
            open_offers=frozenset(id for id, offer in model.offers.items() if model.on_the_table(offer)),
            offers_by=model.offers_by,
            result=model.result,
            over=model.over,
            forfeits=model.forfeits,
            disputed=model.disputed,
            pings=model.pings,
            owing_told=model.owing_told,
            notices=+model.notices,
        )
        if (state := (self.desk.dump(), model.now)) != self.compared:
            self.compared: Any = state
            seen = self.desk.seen()
            pairs = {part.name: (getattr(seen, part.name), getattr(expected, part.name)) for part in fields(Seen)}
            assert not (wrong := {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}), wrong
        self.age += 1
        self.idle += model.over or model.now >= model.play_by
        cls = type(self)
        cls.steps += 1
        cls.reached.update({f"result: {model.result}": 1, f"allowed: {model.allowed}": 1})
        cls.reached.update({f"disputed: {model.disputed}": 1, f"may set: {model.may_set is not None}": 1})
        cls.reached.update(f"notice: {notice}" for notice in model.notices)
        cls.reached["allowed: over"] += model.was_allowed and model.over and model.result == "both failed"
        cls.reached.update(f"ping: {name}" for name, _ in model.pings)
