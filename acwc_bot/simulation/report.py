"""A season as JSON: plain values in a fixed order, points in points and not in half-points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from acwc_bot.simulation.book import Season
from acwc_bot.simulation.words import NO_CHAMPION, sentence, why_halted
from engine.armageddon import ColoursFixed
from engine.championship import Championship
from engine.facts import CountedGame, Pair
from engine.model import Fact
from engine.placing import Placing, placing
from engine.sides import Side
from engine.standings import Standing
from engine.tiebreaks import CRITERIA, Unit
from engine.tournament import PublishedRound, Result

_PARTS = {Unit.HALF_POINTS: 2, Unit.QUARTER_POINTS: 4}


def places(season: Season) -> tuple[Placing, ...]:
    """The final placing; empty when the run did not come to its end."""
    return placing(season.event) if season.halted is None else ()


def champion(season: Season) -> int | None:
    return next((line.entrant_id for line in places(season) if line.first == 1), None)


def open_question(season: Season) -> str | None:
    """What the rules leave to the directors at the end of this run; None when there is a champion."""
    if season.halted is not None:
        return why_halted(season.halted)
    return NO_CHAMPION if champion(season) is None else None


def as_json(season: Season, *, seed: int) -> dict[str, Any]:
    """Everything about a season. Matches and rounds have the ids of the facts, players their names.

    `ledger` holds the facts themselves, as they are stored: players by id, points as half-points.
    """
    event = season.event
    won = champion(season)
    return {
        "ruleset": event.rules.name,
        "seed": seed,
        "champion": None if won is None else _name(event, won),
        "left_to_the_directors": open_question(season),
        "entrants": [
            {"id": e.id, "name": e.name, "seed": event.seeds[e.id], "rating": e.rating, "games": e.games}
            for e in sorted(event.entrants.values(), key=lambda e: event.seeds[e.id])
        ],
        "rounds": [_round(season, published) for published in event.tournament.rounds],
        "tables": {
            "qualification": _table(event, event.qualification(), event.rules.swiss.tiebreaks),
            "pools": {
                name: _table(event, lines, event.rules.candidates.tiebreaks) for name, lines in event.pools().items()
            },
        },
        "placing": [
            {"first": p.first, "last": p.last, "name": _name(event, p.entrant_id), "stage": p.stage.value}
            for p in places(season)
        ],
        "events": [
            {
                "at": happening.at.isoformat(),
                "stage": happening.stage.value,
                "round": happening.number,
                "kind": happening.kind,
                "players": _names(event, happening.entrants),
                "clause": happening.clause,
                "text": sentence(happening, event),
            }
            for happening in season.happenings
        ],
        "ledger": [_fact(fact) for fact in event.facts],
    }


def _name(event: Championship, entrant: int) -> str:
    return event.entrants[entrant].name


def _names(event: Championship, entrants: Iterable[int]) -> list[str]:
    return [_name(event, entrant) for entrant in entrants]


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "at": fact.recorded_at.isoformat(),
        "kind": fact.kind,
        "clause": fact.clause,
        "payload": dict(fact.payload),
        "reverts": fact.reverts_id,
        "replaces": fact.replaces_id,
    }


def _round(season: Season, published: PublishedRound) -> dict[str, Any]:
    event = season.event
    return {
        "id": published.round_id,
        "stage": published.stage.value,
        "number": published.number,
        "matches": [_match(season, pair) for pair in published.pairs],
        "bye": None if published.bye is None else _name(event, published.bye),
    }


def _match(season: Season, pair: Pair) -> dict[str, Any]:
    event = season.event
    result = event.tournament.results.get(pair.match_id)
    return {
        "id": pair.match_id,
        "group": pair.group,
        "a": _name(event, pair.a_id),
        "b": _name(event, pair.b_id),
        "result": None if result is None else _result(event, result, season.bids.get(pair.match_id)),
    }


def _result(event: Championship, result: Result, bids: ColoursFixed | None) -> dict[str, Any]:
    return {
        "a": result.a / 2,
        "b": result.b / 2,
        "kind": result.kind.value,
        "played": result.played,
        "games_a": result.game_a / 2,
        "games_b": result.game_b / 2,
        "games": _games(result.games),
        "tiebreak_games": _games(result.tiebreak_games),
        "armageddon": None if result.armageddon is None else _armageddon(result.armageddon, bids),
        "extra": list(result.extra),
        "forfeited_by": _names(event, result.forfeited_by),
        "forfeit": result.forfeit,
    }


def _games(games: Sequence[CountedGame]) -> list[dict[str, Any]]:
    return [{"id": game.game_id, "a": game.a / 2} for game in games]


def _armageddon(game: CountedGame, bids: ColoursFixed | None) -> dict[str, Any]:
    found: dict[str, Any] = {"id": game.game_id, "a": game.a / 2}
    if bids is not None:
        found["bids"] = list(bids.bids)
        found["white"] = "a" if bids.white is Side.A else "b"
        found["throws"] = [[throw.a, throw.b] for throw in bids.shown]
    return found


def _table(event: Championship, lines: Sequence[Standing], tiebreaks: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "rank": line.rank,
            "name": _name(event, line.entrant_id),
            "seed": line.seed,
            "points": line.points / 2,
            "tiebreaks": {name: _in_points(name, line.values.get(name)) for name in tiebreaks},
            "separated_by": line.separated_by,
        }
        for line in lines
    ]


def _in_points(name: str, value: int | None) -> float | None:
    parts = _PARTS.get(CRITERIA[name].unit)
    return value if parts is None or value is None else value / parts
