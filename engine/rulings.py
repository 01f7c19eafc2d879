"""A ruling before it is made: the facts it would record, and what they would change (design 3.6).

Every decision of a TD goes this way: a pure function gives a `Ruling`, `preview` folds the ledger with and without it,
the TD gives a reason, the use case records it, and `undo` takes it back by the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engine.chain import chain
from engine.championship import Championship, championship
from engine.conduct import due_disqualifications
from engine.errors import Conflict, NotFound
from engine.exits import TWO_FORFEITS
from engine.facts import DeciderSet, Draft, EntrantLeft, Event, Exit, Reverted, decode, encode, kind_of
from engine.model import KNOCKOUT, Authority, Fact, Stage
from engine.outdated import OutdatedRound, outdated, paired_on
from engine.reading import leaving_rules
from engine.stages import Proposal, repair
from engine.standings import Standing
from engine.terms import NO_TERMS
from engine.tournament import Result, Tournament


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a TD decides, recorded together as one command. `kind` names it for the words: `forfeit`, `undo` …"""

    kind: str
    drafts: tuple[Draft, ...]


@dataclass(frozen=True, slots=True)
class MatchChange:
    match_id: int
    before: Result | None
    after: Result | None


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line of a table before and after. `pool`: "" for the Qualification. Ranks are None for who is unranked."""

    pool: str
    entrant_id: int
    rank_before: int | None
    rank_after: int | None
    points_before: int
    points_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a ruling would change. `version`: the last fact it was worked out from.

    `touched`: matches whose time, deadlines or faults change (R5), or of which a game is ruled about (Q35).
    `out`, `back`: who leaves the event, who is in it again. `renamed`: whose account changes (Q55). `reseeded`: whose
    seed does (Q44g). `declined`: who gives up a seat or gets it back (Q46). `due_out`: who would have forfeited too
    often (R6.5); `forfeited`: of whom the matches that count as forfeited change (Q24).
    `outdated`: published rounds that would then rest on an old state; their pairings stay. `repairs`: seatings of
    knock-out stages that a TD would have to confirm anew (R8.4, R8.5).
    """

    version: int
    before: Championship
    after: Championship
    matches: tuple[MatchChange, ...]
    touched: tuple[int, ...]
    lines: tuple[LineChange, ...]
    out: tuple[int, ...]
    back: tuple[int, ...]
    renamed: tuple[int, ...]
    reseeded: tuple[int, ...]
    declined: tuple[int, ...]
    due_out: tuple[EntrantLeft, ...]
    forfeited: tuple[int, ...]
    outdated: tuple[OutdatedRound, ...]
    repairs: tuple[Proposal, ...]

    @property
    def changes_nothing(self) -> bool:
        some = (self.matches, self.touched, self.lines, self.out, self.back, self.renamed)
        return not any((*some, self.reseeded, self.declined, self.due_out, self.forfeited, self.repairs))


def preview(event: Championship, ruling: Ruling, now: datetime) -> Preview:
    """The state before and after the ruling, recorded at `now`. NotFound("fact") for a draft that reverts nothing."""
    edition_id = next((fact.edition_id for fact in event.facts), 0)
    new = facts_of(ruling, edition_id=edition_id, now=now, command_id="preview")
    after = championship(event.key, event.rules, event.entrants.values(), (*event.facts, *new))
    was, is_ = event.tournament, after.tournament
    then = paired_on(event.facts, leaving_rules(event.rules))
    old = outdated(event.facts, was, then)
    least = event.rules.forfeits.to_disqualify
    due_before = due_disqualifications(was, least)
    return Preview(
        version=was.last_fact_id,
        before=event,
        after=after,
        matches=tuple(_match_changes(was, is_)),
        touched=tuple(_touched(was, is_)),
        lines=tuple(_line_changes(event, after)),
        out=tuple(sorted(is_.left.keys() - was.left.keys())),
        back=tuple(sorted(was.left.keys() - is_.left.keys())),
        renamed=tuple(sorted(_renamed(was, is_))),
        reseeded=tuple(sorted(_reseeded(event, after))),
        declined=tuple(sorted(_who_declined(is_) ^ _who_declined(was))),
        forfeited=tuple(sorted(_who_forfeited(was, is_))),
        due_out=tuple(left for left in due_disqualifications(is_, least) if left not in due_before),
        outdated=tuple(round for round in outdated(after.facts, is_, then) if round not in old),
        repairs=tuple(_repairs(after)),
    )


def facts_of(
    ruling: Ruling,
    *,
    edition_id: int,
    now: datetime,
    command_id: str | None,
    since: datetime | None = None,
    authority: Authority = Authority.TD,
    author_id: int | None = None,
    reason_note_id: int | None = None,
) -> tuple[Fact, ...]:
    """The facts of a ruling, not stored yet, one after the other. `since`: when they came about, if not now."""
    return tuple(
        Fact(
            edition_id=edition_id,
            kind=kind_of(draft.event),
            payload=encode(draft.event),
            authority=authority,
            author_id=author_id,
            reason_note_id=reason_note_id,
            clause=draft.clause,
            command_id=command_id,
            reverts_id=draft.reverts_id,
            replaces_id=draft.replaces_id,
            occurred_at=since or now,
            recorded_at=now,
        )
        for draft in ruling.drafts
    )


# --- What changes -----------------------------------------------------------------------------------------------


def _match_changes(was: Tournament, is_: Tournament) -> Iterable[MatchChange]:
    for match_id in sorted(was.results.keys() | is_.results.keys()):
        before, after = was.results.get(match_id), is_.results.get(match_id)
        if before is None or after is None or not _says_the_same(before, after):
            yield MatchChange(match_id, before, after)


def _touched(was: Tournament, is_: Tournament) -> Iterable[int]:
    known = (t.terms.keys() | t.extended.keys() | t.ruled_games.keys() | t.allowed for t in (was, is_))
    for match_id in sorted(set[int]().union(*known)):
        before, after = (
            (
                t.terms.get(match_id, NO_TERMS),
                t.extended.get(match_id),
                match_id in t.allowed,
                t.ruled_games.get(match_id),
            )
            for t in (was, is_)
        )
        if before != after:
            yield match_id


def _who_forfeited(was: Tournament, is_: Tournament) -> Iterable[int]:
    either = was.forfeits.keys() | is_.forfeits.keys()
    return (id for id in either if was.forfeits.get(id, ()) != is_.forfeits.get(id, ()))


def _who_declined(tournament: Tournament) -> set[int]:
    return set[int]().union(*tournament.declined.values())


def _renamed(was: Tournament, is_: Tournament) -> Iterable[int]:
    return (id for id in was.accounts.keys() | is_.accounts.keys() if was.accounts.get(id) != is_.accounts.get(id))


def _reseeded(before: Championship, after: Championship) -> set[int]:
    """Of whom corrections come or go, if that moves anybody: a player to the own place is no change."""
    was, is_ = Counter(before.tournament.seed_moves), Counter(after.tournament.seed_moves)
    moved = {id for id, _ in (was - is_) + (is_ - was)}
    known = all(before.seed_of(id) == after.seed_of(id) for id in moved)
    return set() if known and before.seeds == after.seeds else moved


def _says_the_same(before: Result, after: Result) -> bool:
    """A result that merely rests on another fact is no change."""
    return replace(before, fact_id=0) == replace(after, fact_id=0)


def _line_changes(before: Championship, after: Championship) -> Iterable[LineChange]:
    old, new = _tables(before), _tables(after)
    for pool, table in new.items():
        was = {line.entrant_id: line for line in old.get(pool, ())}
        for line in table:
            earlier = was.get(line.entrant_id)
            if earlier is None or (earlier.rank, earlier.points) == (line.rank, line.points):
                continue
            yield LineChange(pool, line.entrant_id, earlier.rank, line.rank, earlier.points, line.points)


def _tables(event: Championship) -> Mapping[str, Sequence[Standing]]:
    return {"": event.qualification(), **event.pools()}


def _repairs(event: Championship) -> Iterable[Proposal]:
    for stage in (Stage.SEMIFINALS, Stage.FINALS):
        try:
            proposal = repair(event, stage)
        except Conflict:
            continue  # a semifinal is open again: there is no seating to confirm before it is decided
        if proposal is not None:
            yield proposal


# --- Undo -------------------------------------------------------------------------------------------------------

_PUBLISHED = frozenset({"round_published", "stage_seated", "round_closed"})
"""What was published stays: a repair replaces it (R3.7). A round closes by itself."""
_SEEN = frozenset({"match_begun", "colours_settled"})
"""What Lichess has shown, or the two have settled between them, is no decision; it goes with the ruling it rests on."""


def reversible(event: Championship) -> tuple[Fact, ...]:
    """What `undo` takes back, newest first: of each command that stands its first fact."""
    first: dict[str, Fact] = {}
    for entry in chain(event.facts).entries:
        if entry.fact.kind not in _PUBLISHED | _SEEN:
            first.setdefault(entry.fact.command_id or f"fact {entry.fact.id}", entry.fact)
    return tuple(sorted(first.values(), key=lambda fact: -fact.id))


def undo(event: Championship, fact_id: int) -> Ruling:
    """Takes a fact back, with everything else that its command recorded; an undo can be undone.

    NotFound("fact"); Conflict("published_stays") for pairings and seatings, Conflict("seen_stays") for what is no
    decision, Conflict("reinstate_instead") for some exits, Conflict("match_settled") once the armageddon game that was
    set alone is decided, Conflict("already_undone") when the fact no longer stands.
    """
    fact = next((f for f in event.facts if f.id == fact_id and f.id), None)
    if fact is None:
        raise NotFound("fact", id=fact_id)
    if fact.kind in _PUBLISHED | _SEEN:
        raise Conflict("published_stays" if fact.kind in _PUBLISHED else "seen_stays", clause="R3.7", kind=fact.kind)
    _refuse_exit(event, fact)
    _refuse_decider(event, fact)
    standing = [entry.fact for entry in chain(event.facts).entries]
    if all(one.id != fact.id for one in standing):
        raise Conflict("already_undone", id=fact_id)
    together = [
        f for f in standing if f.id == fact.id or (f.command_id is not None and f.command_id == fact.command_id)
    ]
    wanted = [f for f in standing if f.kind not in _PUBLISHED and (f in together or _rests_on(f, together))]
    return Ruling("undo", tuple(Draft(Reverted(), f.clause or "R1.3", reverts_id=f.id) for f in reversed(wanted)))


def _refuse_exit(event: Championship, fact: Fact) -> None:
    """Q29, Q44e: an exit for two forfeits falls with these; once pairings have come out since a withdrawal, what was
    lost by it stays lost. `engine.exit_rulings.reinstate` does what is right there."""
    said = decode(fact)
    left = event.tournament.left.get(said.entrant_id) if isinstance(said, EntrantLeft) else None
    if left is None or left.fact_id != fact.id:
        return
    paired_since = any(published.fact_id > fact.id for published in event.tournament.rounds)
    if left.ground == TWO_FORFEITS or (left.exit is Exit.WITHDRAWN and paired_since):
        name = event.name_of(left.entrant_id)
        raise Conflict("reinstate_instead", clause="Q29", name=name, forfeits=left.ground == TWO_FORFEITS)


def _refuse_decider(event: Championship, fact: Fact) -> None:
    """Q33: what was played under it was one game."""
    said = decode(fact)
    if isinstance(said, DeciderSet) and event.tournament.is_settled(said.match_id):
        raise Conflict("match_settled", clause="Q33")


def _rests_on(fact: Fact, rulings: Collection[Fact]) -> bool:
    """Q12, Q35: the games with which a match had begun, when that was seen after one of them was counted: a match that
    began earlier by that word has not."""
    return fact.kind == "match_begun" and any(
        one.kind == "game_ruled" and one.payload["match_id"] == fact.payload["match_id"] and one.id < fact.id
        for one in rulings
    )


# --- Recusal ----------------------------------------------------------------------------------------------------


def subjects(event: Championship, ruling: Ruling) -> frozenset[int]:
    """The entrants a ruling is about: those named in it or in what it takes back, both sides of a match."""
    by_id = {fact.id: fact for fact in event.facts}
    found: set[int] = set()
    for draft in ruling.drafts:
        found |= _named_in(event.tournament, draft.event)
        target = by_id.get(draft.reverts_id or draft.replaces_id or 0)
        while target is not None:
            found |= _named_in(event.tournament, decode(target))
            target = by_id.get(target.reverts_id or target.replaces_id or 0)
    return frozenset(found)


def _named_in(tournament: Tournament, said: Event) -> set[int]:
    match_id, entrant_id = getattr(said, "match_id", None), getattr(said, "entrant_id", None)
    named = {entrant_id} if entrant_id is not None else set[int]()
    for published in tournament.rounds:
        for pair in published.pairs:
            if pair.match_id == match_id:
                named |= {pair.a_id, pair.b_id}
    return named


def recused(event: Championship, director: int, about: Collection[int]) -> str | None:
    """Why a TD who plays as entrant `director` may not decide about these entrants (R1.2, Q54): "own_affair",
    "opponent" (of an open match), "pool_mate", "same_stage" (both sit in the knock-out stage that is the newest); None
    when nothing stands against it."""
    if director in about:
        return "own_affair"
    tournament = event.tournament
    for published in tournament.rounds:
        for pair in tournament.open_matches(published.round_id):
            both = {pair.a_id, pair.b_id}
            if director in both and not both.isdisjoint(about):
                return "opponent"
    for group in tournament.seated.get(Stage.CANDIDATES, ()):
        if director in group.entrants and not set(group.entrants).isdisjoint(about):
            return "pool_mate"
    # Who wins there, or leaves, decides whom the director meets next, or whether at all (R8.4, R8.5).
    newest = tournament.rounds[-1].stage if tournament.rounds else Stage.QUALIFICATION
    groups = tournament.seated.get(newest, ()) if newest in KNOCKOUT else ()
    seats = {entrant for group in groups for entrant in group.entrants}
    return "same_stage" if director in seats and not seats.isdisjoint(about) else None
