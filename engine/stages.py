"""What the next round of any stage is: its pairings and, where a stage begins or changes, its seating (R3.2).

Pure: a proposal becomes facts in a use case, or in a simulation.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.championship import Championship
from engine.errors import CannotPair, Conflict
from engine.facts import Group, StageSeated
from engine.model import Stage
from engine.pairing_types import Pairing, Player
from engine.reading import leaving_rules, point_values
from engine.round_robin import PoolRounds, berger
from engine.seating import Seating, may_sit, seating
from engine.standings import floats, pairing_scores
from engine.swiss import pair


@dataclass(frozen=True, slots=True)
class ProposedPair:
    """`group`: the pool, the semifinal or the final; "" in the Qualification."""

    a_id: int
    b_id: int
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a TD asks of a Swiss pairing (R3.7). `relaxed`: what the rules leave no way around is allowed, a second bye
    and the fewest rematches."""

    forced: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()
    bye: int | None = None
    relaxed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A round as it would be published. `seating`: when the stage begins, to be recorded with the round.

    `free`: who has no match in this round of a pool (R3.9, R8.3), and no point for it.
    """

    stage: Stage
    number: int
    pairs: tuple[ProposedPair, ...]
    bye: int | None = None
    seating: Seating | None = None
    free: tuple[int, ...] = ()

    @property
    def seated(self) -> StageSeated | None:
        return StageSeated(self.seating.stage, self.seating.groups) if self.seating else None


def propose(event: Championship, stage: Stage, number: int, wishes: Wishes | None = None) -> Proposal:
    """The pairings of a round that is not published yet, as far as the results so far say.

    Raises CannotPair (see `swiss.pair`), Conflict (see `seating`), and Conflict("wishes_not_here") when a TD wants
    other pairs in a stage whose pairs follow from the seating.
    """
    if stage is Stage.QUALIFICATION:
        return _swiss_round(event, number, wishes or Wishes())
    if wishes is not None and (wishes.forced or wishes.forbidden or wishes.bye is not None):
        raise Conflict("wishes_not_here", stage=stage)
    return _pool_round(event, number) if stage is Stage.CANDIDATES else _knockout_round(event, stage)


# --- Qualification ----------------------------------------------------------------------------------------------


def swiss_players(event: Championship) -> list[Player]:
    """Everybody still in, with what the pairer needs to know (R3.7, Q9, Q42)."""
    tournament, rules = event.tournament, event.rules
    seeds = event.swiss_seeds
    met: dict[int, set[int]] = {id: set() for id in seeds}
    for both in tournament.met():
        a, b = both
        met[a].add(b)
        met[b].add(a)
    barred = tournament.bye_receivers()
    if rules.swiss.walkover_bars_bye:
        barred |= tournament.walkover_winners()
    values = point_values(rules)
    scores = pairing_scores(tournament, seeds, values=values)
    floated = floats(event.facts, values=values, leaving=leaving_rules(rules))
    return [
        Player(
            id=entrant,
            seed=seed,
            score=scores[entrant],
            met=frozenset(met[entrant]),
            floats=floated.get(entrant, 0),
            bye_barred=entrant in barred,
        )
        for entrant, seed in seeds.items()
        if tournament.is_in(entrant)
    ]


def _swiss_round(event: Championship, number: int, wishes: Wishes) -> Proposal:
    pairing = _pair_swiss(swiss_players(event), f"{event.key}:{Stage.QUALIFICATION}:{number}", wishes)
    pairs = tuple(ProposedPair(a, b) for a, b in pairing.pairs)
    return Proposal(stage=Stage.QUALIFICATION, number=number, pairs=pairs, bye=pairing.bye)


def _pair_swiss(players: list[Player], key: str, wishes: Wishes) -> Pairing:
    """`relaxed`: the refusal names the least that a TD has to allow; with that, once more."""
    forced, bye = wishes.forced, wishes.bye
    try:
        return pair(players, key=key, forced=forced, forbidden=wishes.forbidden, bye=bye)
    except CannotPair as refusal:
        if not wishes.relaxed:
            raise
        forced += refusal.params["rematches"]
        bye = bye or refusal.params["bye"]
    return pair(players, key=key, forced=forced, forbidden=wishes.forbidden, bye=bye)


# --- Candidates -------------------------------------------------------------------------------------------------


def _pool_round(event: Championship, number: int) -> Proposal:
    """R3.9; whoever left has no more matches, and who would have met them is free (R8.3)."""
    planned = seating(event, Stage.CANDIDATES)
    out = event.tournament.unranked(Stage.CANDIDATES) | frozenset(event.tournament.left)
    pairs: list[ProposedPair] = []
    free: list[int] = []
    for group in planned.groups:
        rounds = _rounds_of(group, event)
        made = [both for both in (rounds[number - 1] if number <= len(rounds) else ()) if out.isdisjoint(both)]
        pairs.extend(ProposedPair(a, b, group.name) for a, b in made)
        playing = {entrant for both in made for entrant in both}
        free.extend(e for e in group.entrants if e not in playing and e not in out)
    begins = None if event.tournament.has_begun(Stage.CANDIDATES) else planned
    return Proposal(stage=Stage.CANDIDATES, number=number, pairs=tuple(pairs), seating=begins, free=tuple(free))


def pool_rounds(event: Championship) -> int:
    """How many rounds the Candidates have, by the largest pool (R3.9)."""
    return max((len(_rounds_of(group, event)) for group in seating(event, Stage.CANDIDATES).groups), default=0)


def _rounds_of(group: Group, event: Championship) -> PoolRounds:
    """Nobody to play in a pool of one."""
    return berger(group.entrants, event.rules.candidates.encounters) if len(group.entrants) > 1 else ()


# --- Semifinals and Finals --------------------------------------------------------------------------------------


def _knockout_round(event: Championship, stage: Stage) -> Proposal:
    planned = seating(event, stage)
    return Proposal(stage=stage, number=1, pairs=tuple(_knockout_pairs(planned.groups)), seating=planned)


def _knockout_pairs(groups: tuple[Group, ...]) -> list[ProposedPair]:
    return [ProposedPair(*group.entrants, group.name) for group in groups if len(group.entrants) == 2]


def repair(event: Championship, stage: Stage) -> Proposal | None:
    """The seating and the pairs that should replace those of a published knock-out stage, None when nothing is amiss.

    After an exit (R8.4, R8.5, Q51, Q52), for a TD to confirm. Groups that keep their players keep their match. As long
    as everybody who sits may stay, and nobody is there for a seat that is empty, nothing is amiss.
    """
    if stage not in (Stage.SEMIFINALS, Stage.FINALS) or not event.tournament.has_begun(stage):
        return None
    planned = seating(event, stage)
    current = event.tournament.seated.get(stage, ())
    seated, before = _seated(planned.groups), _seated(current)
    if len(seated) <= len(before) and all(may_sit(event, stage, entrant) for entrant in before - seated):
        return None
    return _knockout_round(event, stage)


def _seated(groups: tuple[Group, ...]) -> frozenset[int]:
    return frozenset(entrant for group in groups for entrant in group.entrants)
