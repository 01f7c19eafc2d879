"""A TD corrects a seed (Q44g): a pure decision for the way of all rulings."""

from __future__ import annotations

from engine.championship import Championship
from engine.errors import BadInput, NotFound
from engine.facts import Draft, SeedCorrected
from engine.rulings import Ruling


def correct_seed(event: Championship, entrant_id: int, seed: int) -> Ruling:
    """Q44g: the player comes directly before whoever has that seed; published pairings and all other seeds stay.

    `seed` counts from 1, up to one more than the last. NotFound("entrant"); BadInput("seed_out_of_range").
    """
    if entrant_id not in event.entrants:
        raise NotFound("entrant", id=entrant_id)
    last = max(entrant.seed for entrant in event.entrants.values())
    if not 1 <= seed <= last + 1:
        raise BadInput("seed_out_of_range", given=seed, most=last + 1)
    return Ruling("seed", (Draft(SeedCorrected(entrant_id, seed), "Q44g"),))
