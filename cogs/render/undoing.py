"""Words for a TD who takes a decision back: which there are, and what that would change (R1.3, R5.10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cogs.render import times
from cogs.render.facts import sentence
from cogs.render.games import stands_in, table_changes
from cogs.render.message import TEXT_LIMIT, Button, Message, escape
from cogs.render.titles import group_name
from engine.model import Fact, Match, Stage
from engine.rulings import LineChange, Preview
from engine.terms import NO_TERMS, Terms
from engine.tournament import ResultKind
from engine.usecases.context import Event
from engine.usecases.matches import label
from engine.usecases.rulings import RulingView

_SEATS = 3
"""So many of a pool matter for what comes next (R3.11, Q31)."""
_STAMP = re.compile(r" ?\(<t:\d+:\w>\)|,? ?<t:\d+:\w>")
_LINK = re.compile(r"\[([^\]]*)\]\(<[^>]*>\)")


def choices(event: Event, facts: Sequence[Fact]) -> list[tuple[str, int]]:
    """What can be taken back, as lines of an autocomplete, which shows plain text only."""
    return [(f"{times.short(fact.recorded_at)} {_plain(sentence(event, fact))}", fact.id) for fact in facts]


def _plain(text: str) -> str:
    return _LINK.sub(r"\1", _STAMP.sub("", text)).replace("\\", "")


def button(fact_id: int) -> Button:
    """Shows what taking it back would change."""
    return Button("undo", str(fact_id), "Take it back…")


def preview(view: RulingView, fact_id: int) -> Message:
    """Before a decision is taken back: what that would change."""
    event, seen = view.event, view.preview
    fact = next(fact for fact in event.ledger.facts if fact.id == fact_id)
    lines = [f"**Take this back?** {sentence(event, fact)}", *changes(event, seen)]
    if seen.changes_nothing:
        lines.append("That changes nothing now: something newer about the same stands in its place.")
        return Message("\n".join(lines)[:TEXT_LIMIT])
    lines.append("Nothing is recorded yet.")
    sure = Button("undo-now", f"{fact_id}.{seen.version}", "Take it back…", "danger")
    return Message("\n".join(lines)[:TEXT_LIMIT], (sure,))


def changes(event: Event, seen: Preview) -> list[str]:
    """What a decision would change: matches, who is in the event, the table."""
    lines: list[str] = []
    matches = [event.matches[id] for id in sorted({change.match_id for change in seen.matches} | set(seen.touched))]
    for match in matches:
        changes = "; ".join(_match_changes(event, match, seen)) or "nothing that shows"
        lines.append(f"• {escape(label(event, match))}: {changes}")
    lines += [f"• {escape(event.name(id))} is in the event again" for id in seen.back]
    lines += [f"• {escape(event.name(id))} is out of the event" for id in seen.out]
    if seen.lines:
        about = [id for match in matches for id in (match.a_id, match.b_id)]
        lines.append(f"• {table_changes(event, seen, about)}")
    for id in seen.forfeited:
        was, is_ = (len(state.tournament.forfeits.get(id, ())) for state in (seen.before, seen.after))
        lines.append(
            f"• {escape(event.name(id))}: {is_} forfeited {'match' if is_ == 1 else 'matches'}, now {was} (§6.5)"
        )
    lines += [
        f"⚠ {escape(event.name(left.entrant_id))} has then forfeited in two matches, and is out with the next pairings "
        f"(§6.5){_pool_goes(event, left.entrant_id)}"
        for left in seen.due_out
    ]
    return lines + _places(event, seen)


def _pool_goes(event: Event, entrant_id: int) -> str:
    """R8.3."""
    rounds, groups = event.tournament.rounds, event.tournament.seated.get(Stage.CANDIDATES, ())
    plays = any(entrant_id in group.entrants for group in groups) and rounds[-1].stage is Stage.CANDIDATES
    return "; all matches of the own pool against them are then disregarded (§8.3)" if plays else ""


def _places(event: Event, seen: Preview) -> list[str]:
    """Q31: where it decides who is among the first three of a pool."""
    first = {line.pool for line in seen.lines if line.pool and min(_ranks(line), default=_SEATS + 1) <= _SEATS}
    return [f"⚠ The first {_SEATS} places of {group_name(pool)} change (§3.11)" for pool in sorted(first)]


def _ranks(line: LineChange) -> list[int]:
    return [rank for rank in {line.rank_before, line.rank_after} if rank] if line.rank_before != line.rank_after else []


def _match_changes(event: Event, match: Match, seen: Preview) -> Iterator[str]:
    """The match now and then, and what was decided about its time."""
    was, is_ = seen.before.tournament, seen.after.tournament
    now, then = (stands_in(event, match, state) for state in (was, is_))
    before = was.results.get(match.id)
    if before is not None and before.kind is ResultKind.PLAYED and match.id not in is_.results:
        then = "open until somebody reports or a TD rules"
    if now != then:
        yield f"now {now}; then {then}"
    if (match.id in was.allowed) != (match.id in is_.allowed):
        yield "they may play all the same" if match.id in is_.allowed else "they may not play all the same any more"
    yield from _term_changes(event, match, was.terms.get(match.id, NO_TERMS), is_.terms.get(match.id, NO_TERMS))


def _term_changes(event: Event, match: Match, was: Terms, is_: Terms) -> Iterator[str]:
    round = event.round_of(match)
    if (was.play_by or round.matches_by) != (is_.play_by or round.matches_by):
        yield f"to be played until {times.deadline(is_.play_by or round.matches_by)}"
    if (was.offers_by or round.offers_by) != (is_.offers_by or round.offers_by):
        yield f"offers count until {times.deadline(is_.offers_by or round.offers_by)}"
    if was.set != is_.set and is_.set is not None:
        yield f"the time is {times.utc(is_.set.at)} again, unless they have agreed on another since"
    elif was.set != is_.set and was.set is not None:
        yield f"the time {times.utc(was.set.at)} goes; what they had agreed on before, if anything, holds again"
    if set(was.at_fault) != set(is_.at_fault):
        names = " and ".join(escape(event.name(id)) for id in is_.at_fault) or "nobody"
        yield f"{names} at fault for having no time"
    if was.timers != is_.timers:
        yield from _timer_changes(was, is_)


def _timer_changes(was: Terms, is_: Terms) -> Iterator[str]:
    for id in sorted(was.timers.keys() | is_.timers.keys()):
        if id not in is_.timers:
            yield "its ten minutes count again from their beginning, so they may be over at once"
        elif was.timers.get(id, "") != is_.timers[id]:
            until = is_.timers[id]
            yield "its ten minutes are stopped" if until is None else f"its ten minutes end {times.utc(until)}"
