"""What leaving does to the results (R8): derived from the facts, never stored, so one revert takes it all back.

| exit                                    | effect                                                          |
|-----------------------------------------|-----------------------------------------------------------------|
| before the first Candidates pairings    | R8.1: an open Qualification match is won by the opponent        |
| on a ground that reaches back, till then| R8.2: played Qualification matches go to the opponents          |
| while the own pool is open              | R8.3: all pool matches of the player are disregarded            |
| withdrawal after the own last pool match| Q49: the results stay                                           |
| on a ground that reaches back, before   | Q50: disregarded, although the pool is over                     |
|   the first Semifinal pairings          |                                                                 |
| during a begun knock-out match          | Q51, Q52: the opponent wins it; both at once: a TD decides      |
| with the knock-out match not begun      | nothing here: `seating` says who moves up, a TD confirms        |

An exit belongs to the stage whose pairings were the newest; results of a stage are final when the next one begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from engine.facts import CountedGame, EntrantLeft, Exit, Group, Pair
from engine.model import Fact, Stage
from engine.points import LOSS, WIN
from engine.rules.registry import FORFEITS
from engine.tournament import PublishedRound, Result, ResultKind

KNOCKOUT = frozenset({Stage.SEMIFINALS, Stage.FINALS})
TWO_FORFEITS = "two_forfeits"
"""The ground that stands and falls with the forfeits it rests on (R6.5, Q44e)."""


@dataclass(frozen=True, slots=True)
class LeavingRules:
    """R6.5, R8. `reaching_back`: grounds of a disqualification that give the played matches to the opponents (R8.2);
    `both_left_points`: half-points of each when both sides of a match are out (Q44); `counting`: the kinds of forfeit
    that count; forfeits in `to_disqualify` different matches disqualify (Q24); `encounters`: matches of each pair in a
    pool (R3.9)."""

    reaching_back: frozenset[str] = frozenset({"engine"})
    both_left_points: int = LOSS
    counting: frozenset[str] = FORFEITS
    to_disqualify: int = 2
    encounters: int = 1


@dataclass(frozen=True, slots=True)
class Leaving:
    """An exit that stands. `turn`: its place in the ledger; `since`: that of the first fact it replaces, for whoever
    gives another ground for an exit does not move it."""

    turn: int
    since: int
    fact: Fact
    event: EntrantLeft

    def reaches_back(self, rules: LeavingRules) -> bool:
        """Whether the ruling says so, with a mark on Lichess or without (Q44c)."""
        return self.event.exit is Exit.DISQUALIFIED and self.event.ground in rules.reaching_back


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of a match that stands on a fact of its own. `since`: when the match first had a result."""

    turn: int
    since: int
    result: Result


@dataclass(frozen=True, slots=True)
class Scene:
    """What the exits act on. `rounds` with the turn of each publication; `begun`: match id -> (turn, games) in order;
    `exits` by entrant, oldest first; `paired_at`: the turn at which each match was first published."""

    rounds: Sequence[tuple[int, PublishedRound]]
    paired_at: Mapping[int, int]
    seated: Mapping[Stage, tuple[Group, ...]]
    recorded: Mapping[int, Recorded]
    begun: Mapping[int, Sequence[tuple[int, tuple[CountedGame, ...]]]]
    exits: Mapping[int, Sequence[Leaving]]
    rules: LeavingRules

    def begins(self, stage: Stage) -> int | None:
        """The turn of the first pairings of a stage, None while there are none."""
        return min((since for since, r in self.rounds if r.stage is stage), default=None)

    def in_stage(self, since: int, stage: Stage) -> bool:
        """Whether something happened when the pairings of that stage were the newest; before the first: in it too."""
        order = list(Stage)
        starts, ends = self.begins(stage), [self.begins(later) for later in order[order.index(stage) + 1 :]]
        after = stage is Stage.QUALIFICATION or (starts is not None and starts < since)
        return after and not any(end is not None and end < since for end in ends)

    def exit_from(self, entrant_id: int, match_id: int, stage: Stage) -> Leaving | None:
        """The first exit of a player that bears on a published match: before the results of the stage were final; in a
        knock-out, with the match begun."""
        for left in self.exits.get(entrant_id, ()):
            bears = left.since > self.paired_at[match_id] and self.in_stage(left.since, stage)
            if bears and (stage not in KNOCKOUT or self.games_before(match_id, left.since)):
                return left
        return None

    def games_before(self, match_id: int, turn: int) -> tuple[CountedGame, ...]:
        """The counted games of a match that was going on at that turn."""
        return next((games for at, games in reversed(self.begun.get(match_id, ())) if at < turn), ())


def results_after(scene: Scene) -> dict[int, Result]:
    """The results by match id after all exits."""
    results = {match_id: entry.result for match_id, entry in scene.recorded.items()}
    marked = dict(_marked(scene))
    disregarded = disregarded_of(scene)
    for _, published in scene.rounds:
        for pair in published.pairs:
            entry = scene.recorded.get(pair.match_id)
            if published.stage is Stage.CANDIDATES:
                entry = _disregarded(pair, scene, entry, disregarded)
            else:
                entry = entry or _walkover(pair, scene, published.stage)
            if entry is not None:
                in_swiss = published.stage is Stage.QUALIFICATION
                results[pair.match_id] = _adjudicated(pair, entry, marked, scene.rules) if in_swiss else entry.result
    return results


# --- R8.1, and a begun match of a knock-out ---------------------------------------------------------------------


def _walkover(pair: Pair, scene: Scene, stage: Stage) -> Recorded | None:
    """A match without a result. Q44: out by one ruling both lose, else the second keeps the win.

    In a knock-out only an exit from a begun match counts (Q51, Q52), and when both are out at once a TD decides.
    """
    leavers = [left for e in (pair.a_id, pair.b_id) if (left := scene.exit_from(e, pair.match_id, stage))]
    if not leavers:
        return None
    first = min(leavers, key=lambda left: left.since)
    together = len(leavers) == 2 and _one_ruling(*leavers)
    if together and stage in KNOCKOUT:
        return None
    a = LOSS if first.event.entrant_id == pair.a_id else WIN
    b = WIN - a
    if together:
        a = b = scene.rules.both_left_points
    games = scene.games_before(pair.match_id, first.since)
    game_a = sum(game.a for game in games)
    game_b = WIN * len(games) - game_a
    result = Result(a, b, ResultKind.WALKOVER, bool(games), game_a, game_b, games, (), (), first.fact.id)
    return Recorded(first.since, first.since, result)


def _one_ruling(one: Leaving, other: Leaving) -> bool:
    return one.fact.command_id is not None and one.fact.command_id == other.fact.command_id


# --- R8.2 -------------------------------------------------------------------------------------------------------


def _marked(scene: Scene) -> Iterator[tuple[int, Leaving]]:
    """Entrant id -> the mark, if it was known before the first pairings after the Qualification (Q47, Q48)."""
    for entrant_id, own in scene.exits.items():
        for left in own:
            if left.reaches_back(scene.rules) and scene.in_stage(left.turn, Stage.QUALIFICATION):
                yield entrant_id, left
                break


def _adjudicated(pair: Pair, entry: Recorded, marked: Mapping[int, Leaving], rules: LeavingRules) -> Result:
    """Q44b: a match with a game played goes to the other side with all its games; or to nobody.

    A forfeit or a ruling stands if it came after the mark, and so does the walkover that the mark itself has made.
    """
    result = entry.result
    applying = {
        e: marked[e]
        for e in (pair.a_id, pair.b_id)
        if e in marked and (result.kind is ResultKind.PLAYED or entry.turn < marked[e].since)
    }
    if not applying or not result.played:
        return result
    games = WIN * len(result.games)
    a_wins, b_wins = pair.a_id not in applying, pair.b_id not in applying
    lost = LOSS if a_wins or b_wins else rules.both_left_points
    return replace(
        result,
        a=WIN if a_wins else lost,
        b=WIN if b_wins else lost,
        kind=ResultKind.ADJUDICATED,
        game_a=games if a_wins else 0,
        game_b=games if b_wins else 0,
        fact_id=min(left.fact.id for left in applying.values()),
    )


# --- R8.3 -------------------------------------------------------------------------------------------------------


def disregarded_of(scene: Scene) -> dict[int, Leaving]:
    """Entrant id -> the exit by which all pool matches of that player are disregarded (R8.3, Q49, Q50)."""
    pools = scene.seated.get(Stage.CANDIDATES, ())
    pool_of = {entrant: pool for pool in pools for entrant in pool.entrants}
    found: dict[int, Leaving] = {}
    for left in sorted((left for own in scene.exits.values() for left in own), key=lambda left: left.since):
        entrant = left.event.entrant_id
        if entrant not in pool_of or entrant in found or not scene.in_stage(left.since, Stage.CANDIDATES):
            continue
        rest = [e for e in pool_of[entrant].entrants if e not in found or _one_ruling(found[e], left)]
        marked = left.reaches_back(scene.rules) and scene.in_stage(left.turn, Stage.CANDIDATES)
        if marked or _has_to_play(entrant, rest, left, scene):
            found[entrant] = left
    return found


def _has_to_play(entrant: int, pool: Sequence[int], left: Leaving, scene: Scene) -> bool:
    """Whether the exit came while the pool was open; for a withdrawal, while a match of the player's own was (Q49)."""
    played: dict[frozenset[int], int] = {}
    for _, published in scene.rounds:
        for pair in published.pairs if published.stage is Stage.CANDIDATES else ():
            entry = scene.recorded.get(pair.match_id)
            if entry is not None and entry.since < left.since and entry.result.kind is not ResultKind.VOIDED:
                both = frozenset((pair.a_id, pair.b_id))
                played[both] = played.get(both, 0) + 1
    wanted = [frozenset(both) for both in combinations(pool, 2)]
    if left.event.exit is Exit.WITHDRAWN:
        wanted = [both for both in wanted if entrant in both]
    return any(played.get(both, 0) < scene.rules.encounters for both in wanted)


def _disregarded(
    pair: Pair, scene: Scene, entry: Recorded | None, disregarded: Mapping[int, Leaving]
) -> Recorded | None:
    """The games that were played are shown still, and count for nobody."""
    exits = [disregarded[e] for e in (pair.a_id, pair.b_id) if e in disregarded]
    if not exits:
        return entry
    left = min(exits, key=lambda left: left.since)
    games = scene.games_before(pair.match_id, left.since)
    nothing = Result(0, 0, ResultKind.DISREGARDED, bool(games), 0, 0, games, (), (), left.fact.id)
    if entry is not None:
        nothing = replace(entry.result, a=0, b=0, kind=ResultKind.DISREGARDED, game_a=0, game_b=0, fact_id=left.fact.id)
    return Recorded(left.since, left.since, nothing)
