"""Wrong strategies: (clause, what the bot would then do, the change). Each is made from what it replaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from engine.eligibility import Verdict
from engine.model import EntryState, OfferState, Stage
from engine.negotiation import Reason, Window
from engine.points import DRAW, LOSS, WIN
from engine.rulings import Ruling
from engine.scoring import Fault
from engine.tiebreaks import Criterion, Table, Unit
from engine.tournament import Tournament
from tests.clauses.change import Change, Swap

HOUR = timedelta(hours=1)
ELIGIBILITY = "engine.eligibility.checks"
LINES = "engine.usecases.game_lines"
Wrong = Callable[[Any], Any]


# --- Registration ---------------------------------------------------------------------------------------------


def own_entry_too(refuse: Any) -> Any:
    return lambda reader, actor, view: None


def no_mark_elsewhere(read: Any) -> Any:
    return lambda progress, found: replace(read(progress, found), others_marked=(), others_unknown=())


def any_cheat_game(is_cheat: Any) -> Any:
    return lambda game: game.status == "cheat"


def by_rating_then_name(order: Any) -> Any:
    return lambda evidence, rules: sorted(evidence, key=lambda id: (-evidence[id].half_rating, id))


def marks_pass(mark: Any) -> Any:
    return lambda *asked: [(Verdict.PASS, figures) for _, figures in mark(*asked)]


# --- Games ----------------------------------------------------------------------------------------------------


def without(fault: Fault) -> Wrong:
    """Games with this fault count."""
    return lambda faults: lambda *game: tuple(found for found in faults(*game) if found is not fault)


def half_an_hour_late_is_too_late(time_faults: Any) -> Any:
    def faults(game: Any, start: Any, first: Any) -> Any:
        late = game.created_at > start + HOUR / 2
        return (Fault.AFTER_DEADLINE,) if late else time_faults(game, start, first)

    return faults


def everything_after_monday_is_late(late: Any) -> Any:
    return lambda ordered, found, accepted, deadline, finish_by: [g for g in ordered if g.created_at >= deadline]


def ends_at_five(count: Any) -> Any:
    return lambda valid, a_ids, b_ids, rules: count(valid, a_ids, b_ids, replace(rules, length=rules.length - 1))


def tie_goes_to_the_first(played: Any) -> Any:
    def result(event: Any, fact_id: int) -> Any:
        found = played(event, fact_id)
        return replace(found, a=WIN, b=LOSS) if found.a == DRAW else found

    return result


def reporter_names_the_first_game(named: Any) -> Any:
    return lambda reader, seat, own: None if seat.match.agreed_at else own


def score_is_not_compared(refuse: Any) -> Any:
    return lambda seat, reading, score, **rest: refuse(seat, reading, None, **rest)


def without_recount(reader: Any, lichess: Any, event: Any, ruling: Any, now: Any) -> Any:
    return ruling


def nobody_looks(look: Any) -> Any:
    async def done(*_: Any) -> None:
        return None

    return done


def only_in_the_channel(result: Any) -> Any:
    return lambda self, match: self.owe(f"match:{match.id}:result", "result", "channel:results", match_id=match.id)


def only_in_the_thread(result: Any) -> Any:
    return lambda self, match: self.owe(
        f"match:{match.id}:result:thread", "result", f"thread:{match.id}", match_id=match.id
    )


# --- Offers ---------------------------------------------------------------------------------------------------


def retracted_counts(not_eligible: Any) -> Any:
    return lambda offer, *rest: not_eligible(replace(offer, state=OfferState.OPEN), *rest)


def retracted_never_counts(not_eligible: Any) -> Any:
    def reason(offer: Any, *rest: Any) -> Any:
        return Reason.RETRACTED if offer.state is OfferState.RETRACTED else not_eligible(offer, *rest)

    return reason


def starts_only(can_accept: Any) -> Any:
    def accept(offer: Any, *rest: Any, at: Any = None) -> Any:
        return can_accept(replace(offer, ends_at=None), *rest, at=at)

    return accept


def opens_a_day_later(window_of: Any) -> Any:
    def window(event: Any, match: Any) -> Window:
        found = window_of(event, match)
        return Window(found.opens + 24 * HOUR, found.closes)

    return window


TERMS = "engine.usecases.due_terms"


def right_of_the_guilty(right_to_choose: Any) -> Any:
    def right(match: Any, *rest: Any) -> Any:
        found = right_to_choose(match, *rest)
        return None if found is None else replace(found, entrant_id=match.opponent_of(found.entrant_id))

    return right


def nobody_forgiven(event: Any, match: Any, entrants: Any, **more: Any) -> Ruling:
    return Ruling("waived", ())


async def no_games(*due: Any) -> tuple[Any, ...]:
    return ()


# --- Pairings -------------------------------------------------------------------------------------------------


def one_against_two(places: Any) -> Any:
    return lambda players: {id: replace(place, half=1) for id, place in places(players).items()}


def best_seed_last(places: Any) -> Any:
    return lambda players: places(list(reversed(players)))


def highest_gets_the_bye(bye_queue: Any) -> Any:
    return lambda *asked, **options: list(reversed(bye_queue(*asked, **options)))


def float_again(cost: Any) -> Any:
    return lambda *pair: cost(*pair)._replace(floats_again=0)


def scores_do_not_matter(cost: Any) -> Any:
    return lambda *pair: cost(*pair)._replace(gap_squared=0)


def met_if_played(met: Any) -> Any:
    def pairs(self: Tournament, stage: Stage = Stage.QUALIFICATION) -> frozenset[frozenset[int]]:
        played = {id for id, result in self.results.items() if result.played}
        rounds = self.stage_rounds(stage)
        return frozenset(frozenset((p.a_id, p.b_id)) for r in rounds for p in r.pairs if p.match_id in played)

    return pairs


def deadlines_move_with_the_delay(publish: Any) -> Any:
    def late(store: Any, event: Any, slot: Any, now: Any, **rest: Any) -> Any:
        delay = now - slot.publish_at
        moved = replace(slot, offers_by=slot.offers_by + delay, matches_by=slot.matches_by + delay)
        return publish(store, event, moved, now, **rest)

    return late


# --- The table ------------------------------------------------------------------------------------------------


def criterion(
    name: str, value: Callable[[int, Table, frozenset[int]], int | None], unit: Unit, *, lower_first: bool = False
) -> Wrong:
    return lambda criteria: {**criteria, name: Criterion(value, unit, lower_first)}


def all_wins(entrant: int, table: Table, tied: frozenset[int]) -> int:
    return sum(score.outcome == WIN for score in table.scores[entrant])


def cumulative_of_played_rounds(entrant: int, table: Table, tied: frozenset[int]) -> int:
    row = table.scores[entrant]
    return sum(score.points * (len(row) - done) for done, score in enumerate(row) if score.played)


def higher_seed_first(entrant: int, table: Table, tied: frozenset[int]) -> int:
    return table.seeds[entrant]


def formed_again(split: Any) -> Any:
    def parts_of(tie: Any, name: str, table: Any, values: Any) -> list[Any]:
        parts: list[Any] = split(tie, name, table, values)
        if len(parts) == 1:
            return parts
        return [again for part in parts for again in parts_of(part, name, table, values)]

    return parts_of


def open_rounds_count_too(table_of: Any) -> Any:
    def table(tournament: Tournament, *rest: Any, **options: Any) -> Any:
        rounds = tuple(replace(published, closed=True) for published in tournament.rounds)
        return table_of(replace(tournament, rounds=rounds), *rest, **options)

    return table


def nobody_is_out(unranked: Any) -> Any:
    return lambda self, stage: frozenset()


def real_opponent_always(value: Any) -> Any:
    return lambda entrant, score, table: value(entrant, score._replace(played=True), table)


CRITERIA = "engine.tiebreaks:CRITERIA"
FAULTS = "engine.scoring:_faults"

STRATEGIES: list[tuple[str, str, Change]] = [
    ("R1.2", "anybody is a TD", Swap("engine.usecases.context:require_td", lambda _: lambda reader, actor: None)),
    (
        "R1.2",
        "a TD decides the own entry",
        Swap("engine.usecases.entries:refuse_own", own_entry_too),
    ),
    ("R2.2", "games since the cut-off count", Swap(f"{ELIGIBILITY}:needs_count_since", lambda _: lambda *asked: False)),
    (
        "R2.2",
        "too few are taken at their word",
        Swap(f"{ELIGIBILITY}:count_is_doubtful", lambda _: lambda *asked: False),
    ),
    ("R2.3", "a mark is not looked at", Swap(f"{ELIGIBILITY}:_mark", marks_pass)),
    ("R2.4", "a mark is not looked at", Swap(f"{ELIGIBILITY}:_mark", marks_pass)),
    (
        "R2.5",
        "the victims of cheats are out",
        Swap("engine.eligibility.run:_is_cheat", lambda _: lambda game: game.status == "cheat"),
    ),
    (
        "R2.5",
        "only rated games are looked at",
        Swap("engine.eligibility.run:_is_cheat", lambda of: lambda game: game.rated and of(game)),
    ),
    (
        "R2.8",
        "team and rating may come later",
        Swap("engine.eligibility.checks:_until", lambda _: lambda closes, profile: Verdict.NOT_YET),
    ),
    (
        "R2.3",
        "a mark on another account is no matter",
        Swap("engine.eligibility.run:_with_others", no_mark_elsewhere),
    ),
    ("R2.5", "won cheat games count too", Swap("engine.eligibility.run:_is_cheat", any_cheat_game)),
    (
        "R2.6",
        "an entry counts once it is approved",
        Swap("engine.usecases.entries:LIVE", lambda _: (EntryState.APPROVED,)),
    ),
    (
        "R2.8",
        "seeds made without the rated games",
        Swap("engine.usecases.seeds:in_seed_order", by_rating_then_name),
    ),
    ("R3.1", "any variant counts", Swap(FAULTS, without(Fault.WRONG_VARIANT))),
    ("R3.3", "five points win the match", Swap("engine.scoring:_count", ends_at_five)),
    ("R3.3", "a tied match is won by the first player", Swap("engine.ledger:_played", tie_goes_to_the_first)),
    (
        "R3.6",
        "every win counts, against whomever",
        Swap(CRITERIA, criterion("wins_against_tied", all_wins, Unit.COUNT)),
    ),
    ("R3.6", "the tied group is formed again", Swap("engine.tiebreaks.ranking:_split", formed_again)),
    ("R3.6", "the worse seed stands first", Swap(CRITERIA, criterion("seed", higher_seed_first, Unit.COUNT))),
    ("R3.6", "open rounds count", Swap("engine.standings:table_of", open_rounds_count_too)),
    ("R3.7", "the first of a group meets the second", Swap("engine.swiss:_places", one_against_two)),
    ("R3.7", "the rank in a group is upside down", Swap("engine.swiss:_places", best_seed_last)),
    ("R3.7", "the best player has the bye", Swap("engine.swiss:_bye_queue", highest_gets_the_bye)),
    ("R3.7", "rematches are paired", Swap("engine.swiss:_have_met", lambda _: lambda players: frozenset())),
    ("R3.7", "who floated floats again", Swap("engine.swiss:_cost", float_again)),
    ("R3.7", "scores do not matter", Swap("engine.swiss:_cost", scores_do_not_matter)),
    ("R5.1", "everybody is reminded", Swap("engine.usecases.due_reminders:_owes", lambda _: lambda *match: True)),
    ("R5.5", "nobody may set the time", Swap("engine.usecases.matches:right_to_choose", lambda _: lambda *match: None)),
    ("R5.6", "neither is at fault", Swap(f"{TERMS}:_has_offered", lambda _: lambda *side: True)),
    ("R5.8", "no dispute opens", Swap(f"{TERMS}:open_dispute", lambda _: lambda *dispute: None)),
    ("R5.9", "the guilty side sets the time", Swap("engine.usecases.matches:right_to_choose", right_of_the_guilty)),
    ("R5.10", "nothing is forgiven", Swap("engine.match_rulings:waive", lambda _: nobody_forgiven)),
    ("Q1", "Lichess is not asked", Swap("engine.usecases.due:whole_games", lambda _: no_games)),
    ("Q2", "nobody may play after all", Swap("engine.ledger:_allowed", lambda _: lambda *facts: frozenset())),
    (
        "Q15",
        "an agreement leaves the dispute",
        Swap("engine.usecases.scheduling:end_dispute", lambda _: lambda *_: None),
    ),
    (
        "R5.2",
        "an agreed time stays out of the pairings",
        Swap("engine.usecases.posts:Outbox.match_changed", lambda _: lambda self, match, round: self.match_card(match)),
    ),
    ("R5.2", "negotiation starts a day later", Swap("engine.usecases.context:Event.window", opens_a_day_later)),
    (
        "R5.3",
        "times are shown in Central European Time",
        Swap("cogs.render.times:utc", lambda utc: lambda at: utc(at + HOUR)),
    ),
    ("R5.3", "no Discord timestamps", Swap("cogs.render.times:stamp", lambda _: lambda moment, style: "")),
    (
        "R5.3",
        "a bare time is Berlin time",
        Swap("cogs.scheduling:zone_of", lambda _: lambda reading: ZoneInfo("Europe/Berlin")),
    ),
    ("R6.6", "the result is only in the channel", Swap("engine.usecases.posts:Outbox.result", only_in_the_channel)),
    ("R6.6", "the result is only in the thread", Swap("engine.usecases.posts:Outbox.result", only_in_the_thread)),
    (
        "R6.6",
        "a reported score is not compared",
        Swap("engine.usecases.reporting:_refuse_undecided", score_is_not_compared),
    ),
    ("Q3", "a retracted offer counts", Swap("engine.negotiation:_not_eligible", retracted_counts)),
    ("Q3", "retracting on Saturday takes it back", Swap("engine.negotiation:_not_eligible", retracted_never_counts)),
    ("Q4", "a range is its start only", Swap("engine.negotiation:can_accept", starts_only)),
    ("Q8", "a match in play is cut off", Swap("engine.scoring:_late", everything_after_monday_is_late)),
    ("Q9", "the next round does not wait", Swap("engine.usecases.schedule:unsettled", lambda _: lambda event: [])),
    (
        "Q10",
        "an extension ends on the same Monday",
        Swap("engine.usecases.schedule:extension_end", lambda _: lambda event, now: event.current_round.matches_by),
    ),
    (
        "Q12",
        "the reporter names the first game",
        Swap("engine.usecases.reporting:_named_by_both", reporter_names_the_first_game),
    ),
    ("Q13", "half an hour late is too late", Swap("engine.scoring:_time_faults", half_an_hour_late_is_too_late)),
    ("Q14", "the deadlines move with the delay", Swap("engine.usecases.rounds:publish", deadlines_move_with_the_delay)),
    ("Q19", "an aborted game is a draw", Swap(FAULTS, without(Fault.ABORTED))),
    (
        "Q15",
        "a dispute waits for ever",
        Swap("engine.usecases.disputes:end_dispute", lambda _: lambda *a, **named: None),
    ),
    ("Q20", "a casual game counts", Swap(FAULTS, without(Fault.CASUAL))),
    ("Q20", "no TD can count a game", Swap(f"{LINES}:accepted_by_td", lambda _: lambda event, match: set[str]())),
    ("Q21", "any clock counts", Swap(FAULTS, without(Fault.WRONG_CLOCK))),
    ("Q21", "no TD can count a game", Swap(f"{LINES}:accepted_by_td", lambda _: lambda event, match: set[str]())),
    ("Q21", "a result stays as it was", Swap("engine.usecases.recount:with_recount", lambda _: without_recount)),
    (
        "Q22",
        "nobody hears of a typed score",
        Swap("engine.usecases.reporting:_refuse_undecided", score_is_not_compared),
    ),
    (
        "Q27",
        "walkovers are not in cumulative",
        Swap(CRITERIA, criterion("cumulative", cumulative_of_played_rounds, Unit.HALF_POINTS)),
    ),
    (
        "Q29",
        "an unplayed round counts the real opponent",
        Swap("engine.tiebreaks.criteria:_buchholz_value", real_opponent_always),
    ),
    ("Q35", "a struck game counts", Swap(f"{LINES}:struck_by_td", lambda _: lambda event, match: set[str]())),
    ("Q35", "a result stays as it was", Swap("engine.usecases.recount:with_recount", lambda _: without_recount)),
    (
        "Q38c",
        "no TD can count a game from another account",
        Swap("engine.scoring:NEVER_ACCEPTED", lambda never: never | {Fault.OTHER_ACCOUNT}),
    ),
    (
        "R8.1",
        "a match that was played to its end is a walkover",
        Swap("engine.usecases.following:look_at_open", nobody_looks),
    ),
    (
        "R8.1",
        "games that are seen late are lost",
        Swap("engine.usecases.following:left_unseen", lambda _: lambda reader, event, match: False),
    ),
    ("Q38b", "a cheat game counts", Swap("engine.scoring:_FINISHED", lambda finished: finished | {"cheat"})),
    ("Q42", "only a played pair has met", Swap("engine.tournament:Tournament.met", met_if_played)),
    ("Q45", "who left is ranked", Swap("engine.tournament:Tournament.unranked", nobody_is_out)),
    (
        "Q54",
        "a TD decides the own entry",
        Swap("engine.usecases.entries:refuse_own", own_entry_too),
    ),
    (
        "Q54",
        "a playing TD sees the own pairing first",
        Swap("engine.usecases.rounds:Preview", lambda made: lambda **fields: made(**fields | {"hidden_for": None})),
    ),
]
