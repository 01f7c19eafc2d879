"""A TD stops or extends the ten minutes that run in a match (R5.10), as any ruling."""

from __future__ import annotations

from datetime import timedelta

from engine.errors import NotFound
from engine.match_rulings import rule_timers
from engine.ports import Reader, Store
from engine.rulings import preview
from engine.timers import Timer, ends_at, is_stopped, is_superseded
from engine.usecases.context import Actor, Desk, Event, current_event, person_of, require_td
from engine.usecases.rulings import RulingView, Signature, enact, refuse_about


class TimerRulings:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def rule(self, actor: Actor, match_id: int, reason: str, minutes: int | None) -> RulingView:
        """All that run in the match are stopped, or end so many minutes later than they would: later than now, where
        they have ended and nothing has come of it yet, or where all of them were stopped and nothing was told since.

        NotAllowed `td_only`, `recused`; NotFound `match`, `no_timer` (none runs); Conflict `match_settled`,
        `nothing_to_change`; BadInput `reason_needed`.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> RulingView:
            require_td(store, actor)
            event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
            match = event.matches.get(match_id)
            if match is None:
                raise NotFound("match", id=match_id)
            refuse_about(store, actor, event, (match.a_id, match.b_id))
            terms, rules, waiting = event.terms(match), event.rules.evening, _waiting(store, event, match_id)
            going = [timer for timer in waiting if not is_stopped(terms, timer)]
            until = {timer.id: None for timer in going}
            if minutes is not None:
                running = (one for one in going or waiting if one.runs_from is not None)
                later = timedelta(minutes=minutes)
                until = {one.id: max(now, ends_at(rules, terms, one) or now) + later for one in running}
            ruling = rule_timers(event.championship, match, until)
            seen = preview(event.championship, ruling, now)
            signed = Signature(author=person_of(store, actor), reason=reason, at=now, command_id=actor.command_id)
            facts = enact(store, event, ruling, seen, signed)
            return RulingView(event=event, ruling=ruling, preview=seen, facts=facts)

        return await self._desk.db.write(work)


def _waiting(reader: Reader, event: Event, match_id: int) -> list[Timer]:
    """Those of which nothing has come yet, and which are not about a time that the match has no longer. A stopped one
    only until something was reported after it: what the TDs have since is not decided by what they had stopped."""
    match = event.matches[match_id]
    terms, of_now = event.terms(match), reader.find(Timer, match_id=match_id, agreed_at=match.agreed_at)
    waiting = [one for one in of_now if one.outcome is None]
    return [one for one in waiting if not (is_stopped(terms, one) and is_superseded(one, of_now))]
