"""What a ruleset may not say at once, although each value is fine by itself. Each check yields (dotted key, reason)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from engine.rules import registry as known
from engine.rules.entrants import least_for_rounds
from engine.rules.schema import MatchRules, Ruleset, Seating
from engine.rules.values import DIRECT, WeekTime
from engine.rules.week import Window, first_publication, most_offers, next_publication, window

Findings = Iterator[tuple[str, str]]
_LONGEST_WAIT = timedelta(days=366)


def contradictions(rules: Ruleset) -> list[tuple[str, str]]:
    """All contradictions of a ruleset, as (dotted key, reason)."""
    return list(dict.fromkeys(finding for check in _CHECKS for finding in check(rules)))


def _doubles(items: Sequence[object]) -> list[object]:
    return [item for item, times in Counter(items).items() if times > 1]


def _dates(rules: Ruleset) -> Findings:
    entry = rules.entry
    before = [
        ("entry.account_created_before", entry.account_created_before),
        ("entry.min_games_before", entry.min_games_before),
        ("entry.engine_mark_after", entry.engine_mark_after),
        ("entry.boost_mark_after", entry.boost_mark_after),
        *(("entry.cheat_games.since", rule.since) for rule in entry.cheat_games),
        ("registration.closes", rules.registration.closes),
    ]
    for key, day in before:
        if day > rules.starts:
            yield key, f"{day} lies after the first publication ({rules.starts})"
    opens, closes = rules.registration.opens, rules.registration.closes
    if opens is not None and opens >= closes:
        yield "registration.opens", f"{opens} is not before registration.closes ({closes})"
    if rules.starts - closes > _LONGEST_WAIT:
        yield "registration.closes", f"{closes} lies more than a year before the first publication ({rules.starts})"
    ladder = sorted(entry.cheat_games, key=lambda rule: rule.since)
    for longer, shorter in pairwise(ladder):
        if longer.count <= shorter.count:
            reason = f"{shorter.count} since {shorter.since} never matters beside {longer.count} since {longer.since}"
            yield "entry.cheat_games", reason


def _seeding(rules: Ruleset) -> Findings:
    seeding = rules.seeding
    peaks = (seeding.peak_from, seeding.peak_until)
    if seeding.method != "average_with_peak":
        if peaks != (None, None):
            yield "seeding.method", f"{seeding.method} knows no peak, but peak_from or peak_until is given"
    elif seeding.peak_from is None or seeding.peak_until is None:
        yield "seeding.method", "average_with_peak needs peak_from and peak_until"
    elif seeding.peak_from >= seeding.peak_until:
        yield "seeding.peak_until", f"{seeding.peak_until} is not after peak_from ({seeding.peak_from})"
    elif seeding.peak_until > rules.registration.closes:
        yield "seeding.peak_until", f"{seeding.peak_until} lies after registration.closes, when seeds are made"
    if "lichess_id" not in seeding.then:
        yield "seeding.then", "must contain lichess_id: everything else can be equal"


def _points(rules: Ruleset) -> Findings:
    for key, part in (("swiss", rules.swiss), ("candidates", rules.candidates)):
        if not part.points_win > part.points_draw >= part.points_loss:
            yield f"{key}.points_win", "a win must be worth more than a draw, a draw no less than a loss"
    most = rules.swiss.points_win
    for key, points in (
        ("swiss.bye_points", rules.swiss.bye_points),
        ("swiss.extended_points", rules.swiss.extended_points),
        ("registration.missed_round_points", rules.registration.missed_round_points),
        ("no_agreement.both_failed_points", rules.no_agreement.both_failed_points),
        ("no_agreement.no_fault_points", rules.no_agreement.no_fault_points),
        ("leaving.both_left_points", rules.leaving.both_left_points),
        *(("forfeits.double_points", points) for points in rules.forfeits.double_points),
    ):
        if points > most:
            yield key, "is worth more than a won match (swiss.points_win)"


def _lists(rules: Ruleset) -> Findings:
    for key, items in (
        ("seeding.then", rules.seeding.then),
        ("swiss.tiebreaks", rules.swiss.tiebreaks),
        ("candidates.tiebreaks", rules.candidates.tiebreaks),
        ("candidates.direct", [name.lower() for name in rules.candidates.direct]),
        ("candidates.last_finals", [name.lower() for name in rules.candidates.last_finals]),
        ("knockout.direct", [name.lower() for name in rules.knockout.direct]),
        ("knockout.without_play", rules.knockout.without_play),
        ("forfeits.counting", rules.forfeits.counting),
        ("forfeits.double_points", rules.forfeits.double_points),
        ("reporting.by", rules.reporting.by),
        ("leaving.grounds", rules.leaving.grounds),
        ("leaving.reaching_back", rules.leaving.reaching_back),
        ("leaving.keeps_place", rules.leaving.keeps_place),
    ):
        for item in _doubles(items):
            yield key, f'"{item}" stands twice'
    for ground in rules.leaving.reaching_back:
        if ground not in rules.leaving.grounds:
            yield "leaving.reaching_back", f'"{ground}" is not one of leaving.grounds'
    if len(rules.candidates.last_finals) > 4:
        yield "candidates.last_finals", "the Finals have four places"
    if not rules.reporting.by:
        yield "reporting.by", "nobody may report a result"
    if not rules.forfeits.double_points:
        yield "forfeits.double_points", "leaves nothing to choose"


def _tiebreaks(rules: Ruleset) -> Findings:
    if rules.swiss.tiebreaks[-1:] != ("seed",):
        yield "swiss.tiebreaks", 'must end with "seed": everything else can be equal'
    last = rules.candidates.tiebreaks[-1:]
    direct = bool(rules.candidates.direct)
    if last != ("seed",) and (direct or last != ("qualification_place",)):
        ends = '"seed"' if direct else '"qualification_place" or "seed"'
        why = "direct entrants have no place in the Qualification" if direct else "everything else can be equal"
        yield "candidates.tiebreaks", f"must end with {ends}: {why}"
    for key, tiebreaks in (("swiss", rules.swiss.tiebreaks), ("candidates", rules.candidates.tiebreaks)):
        if "seed" in tiebreaks[:-1]:
            yield f"{key}.tiebreaks", 'nothing is left to separate after "seed"'
    on_games = known.POOL_TIEBREAKS_ON_GAMES.intersection(rules.candidates.tiebreaks)
    if on_games and rules.matches.candidates.stop != "all_games":
        yield "matches.candidates.stop", f"{', '.join(sorted(on_games))} need all games to be played (R3.10)"


def _rounds(rules: Ruleset) -> Findings:
    """The smallest field in which somebody does not qualify has to be able to play all its rounds."""
    least = least_for_rounds(rules.swiss)
    qualifiers = max(seating.qualifiers for seating in rules.candidates.seating) if rules.candidates.seating else 0
    if qualifiers and least > qualifiers + 1:
        rounds = rules.swiss.rounds(least - 1)
        yield (
            "swiss.rounds_plus",
            f"{rounds} rounds of {least - 1} entrants, of whom {qualifiers} qualify, need a rematch (R3.7)",
        )


def _seating(rules: Ruleset) -> Findings:
    key = "candidates.seating"
    numbers = sorted(seating.direct for seating in rules.candidates.seating)
    most = len(rules.candidates.direct)
    if numbers != list(range(most + 1)):
        yield key, f"needs one seating for each number of direct entrants who may play, 0 to {most}, not {numbers}"
    for seating in rules.candidates.seating:
        yield from _one_seating(seating, key)
        if rules.candidates.min_players > seating.qualifiers + seating.direct:
            yield "candidates.min_players", "is more than the pools hold"


def _one_seating(seating: Seating, key: str) -> Findings:
    names = [pool.name for pool in seating.pools]
    for name in _doubles(names):
        yield f"{key}.pools.name", f'"{name}" stands twice'
    if DIRECT in names:
        yield f"{key}.pools.name", f'"{DIRECT}" is kept for direct entrants'
    places = sorted(place for pool in seating.pools for place in pool.places)
    if places != list(range(1, seating.qualifiers + 1)):
        yield f"{key}.pools.places", f"must hold each of the places 1 to {seating.qualifiers} once, not {places}"
    direct = sorted(number for pool in seating.pools for number in pool.direct)
    if direct != list(range(1, seating.direct + 1)):
        yield f"{key}.pools.direct", f"must hold each of the direct entrants 1 to {seating.direct} once, not {direct}"
    for pool in seating.pools:
        if pool.size < 2:
            yield f"{key}.pools", f'pool "{pool.name}" has fewer than two players'
    if len({pool.size + pool.size % 2 for pool in seating.pools}) > 1:
        yield f"{key}.pools", "pools need the same number of rounds, so about the same size"


def _knockout(rules: Ruleset) -> Findings:
    key = "knockout.semifinals"
    seats = [seat for pair in rules.knockout.semifinals for seat in pair]
    if len(rules.knockout.semifinals) != 2:
        yield key, "two semifinals lead to the Finals"
    for seat in _doubles(seats):
        yield key, f"{seat} sits down twice"
    for seating in rules.candidates.seating:
        sizes = {pool.name: pool.size for pool in seating.pools} | {DIRECT: len(rules.knockout.direct)}
        for seat in seats:
            if seat.place > sizes.get(seat.pool, 0):
                yield key, f'"{seat.pool} {seat.place}" does not exist with {seating.direct} direct entrants'
    seated = sorted(seat.place for seat in seats if seat.pool == DIRECT)
    if seated != list(range(1, len(rules.knockout.direct) + 1)):
        yield "knockout.direct", "each direct entrant needs one seat"
    pooled = {name.lower() for name in rules.candidates.direct}
    for name in rules.knockout.direct:
        if name.lower() in pooled:
            yield "knockout.direct", f'"{name}" is a direct entrant to the Candidates too'


def _matches(rules: Ruleset) -> Findings:
    table = rules.matches
    for name, match, knockout in (
        ("qualification", table.qualification, False),
        ("candidates", table.candidates, False),
        ("semifinals", table.semifinals, True),
        ("third_place", table.third_place, True),
        ("grand_final", table.grand_final, True),
    ):
        yield from _one_match(f"matches.{name}", match, knockout)


def _one_match(key: str, match: MatchRules, knockout: bool) -> Findings:
    if match.games % 2 or match.extra_games % 2:
        yield f"{key}.games", "an odd number of games gives one side White more often, and no pairing makes up for it"
    if match.extra_games and match.tied != "armageddon":
        yield f"{key}.extra_games", f'"{match.tied}" leaves no room for a fixed number of tiebreak games'
    playable = known.TIED_IN_KNOCKOUT if knockout else known.TIED_IN_TABLE
    if match.tied not in playable:
        why = "a knock-out match needs a winner" if knockout else "a tied match stands in a table as it is"
        yield f"{key}.tied", f'"{match.tied}" is not supported here, known are {", ".join(sorted(playable))}: {why}'
    if not _is_lichess_clock(match.clock_initial):
        yield (
            f"{key}.clock_initial",
            f"{match.clock_initial} s: Lichess has 0, 15, 30, 45, 90 and whole minutes",
        )
    if not match.clock_initial and not match.clock_increment:
        yield f"{key}.clock_initial", "no time at all"


def _is_lichess_clock(seconds: int) -> bool:
    return seconds % 60 == 0 or seconds in known.SHORT_CLOCKS


def _armageddon(rules: Ruleset) -> Findings:
    part = rules.armageddon
    if not _is_lichess_clock(part.black_clock):
        yield "armageddon.black_clock", f"{part.black_clock} s: Lichess has 15, 30, 45, 90 and whole minutes"
    if part.bid_least > part.bid_most:
        yield "armageddon.bid_most", "is less than bid_least"
    if part.bid_most > part.black_clock:
        yield "armageddon.bid_most", "is more than the other side has (black_clock)"
    if not part.bid_least <= part.no_bid <= part.bid_most:
        yield "armageddon.no_bid", "is not between bid_least and bid_most"


def _week(rules: Ruleset) -> Findings:
    week = rules.week
    first = window(week, first_publication(week, rules.starts))
    publish_at = next_publication(week, first.matches_by)
    ordinary = window(week, publish_at)
    length = next_publication(week, ordinary.matches_by) - publish_at
    if length != timedelta(weeks=week.weeks_per_round):
        yield (
            "week.publish",
            f"publication, offer deadline and match deadline take {length.days} days, not {week.weeks_per_round} x 7: "
            "a deadline lies on the wrong side of the publication",
        )
        return
    if ordinary.matches_by + rules.games.finish_by > publish_at + length:
        yield "games.finish_by", "matches in play may finish after the next publication"
    for key, span in (("the first round", first), ("a round", ordinary)):
        fitting = most_offers(rules.offers, span)
        if fitting < rules.offers.count:
            limits = "min_notice, latest_before_deadline, min_gap and max_per_date"
            yield "offers.count", f"{limits} leave room for {fitting} of them in {key}"
    yield from _set_time(rules, ordinary)
    yield from _reminders(rules, first, ordinary)


def _set_time(rules: Ruleset, ordinary: Window) -> Findings:
    part = rules.set_time
    choose_by = part.choose_by.next_after(ordinary.offers_by)
    if choose_by > ordinary.matches_by:
        yield "set_time.choose_by", "is not between the offer deadline and the match deadline"
    elif choose_by + part.min_notice > ordinary.matches_by - part.latest_before_deadline:
        yield "set_time.min_notice", "leaves no time to choose at choose_by"


def _reminders(rules: Ruleset, first: Window, ordinary: Window) -> Findings:
    part = rules.reminders
    for span in (first, ordinary):
        moments: list[datetime] = []
        for name, reminder in (("no_offer", part.no_offer), ("too_few", part.too_few), ("last_call", part.last_call)):
            moments.append(_reminder_in(span, reminder))
            if moments[-1] <= span.publish_at:
                yield f"reminders.{name}", "does not fall between a publication and its offer deadline"
        if moments != sorted(moments):
            yield "reminders.last_call", "the reminders are not in order"


def _reminder_in(span: Window, reminder: WeekTime) -> datetime:
    return reminder.last_before(span.offers_by)


def _qualifying(rules: Ruleset) -> Findings:
    if rules.registration.closes < rules.entry.account_created_before:
        yield "registration.closes", "lies before entry.account_created_before"


_CHECKS: tuple[Callable[[Ruleset], Findings], ...] = (
    _dates,
    _qualifying,
    _seeding,
    _points,
    _lists,
    _tiebreaks,
    _rounds,
    _seating,
    _knockout,
    _matches,
    _armageddon,
    _week,
)
