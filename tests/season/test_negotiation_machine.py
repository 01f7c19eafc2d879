"""R5 by many negotiations of one match, against the model of the rule (`negotiation_machine`).

`ACWC_NEGOTIATIONS` is how many runs there are, of at most STEPS steps each (60 when not set).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.season.negotiation_desk import NegotiationDesk
from tests.season.negotiation_machine import NegotiationMachine
from tests.season.negotiation_model import (
    FRIDAY_ENDS,
    HOUR,
    MINUTE,
    MONDAY_ENDS,
    NEXT_FRIDAY_ENDS,
    NEXT_MONDAY_ENDS,
    PUBLISHED,
    SECOND,
    SUNDAY_NOON,
)
from tests.world import migrated

NEGOTIATIONS = int(os.environ.get("ACWC_NEGOTIATIONS", "60"))
STEPS = 40

NEEDED = (
    *("offer: done", "retract: done", "accept: done", "reschedule: done", "set the time: done", "report: done"),
    *("blame a: done", "blame nobody: done", "blame both: done", "waive: done", "TD sets: done", "extend: done"),
    *("result: both failed", "result: no fault", "allowed: True", "disputed: True", "may set: True"),
    *("notice: both failed, but", "notice: time to set", "notice: unplayed", "notice: extension over"),
    *("notice: played, not reported", "allowed: over"),
    *("ping: no_offer", "ping: too_few", "ping: last_call"),
)
"""Where none of these was met, nothing was shown about it."""


Scene = Callable[[NegotiationMachine], object]
BOTH = frozenset({0, 1})
SCENES: dict[str, tuple[Scene, ...]] = {
    "both fail, are allowed to play, and do": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS, (0, 0), slowly=True),
        lambda m: m.waive(BOTH),
        lambda m: m.offer_three(0, 1),
        lambda m: m.retract(0, 1),
        lambda m: m.accept_what_is_on_the_table(0, 0),
        lambda m: m.they_play_when_it_was_agreed(0, 0),
    ),
    "one fails, the other sets the time, and it is moved": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS, (3, 2), slowly=True),
        lambda m: m.set_time_with_the_right(1),
        lambda m: m.offer(0, [(("end", -120), 30)], True, "*soon*"),
        lambda m: m.accept_what_is_on_the_table(0, 30),
    ),
    "moved twice, and what was accepted or proposed before cannot be accepted any more": (
        lambda m: m.some_time_has_passed(PUBLISHED, (3, 0), slowly=False),
        lambda m: m.accept_what_is_on_the_table(0, 0),
        lambda m: m.offer(0, [(("end", -120), None)], True, ""),
        lambda m: m.accept_what_is_on_the_table(0, 0),
        lambda m: m.td_sets(("end", -180)),
        lambda m: m.accept(1, 1, None),
        lambda m: m.offer(0, [(("end", -100), None)], True, ""),
        lambda m: m.td_sets(("end", -240)),
        lambda m: m.accept(1, 1, None),
    ),
    "a time that TDs set before Friday ends, and again before the bot looks": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS - HOUR, (0, 0), slowly=False),
        lambda m: m.td_sets(("end", -120)),
        lambda m: m.set_clock(FRIDAY_ENDS + MINUTE),
        lambda m: m.td_sets(("end", -180)),
        lambda m: m.the_bot_looks(),
    ),
    "one fails, and the right is not used": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS, (0, 3), slowly=True),
        lambda m: m.move_with_the_bot(SUNDAY_NOON),
        lambda m: m.td_sets(("end", -120)),
    ),
    "no agreement, and nobody is at fault": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS, (3, 3), slowly=True),
        lambda m: m.blame("nobody"),
    ),
    "no agreement, and one is at fault": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS, (3, 3), slowly=True),
        lambda m: m.blame("a"),
        lambda m: m.waive(frozenset({0})),
        lambda m: m.blame("b"),
        lambda m: m.move_with_the_bot(MONDAY_ENDS),
    ),
    "both fail while they play": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS - HOUR, (1, 0), slowly=False),
        lambda m: m.games_on_lichess(True),
        lambda m: m.move_with_the_bot(FRIDAY_ENDS),
        lambda m: m.blame("both"),
    ),
    "allowed to play, and nobody plays": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS, (0, 0), slowly=True),
        lambda m: m.waive(BOTH),
        lambda m: m.offer_three(0, 1),
        lambda m: m.move_with_the_bot(MONDAY_ENDS + 2 * HOUR - SECOND),
        lambda m: m.lichess_goes_or_comes(True),
        lambda m: m.move_with_the_bot(MONDAY_ENDS + 3 * HOUR),
        lambda m: m.lichess_goes_or_comes(False),
        lambda m: m.the_bot_looks(),
        lambda m: m.waive(BOTH),
        lambda m: m.move_with_the_bot(NEXT_MONDAY_ENDS + 2 * HOUR),
    ),
    "allowed to play, played, and not reported": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS, (0, 0), slowly=True),
        lambda m: m.waive(BOTH),
        lambda m: m.games_on_lichess(False),
        lambda m: m.move_with_the_bot(MONDAY_ENDS + 2 * HOUR),
        lambda m: m.report_or_ask(0, None),
        lambda m: m.report_or_ask(1, None),
    ),
    "an extended match has its own Sunday": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS - HOUR, (3, 0), slowly=False),
        lambda m: m.extend(),
        lambda m: m.move_with_the_bot(NEXT_FRIDAY_ENDS),
        lambda m: m.time_passes(720),
        lambda m: m.set_time_with_the_right(300),
    ),
    "an extended match is not played": (
        lambda m: m.some_time_has_passed(FRIDAY_ENDS - HOUR, (0, 0), slowly=False),
        lambda m: m.extend(),
        lambda m: m.move_with_the_bot(NEXT_FRIDAY_ENDS - HOUR),
        lambda m: m.offer_three(0, 180),
        lambda m: m.offer_three(1, 181),
        lambda m: m.move_with_the_bot(NEXT_MONDAY_ENDS),
    ),
}


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[type[NegotiationMachine]]:
    path = tmp_path / "acwc.db"
    NegotiationMachine.desk = NegotiationDesk(migrated(path, tmp_path), path)
    NegotiationMachine.steps, NegotiationMachine.reached = 0, Counter()
    yield NegotiationMachine
    NegotiationMachine.desk.close()


def test_r5_every_kind_of_end_is_reached_as_the_rule_says(machine: type[NegotiationMachine]) -> None:
    """What chance may leave out: by hand, through the same steps and the same comparison."""
    for scene in SCENES.values():
        match = machine()
        for act in scene:
            act(match)
            match.the_bot_stands_where_the_rule_does()
    missed = [what for what in NEEDED if not machine.reached[what]]
    assert not missed, missed


def test_r5_a_negotiation_comes_to_what_the_rule_says(machine: type[NegotiationMachine]) -> None:
    many = settings(max_examples=NEGOTIATIONS, stateful_step_count=STEPS, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine, settings=many)
    assert machine.steps >= 2000
