"""What it means that something is due (design section 4): its key, its moment, and what whoever settles it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from engine.armageddon import Bidding
from engine.model import Match, Offer
from engine.ports import LichessGame, Reader, Store
from engine.timers import Timer
from engine.usecases.bids import bidding_of
from engine.usecases.context import Event, Folds, load_event
from engine.usecases.evening_looks import NOTHING_SEEN, Looked


class Kind(StrEnum):
    PUBLISH = "publish"
    BLOCKED = "blocked"
    REMIND = "remind"
    ANSWER = "answer"
    BEFORE_MATCH = "before_match"
    START = "start"
    NOT_STARTED = "not_started"
    TIMER_OVER = "timer_over"
    PUT_OFF_ENDS = "put_off_ends"
    JUDGE = "judge"
    BOTH_FAILED = "both_failed"
    RIGHT_ENDED = "right_ended"
    ALLOWED_ENDS = "allowed_ends"
    ALLOWED_OVER = "allowed_over"
    CLOSE = "close"
    UNPLAYED = "unplayed"
    UNFINISHED = "unfinished"
    EXTENSION_OVER = "extension_over"
    REGISTRATION_DUE = "registration_due"
    LATE_ENTRIES = "late_entries"
    TIED = "tied"
    TIEBREAK = "tiebreak"
    ARMAGEDDON = "armageddon"
    SEATING = "seating"
    CHAMPION = "champion"
    PLAYOFF_OPEN = "playoff_open"
    REPAIR = "repair"


@dataclass(frozen=True, slots=True)
class Due:
    """Something to settle. `key` is unique in its edition for ever; `expires`: from then on it is recorded as skipped
    instead of done. `games_of`: a match whose games on Lichess have to be known first; while Lichess does not answer,
    this waits and everything else goes on. `opens`: a match for which Lichess is asked for a challenge, `sees`: one of
    which it is asked who is there; without an answer it is settled without one."""

    key: str
    kind: Kind
    at: datetime
    name: str = ""
    expires: datetime | None = None
    match_id: int | None = None
    games_of: int | None = None
    opens: int | None = None
    sees: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What Lichess said about something due, just before it is settled. `challenge`: the address of an open one, None
    when Lichess gave none; `online`: the Lichess ids of those who were. `looked`: of the match `due.sees`."""

    games: tuple[LichessGame, ...] = ()
    challenge: str | None = None
    online: tuple[str, ...] = ()
    looked: Looked = NOTHING_SEEN


@dataclass(frozen=True, slots=True)
class Agenda:
    """An edition at a moment. By match id: the offers and the ten minutes of every match that waits for a result, and
    what the armageddon game of every tied match waits for."""

    event: Event
    now: datetime
    offers: Mapping[int, Sequence[Offer]]
    timers: Mapping[int, Sequence[Timer]] = field(default_factory=dict[int, Sequence[Timer]])
    ties: Mapping[int, Bidding] = field(default_factory=dict[int, Bidding])

    def offers_of(self, match: Match, entrant_id: int) -> list[Offer]:
        return [offer for offer in self.offers.get(match.id, ()) if offer.entrant_id == entrant_id]


@dataclass(frozen=True, slots=True)
class Task:
    """A due thing in the transaction that settles it."""

    store: Store
    agenda: Agenda
    due: Due
    asked: Asked = Asked()

    @property
    def games(self) -> tuple[LichessGame, ...]:
        """Of the match `due.games_of`, as Lichess gave them just before; empty where nobody asked."""
        return self.asked.games

    @property
    def event(self) -> Event:
        return self.agenda.event

    @property
    def now(self) -> datetime:
        return self.agenda.now

    @property
    def match(self) -> Match:
        """The match that is named in what is due."""
        assert self.due.match_id is not None
        return self.event.matches[self.due.match_id]


Handler = Callable[[Task], None]


def load_agenda(reader: Reader, folds: Folds, edition_id: int, now: datetime, *, keep: bool = True) -> Agenda:
    event = load_event(reader, folds, edition_id, keep=keep)
    waiting = [match.id for match in event.open_matches()]
    offers: dict[int, list[Offer]] = {}
    for offer in reader.find(Offer, match_id=waiting):
        offers.setdefault(offer.match_id, []).append(offer)
    timers: dict[int, list[Timer]] = {}
    for timer in reader.find(Timer, match_id=waiting):
        timers.setdefault(timer.match_id, []).append(timer)
    tied = ((match.id, bidding_of(reader, event, match, now)) for match in event.open_matches())
    return Agenda(event, now, offers, timers, {id: state for id, state in tied if state is not None})


def base_of(event: Event, stage: str, number: int) -> str:
    """The beginning of every key of a round."""
    return f"{event.edition.guild_id}:{event.edition.key}:{stage}:r{number}"
