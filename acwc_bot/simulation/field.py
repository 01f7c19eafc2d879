"""Who plays: random ratings, seeds by the rules of the edition, direct entrants under the names of the ruleset."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from acwc_bot.simulation.chance import Chance
from engine.model import Entrant
from engine.rules import Ruleset, least_entrants
from engine.rules.values import Player, is_unnamed
from engine.seeding import Rated, seed_order

MOST_PLAYERS = 512
EDITION = 1


class CannotSimulate(Exception):
    """Why an edition cannot be simulated, as a sentence."""


def make_field(
    rules: Ruleset, players: int, chance: Chance, direct: Collection[int] | None = None
) -> tuple[Ruleset, tuple[Entrant, ...]]:
    """The ruleset with everybody named, and `players` entrants with their seeds, direct entrants included.

    `direct`: which of `candidates.direct` play, by number from 1; None: all. Raises CannotSimulate when these are too
    few or too many players.
    """
    wanted = range(1, len(rules.candidates.direct) + 1) if direct is None else direct
    playing = [player for number, player in enumerate(rules.candidates.direct, start=1) if number in wanted]
    _check_number(rules, players, len(playing))
    names = _names(rules)
    reserved = list(dict.fromkeys(names.get(p, p) for p in (*playing, *rules.knockout.direct)))
    everybody = reserved + [f"player_{number:03}" for number in range(1, players - len(reserved) + 1)]
    ratings = [_rating(chance, at_least=1900 if name in reserved else 1400) for name in everybody]
    seeded = seed_order(
        [_rated(name, rating, chance) for name, rating in zip(everybody, ratings, strict=True)], rules.seeding
    )
    seeds = {line.entry.lichess_id: line.seed for line in seeded}
    games = {line.entry.lichess_id: line.entry.rated_games for line in seeded}
    entrants = tuple(
        _entrant(id, name, seeds[name.lower()], rating, games[name.lower()])
        for id, (name, rating) in enumerate(zip(everybody, ratings, strict=True), start=1)
    )
    return _named(rules, names), entrants


def late_entrant(entrants: Sequence[Entrant], chance: Chance) -> Entrant:
    """Q44g: the seed after the last."""
    number = len(entrants) + 1
    seed = max(entrant.seed for entrant in entrants) + 1
    return _entrant(number, f"late_{number:03}", seed, _rating(chance), chance.randint(1000, 20_000))


def _check_number(rules: Ruleset, players: int, direct: int) -> None:
    least = least_entrants(rules, direct) + len(rules.knockout.direct)
    if players < least:
        clauses = "§3.4, §3.5" if not direct else "§3.4, §3.5, §3.8"
        raise CannotSimulate(
            f"{players} are too few for {rules.title}: it needs at least {least} ({clauses}), "
            f"enough for the rounds of the Qualification and for every place of the Candidates."
        )
    if players > MOST_PLAYERS:
        raise CannotSimulate(f"{players} are too many: the simulation takes at most {MOST_PLAYERS} players.")


def _names(rules: Ruleset) -> Mapping[Player, Player]:
    """A Lichess name for everybody whom the ruleset still leaves open."""
    return {who: Player(f"named_{number}") for number, who in enumerate(rules.unnamed, start=1)}


def _named(rules: Ruleset, names: Mapping[Player, Player]) -> Ruleset:
    def named(players: tuple[Player, ...]) -> tuple[Player, ...]:
        return tuple(names[player] if is_unnamed(player) else player for player in players)

    candidates = replace(
        rules.candidates, direct=named(rules.candidates.direct), last_finals=named(rules.candidates.last_finals)
    )
    return replace(rules, candidates=candidates, knockout=replace(rules.knockout, direct=named(rules.knockout.direct)))


def _rating(chance: Chance, at_least: int = 1400) -> int:
    """Most ratings stand in the middle of a span of 900 points."""
    return at_least + sum(chance.randint(0, 300) for _ in range(3))


def _rated(name: str, rating: int, chance: Chance) -> Rated:
    games, peak = chance.randint(1000, 20_000), rating + chance.randint(0, 120)
    return Rated(lichess_id=name.lower(), rating=rating, rated_games=games, peak=peak)


def _entrant(id: int, name: str, seed: int, rating: int, games: int) -> Entrant:
    return Entrant(
        id=id,
        edition_id=EDITION,
        person_id=id,
        lichess_id=name.lower(),
        name=name,
        seed=seed,
        rating=rating,
        games=games,
    )
