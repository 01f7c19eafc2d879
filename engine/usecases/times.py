"""The time of a match follows what is decided about it: set, taken back, told to the players (R5.5-R5.10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from engine.chain import chain, root_of
from engine.facts import (
    DeciderSet,
    DutyWaived,
    FaultFound,
    ForfeitCounted,
    GameRuled,
    MatchExtended,
    MatchPlayed,
    MatchRuled,
    MatchVoided,
    PlayAllowed,
    TimerRuled,
    TimeSet,
    decode,
)
from engine.model import Authority, DisputeCause, DisputeEnd, Fact, Match, Offer, OfferState
from engine.ports import Reader, Store
from engine.terms import NO_TERMS, terms_of
from engine.usecases.context import Event
from engine.usecases.disputes import end_dispute, open_dispute, reopen_dispute
from engine.usecases.posts import Outbox

TOLD = (FaultFound, DutyWaived, GameRuled, MatchExtended, PlayAllowed, TimeSet, DeciderSet, TimerRuled)
"""What the players are told of in their thread; a result has its own post."""
_ENDINGS = (MatchRuled, MatchVoided, ForfeitCounted)
"""The same where a TD ends a match: the post of a result tells nobody, and is only edited where there was one."""
_ANSWERS = (FaultFound, TimeSet, DeciderSet, MatchRuled, MatchVoided)
"""What ends a dispute when TDs decide it."""
_ABOUT = (*TOLD, *_ENDINGS, *_ANSWERS, MatchPlayed)
"""What the players are told of when it is taken back."""


def follow_times(store: Store, outbox: Outbox, event: Event, facts: Iterable[Fact], now: datetime) -> None:
    """After facts were recorded: the agreed time, the posts in the thread and the disputes follow them.

    `event` is the edition before these facts.
    """
    facts = tuple(facts)
    by_id = {fact.id: fact for fact in event.ledger.facts}
    told_again: set[int] = set()
    for fact in facts:
        root, stands = root_of(fact, by_id)
        said = decode(root)
        match = event.matches.get(getattr(said, "match_id", 0))
        if match is None or not isinstance(said, _ABOUT):
            continue
        if isinstance(said, TimeSet | DeciderSet):
            fix_time(store, match, now)
        if isinstance(said, TOLD) or (isinstance(said, _ENDINGS) and _by_a_td_alone(root, facts)):
            outbox.decided(match, root.id)
        if root is not fact and match.id not in told_again:
            # Of what is taken back at once each player hears once; the edited post above pings nobody.
            told_again.add(match.id)
            outbox.decided_anew(match, fact.reverts_id)
            outbox.decided(match, fact.id)
        if isinstance(said, DutyWaived):
            if stands:
                _after_waiver(store, outbox, event, match, said, now)
        elif isinstance(said, _ANSWERS) and stands:
            end_dispute(store, outbox, match, DisputeEnd.RULED, now)
        elif isinstance(said, _ANSWERS):
            reopen_dispute(store, outbox, match)
        elif isinstance(said, MatchPlayed) and root is fact:
            end_dispute(store, outbox, match, DisputeEnd.PLAYED, now)


def _by_a_td_alone(fact: Fact, facts: Iterable[Fact]) -> bool:
    """A TD has said how the match ends; not where it follows from whose fault it is, which is told itself (R5.9)."""
    return fact.authority is Authority.TD and not any(one.kind == "fault_found" for one in facts)


def _after_waiver(store: Store, outbox: Outbox, event: Event, match: Match, said: DutyWaived, now: datetime) -> None:
    """R5.8: the only one at fault is forgiven, so both count as having offered."""
    guilty = event.terms(match).at_fault
    if match.agreed_at is None and len(guilty) == 1 and guilty[0] in said.entrants:
        open_dispute(store, outbox, match, DisputeCause.NO_AGREEMENT, now)


def fix_time(store: Store, match: Match, now: datetime) -> Match:
    """The match at the time that stands: the latest of what the players agreed on and what was set."""
    clear_proposals(store, match, now)
    at, offer_id = standing_time(store, match)
    return store.save(replace(store.get(Match, match.id), agreed_at=at, agreed_offer_id=offer_id))


def clear_proposals(store: Store, match: Match, now: datetime) -> None:
    """Proposals to move a match were made against the time that stood then; a new time leaves none of them open."""
    for offer in store.find(Offer, match_id=match.id, moves=True, state=OfferState.OPEN):
        store.save(replace(offer, state=OfferState.LAPSED, changed_at=now))


def standing_time(reader: Reader, match: Match) -> tuple[datetime | None, int | None]:
    """The time of a match, and the offer by which it was agreed; None where there is none, or where it was set."""
    was_set = terms_of(chain(reader.facts(match.edition_id))).get(match.id, NO_TERMS).set
    accepted = [(o.changed_at, o) for o in reader.find(Offer, match_id=match.id, state=OfferState.ACCEPTED)]
    latest = max(((at, o.id, o) for at, o in accepted if at is not None), default=None)
    if was_set is not None and (latest is None or latest[0] <= was_set.set_at):
        return was_set.at, None
    return (None, None) if latest is None else (latest[2].chosen or latest[2].starts_at, latest[2].id)
