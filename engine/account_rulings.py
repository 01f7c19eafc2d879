"""A TD lets an entrant go on with another Lichess account (Q55): a pure decision for the way of all rulings."""

from __future__ import annotations

from engine.accounts import as_now, holder_of
from engine.championship import Championship
from engine.errors import Conflict, NotFound
from engine.facts import AccountChanged, Draft
from engine.rulings import Ruling


def change_account(event: Championship, entrant_id: int, lichess_id: str, name: str, *, waived: bool) -> Ruling:
    """From now on games of that account count; the seed, and what was played with the one before, stay.

    NotFound("entrant"); Conflict `already_out`, `same_account`, `account_of_another` (R2.6).
    """
    entered = event.entrants.get(entrant_id)
    if entered is None:
        raise NotFound("entrant", id=entrant_id)
    if not event.tournament.is_in(entrant_id):
        raise Conflict("already_out", name=event.name_of(entrant_id))
    if as_now(entered, event.tournament.accounts.get(entrant_id, ())).lichess_id == lichess_id:
        raise Conflict("same_account", name=name)
    holder = holder_of(lichess_id, event.entrants.values(), event.tournament.accounts)
    if holder is not None and holder.id != entrant_id:
        raise Conflict("account_of_another", clause="R2.6", name=name, by=event.name_of(holder.id))
    return Ruling("account", (Draft(AccountChanged(entrant_id, lichess_id, name, waived), "Q55"),))
