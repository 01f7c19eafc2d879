"""The ledger folded into the state of the tournament: what stands, and what follows from it.

Nothing here is stored. An undo, an appeal or an earlier date is another fold of the same facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from engine.chain import Chain, Entry, chain
from engine.exits import TWO_FORFEITS, Leaving, LeavingRules, Recorded, Scene, disregarded_of, results_after
from engine.facts import (
    AccountChanged,
    ColoursSettled,
    CountedGame,
    DeciderSet,
    EntrantLeft,
    EntrantReturned,
    ForfeitCounted,
    ForfeitLifted,
    GameDecision,
    GameRuled,
    MatchBegun,
    MatchExtended,
    MatchPlayed,
    MatchRuled,
    MatchVoided,
    PlayAllowed,
    RoundClosed,
    RoundPublished,
    SeatDeclined,
    SeedCorrected,
    StageSeated,
)
from engine.model import Fact, Stage
from engine.points import DRAW, LOSS, WIN
from engine.terms import terms_of
from engine.tournament import AccountTaken, Departure, OnRecord, PublishedRound, Result, ResultKind, Tournament

DIRECTOR = "director"
"""The kind of a forfeit that names none (Q24)."""


def fold(
    facts: Iterable[Fact],
    *,
    until_fact: int | None = None,
    until: datetime | None = None,
    leaving: LeavingRules | None = None,
) -> Tournament:
    """The state after the ledger, or after the part of it up to a fact id or up to a recording time (inclusive).

    Facts count in the order of their ids; a fact not stored yet (id 0, a preview) comes last. Derived here: what
    exits do to results (`engine.exits`), Q24 (forfeits by match), Q44e (a disqualification for two forfeits stands as
    long as they do). A result that is recorded after an exit stands in spite of it: so does a TD's ruling after a mark.

    Raises NotFound("fact") when a fact reverts or replaces one that is not before it.
    """
    rules = leaving or LeavingRules()
    standing = chain(facts, until_fact=until_fact, until=until)
    recorded, reopened = _recorded(standing)
    forfeits = _forfeits(standing, recorded, rules)
    rounds = _rounds(standing)
    exits = _exits(standing, forfeits, rules)
    scene = Scene(
        rounds=rounds,
        paired_at=standing.paired_at(),
        seated={event.stage: event.groups for _, event in standing.of(StageSeated)},
        recorded=recorded,
        begun=_begun(standing),
        exits=exits,
        rules=rules,
    )
    results = results_after(scene)
    returns = _returns(standing)
    allowed = _allowed(standing, recorded)
    return Tournament(
        rounds=tuple(published for _, published in rounds),
        results=MappingProxyType(results),
        extended=MappingProxyType(_extended(standing, results)),
        begun=MappingProxyType(
            {m: games[-1][1] for m, games in scene.begun.items() if m not in results.keys() - allowed}
        ),
        left=MappingProxyType(_departures(scene, returns)),
        forfeits=MappingProxyType(forfeits),
        seated=MappingProxyType(dict(scene.seated)),
        declined=MappingProxyType(_declined(standing)),
        out_of=MappingProxyType(_out_of(scene, returns)),
        seed_moves=tuple((event.entrant_id, event.seed) for _, event in standing.of(SeedCorrected)),
        last_fact_id=max((f.id for f in standing.ledger), default=0),
        terms=terms_of(standing),
        allowed=allowed,
        accounts=MappingProxyType(_accounts(standing)),
        begun_tiebreaks=MappingProxyType(
            {e.match_id: e.tiebreak_games for _, e in standing.of(MatchBegun) if e.match_id not in results}
        ),
        games_known_at=MappingProxyType(
            {id: known.fact.recorded_at for id, known in _known_since(standing).items() if id not in results}
        ),
        colours=MappingProxyType(colours(standing)),
        ruled_games=MappingProxyType(_ruled_games(standing)),
        reopened=MappingProxyType(reopened),
    )


def _ruled_games(standing: Chain) -> dict[int, Mapping[str, GameDecision]]:
    found: dict[int, Mapping[str, GameDecision]] = {}
    for _, told in standing.of(GameRuled):
        found[told.match_id] = {**found.get(told.match_id, {}), told.game_id: told.decision}
    return found


def _accounts(standing: Chain) -> dict[int, tuple[AccountTaken, ...]]:
    found: dict[int, tuple[AccountTaken, ...]] = {}
    for entry, told in standing.of(AccountChanged):
        taken = AccountTaken(told.lichess_id, told.name, entry.fact.occurred_at)
        found[told.entrant_id] = (*found.get(told.entrant_id, ()), taken)
    return found


# --- Rounds and results -----------------------------------------------------------------------------------------


def _rounds(standing: Chain) -> list[tuple[int, PublishedRound]]:
    """With the turn at which each round was first published, in that order; a later publication of a round replaces it,
    also by pairing the bye holder with a free player (Q43, Q44g)."""
    closed = {event.round_id for _, event in standing.of(RoundClosed)}
    rounds: dict[int, tuple[int, PublishedRound]] = {}
    for entry, event in standing.of(RoundPublished):
        first = rounds.get(event.round_id)
        since = entry.since if first is None else min(first[0], entry.since)
        rounds[event.round_id] = (
            since,
            PublishedRound(
                event.round_id,
                event.stage,
                event.number,
                event.pairs,
                event.bye,
                event.round_id in closed,
                entry.fact.id,
            ),
        )
    return sorted(rounds.values(), key=lambda item: item[0])


def _recorded(standing: Chain) -> tuple[dict[int, Recorded], dict[int, int]]:
    """By match id the latest result that stands on a fact of its own; and by which fact such a result, of games, was
    left behind again (Q35)."""
    recorded: dict[int, Recorded] = {}
    reopened: dict[int, int] = {}
    for entry in standing.entries:
        event, fact_id = entry.event, entry.fact.id
        if isinstance(event, MatchPlayed):
            result = _played(event, fact_id)
        elif isinstance(event, MatchRuled):
            result = _ruled(event, fact_id)
        elif isinstance(event, MatchVoided):
            result = Result(0, 0, ResultKind.VOIDED, False, 0, 0, (), (), (), fact_id)
        else:
            if isinstance(event, MatchBegun) and _is_played(recorded.get(event.match_id)):
                del recorded[event.match_id]
                reopened[event.match_id] = fact_id
            continue
        earlier = recorded.get(event.match_id)
        since = entry.since if earlier is None else min(earlier.since, entry.since)
        recorded[event.match_id] = Recorded(entry.turn, since, result)
    return recorded, reopened


def _is_played(known: Recorded | None) -> bool:
    return known is not None and known.result.kind is ResultKind.PLAYED


def _game_points(games: Sequence[CountedGame]) -> tuple[int, int]:
    a = sum(game.a for game in games)
    return a, WIN * len(games) - a


def _played(event: MatchPlayed, fact_id: int) -> Result:
    """R3.3: the won match is a point, the tied one half a point. R3.15: a tied knock-out goes on until it is won."""
    game_a, game_b = _game_points(event.games)
    a, b = game_a, game_b
    if a == b:
        a, b = _game_points(event.tiebreak_games)
    if a == b and event.armageddon is not None:
        a, b = _game_points((event.armageddon,))
    points = DRAW if a == b else WIN if a > b else LOSS
    return Result(
        points,
        WIN - points,
        ResultKind.PLAYED,
        bool(event.games or event.armageddon),
        game_a,
        game_b,
        event.games,
        event.extra,
        (),
        fact_id,
        tiebreak_games=event.tiebreak_games,
        armageddon=event.armageddon,
    )


def _ruled(event: MatchRuled, fact_id: int) -> Result:
    game_a, game_b = _game_points(event.games)
    return Result(
        event.a,
        event.b,
        ResultKind.FORFEIT if event.forfeited_by else ResultKind.RULED,
        event.played,
        game_a + event.awarded_a,
        game_b + event.awarded_b,
        event.games,
        (),
        event.forfeited_by,
        fact_id,
        tiebreak_games=event.tiebreak_games,
        armageddon=event.armageddon,
        forfeit=(event.forfeit or DIRECTOR) if event.forfeited_by else None,
    )


def _begun(standing: Chain) -> dict[int, list[tuple[int, tuple[CountedGame, ...]]]]:
    begun: dict[int, list[tuple[int, tuple[CountedGame, ...]]]] = {}
    for entry, event in standing.of(MatchBegun):
        begun.setdefault(event.match_id, []).append((_when_begun(standing, entry), event.games))
    return begun


def _known_since(standing: Chain) -> dict[int, Entry]:
    """By match id the fact since which the games so far are those that are on record now; or since which there are to
    be none (Q33)."""
    known: dict[int, tuple[Entry, MatchBegun | DeciderSet]] = {}
    for entry in standing.entries:
        event = entry.event
        if isinstance(event, MatchBegun | DeciderSet) and known.get(event.match_id, (None, None))[1] != event:
            known[event.match_id] = entry, event
    return {match_id: entry for match_id, (entry, _) in known.items()}


def colours(standing: Chain) -> dict[int, OnRecord]:
    """R3.16: of the newest tie; when the games before the armageddon game change afterwards, both bid anew."""
    known = _known_since(standing)
    return {
        event.match_id: OnRecord(event, entry.fact.recorded_at)
        for entry, event in standing.of(ColoursSettled)
        if event.match_id in known and entry.turn > known[event.match_id].turn
    }


def _when_begun(standing: Chain, entry: Entry) -> int:
    """The turn; of games that were seen late, one before whatever happened after them: an exit finds them begun."""
    fact = entry.fact
    if fact.occurred_at == fact.recorded_at:
        return entry.turn
    earlier = standing.ledger[: entry.turn]
    return next((turn - 1 for turn, other in enumerate(earlier) if other.occurred_at > fact.occurred_at), entry.turn)


def _extended(standing: Chain, results: Mapping[int, Result]) -> dict[int, datetime]:
    return {e.match_id: e.until for _, e in standing.of(MatchExtended) if e.match_id not in results}


def _declined(standing: Chain) -> dict[Stage, frozenset[int]]:
    declined: dict[Stage, frozenset[int]] = {}
    for _, event in standing.of(SeatDeclined):
        declined[event.stage] = declined.get(event.stage, frozenset()) | {event.entrant_id}
    return declined


def _allowed(standing: Chain, recorded: Mapping[int, Recorded]) -> frozenset[int]:
    """Q2: until a later result is recorded."""
    allowed = ((entry.turn, event.match_id) for entry, event in standing.of(PlayAllowed))
    return frozenset(id for turn, id in allowed if id in recorded and recorded[id].turn < turn)


# --- Conduct (R6.5) and exits (R8) ------------------------------------------------------------------------------


def _forfeits(standing: Chain, recorded: Mapping[int, Recorded], rules: LeavingRules) -> dict[int, tuple[int, ...]]:
    """Conduct is read from the recorded result, so it survives R8.2 (Q44e) and goes with a later result (Q2), unless it
    was counted apart from any result (Q34). The matches of a player are in the order in which they were recorded."""
    lifted = {(event.match_id, event.entrant_id) for _, event in standing.of(ForfeitLifted)}
    told = [(r.turn, match_id, r.result.forfeited_by, r.result.forfeit) for match_id, r in recorded.items()]
    told += [(e.turn, said.match_id, said.forfeited_by, said.forfeit) for e, said in standing.of(ForfeitCounted)]
    forfeits: dict[int, tuple[int, ...]] = {}
    for _, match_id, by, kind in sorted(told):
        for entrant_id in by if kind in rules.counting else ():
            own = forfeits.get(entrant_id, ())
            if (match_id, entrant_id) not in lifted and match_id not in own:
                forfeits[entrant_id] = (*own, match_id)
    return forfeits


def _exits(standing: Chain, forfeits: Mapping[int, tuple[int, ...]], rules: LeavingRules) -> dict[int, list[Leaving]]:
    """By entrant every exit that stands, oldest first. One for two forfeits goes with the forfeits (Q44e)."""
    exits: dict[int, list[Leaving]] = {}
    for entry, event in sorted(standing.of(EntrantLeft), key=lambda item: (item[0].since, item[0].turn)):
        fallen = event.ground == TWO_FORFEITS and len(forfeits.get(event.entrant_id, ())) < rules.to_disqualify
        if not fallen:
            exits.setdefault(event.entrant_id, []).append(Leaving(entry.turn, entry.since, entry.fact, event))
    return exits


def _returns(standing: Chain) -> dict[int, list[int]]:
    """Entrant id -> the turns at which a TD let that player back in."""
    returns: dict[int, list[int]] = {}
    for entry, event in standing.of(EntrantReturned):
        returns.setdefault(event.entrant_id, []).append(entry.turn)
    return returns


def _absences(scene: Scene, returns: Mapping[int, Sequence[int]], until: int | None) -> dict[int, tuple[Leaving, ...]]:
    """Who is out, or was at that turn: the exits since the last return, oldest first."""
    found: dict[int, tuple[Leaving, ...]] = {}
    for entrant, own in scene.exits.items():
        back = max((turn for turn in returns.get(entrant, ()) if until is None or turn < until), default=-1)
        current = tuple(left for left in own if left.since > back and (until is None or left.since < until))
        if current:
            found[entrant] = current
    return found


def _departures(scene: Scene, returns: Mapping[int, Sequence[int]]) -> dict[int, Departure]:
    departures: dict[int, Departure] = {}
    for entrant_id, exits in _absences(scene, returns, None).items():
        first, last = exits[0], exits[-1]
        stages = [published.stage for since, published in scene.rounds if since < first.since]
        departures[entrant_id] = Departure(
            entrant_id,
            last.event.exit,
            last.event.ground,
            first.fact.occurred_at,
            stages[-1] if stages else None,
            last.fact.id,
        )
    return departures


def _out_of(scene: Scene, returns: Mapping[int, Sequence[int]]) -> dict[Stage, frozenset[int]]:
    """Q45, Q48: a Qualification table is final with the first pairings of the Candidates; R8.3 for a pool."""
    final = scene.begins(Stage.CANDIDATES)
    return {
        Stage.QUALIFICATION: frozenset(_absences(scene, returns, final)),
        Stage.CANDIDATES: frozenset(disregarded_of(scene)),
    }
