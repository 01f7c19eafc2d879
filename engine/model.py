"""What a tournament is made of: plain values. Datetimes are aware UTC, points are half-points, ids are our own.

`id == 0` means "not stored yet". These shapes are what the database keeps one to one (`db/tables.py`);
everything that is *derived* (standings, forfeit counts, who is out) is folded from facts in `ledger`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any


class Stage(StrEnum):
    """R3.2."""

    QUALIFICATION = "qualification"
    CANDIDATES = "candidates"
    SEMIFINALS = "semifinals"
    FINALS = "finals"


_CODES = {Stage.QUALIFICATION: "R", Stage.CANDIDATES: "C", Stage.SEMIFINALS: "SF", Stage.FINALS: "F"}
KNOCKOUT = frozenset({Stage.SEMIFINALS, Stage.FINALS})


def round_code(stage: Stage, number: int) -> str:
    """`R3`, `C2`, `SF`, `F`: a round in one word, different for every round of an edition."""
    return _CODES[stage] if stage in KNOCKOUT else f"{_CODES[stage]}{number}"


class EditionState(StrEnum):
    """DRAFT until a TD opens registration; CLOSED once seeds are made; the rest is in the facts."""

    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


class EntryState(StrEnum):
    """UNPROVEN until the player has shown that the account is theirs; FROZEN by a second account (R2.6)."""

    UNPROVEN = "unproven"
    PENDING = "pending"
    FROZEN = "frozen"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class Proof(StrEnum):
    """How it was shown whose account it is: a code in its bio, a login with Lichess, or a TD's word."""

    BIO = "bio"
    LOGIN = "login"
    TD = "td"


class OfferState(StrEnum):
    """LAPSED: a proposal to move a match that a new time has closed; nobody took it back."""

    OPEN = "open"
    RETRACTED = "retracted"
    ACCEPTED = "accepted"
    LAPSED = "lapsed"


class Authority(StrEnum):
    """On whose word a fact stands."""

    PLAYER = "player"
    TD = "td"
    SYSTEM = "system"


class PostState(StrEnum):
    """A message in the outbox. WAITING rows are owed; STUCK rows need a TD; see `acwc_bot.relay`."""

    WAITING = "waiting"
    SENT = "sent"
    STUCK = "stuck"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A Discord server as `/td setup` left it. `channels` maps a role of ours (`pairings`) to a channel id.

    `player_role_id`: the role of whoever plays in the running edition; None where they have none.
    """

    id: int = 0
    guild_id: int
    td_role_id: int | None = None
    player_role_id: int | None = None
    channels: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One human. Facts refer to `id`; name and Discord id can be erased without touching a fact.

    `timezone`: an IANA name, how times without a zone are meant; None is UTC. `muted`: the reminders that the person
    does not want, by `engine.reminders.Kind`.
    """

    id: int = 0
    discord_id: int | None
    name: str
    timezone: str | None = None
    muted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One championship on one server, with the ruleset text it started with."""

    id: int = 0
    guild_id: int
    key: str
    title: str
    ruleset: str
    starts: date
    state: EditionState = EditionState.DRAFT
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """An application to play. `lichess_id` is lower case; `rating`/`games` as Lichess showed them then.

    `code`: what the player puts into the bio of the account; `others`: the other accounts the player has named (R2.3).
    `vouch_note_id`: how a TD who has entered the player knows the account is theirs; `admin_word`, with its note: what
    a Lichess admin has said of the player (R2.8).
    """

    id: int = 0
    edition_id: int
    person_id: int
    lichess_id: str
    lichess_name: str
    state: EntryState = EntryState.PENDING
    rating: int | None = None
    games: int | None = None
    flags: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    code: str = ""
    proof: Proof | None = None
    proven_at: datetime | None = None
    created_at: datetime
    decided_at: datetime | None = None
    decided_by: int | None = None
    reason_note_id: int | None = None
    vouch_note_id: int | None = None
    admin_word: str | None = None
    admin_note_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountCheck:
    """The eligibility check of an entry: `progress` as `engine.eligibility` stores it. `problem`: why the last request
    brought no answer, None when it did; the check goes on from there."""

    id: int = 0
    registration_id: int
    progress: Mapping[str, Any]
    problem: str | None = None
    started_at: datetime
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A login with Lichess that a player has begun: `state` and `verifier` as in RFC 7636. It can be used once.

    `handle`: the name on Discord of whoever began it, which nobody else has. `lichess_id`: as whom somebody has logged
    in; `confirm`: what they answer with that it is their entry, once.
    """

    id: int = 0
    registration_id: int
    handle: str
    state: str
    verifier: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
    lichess_id: str | None = None
    confirm: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """Somebody in the event, with the seed that was made once at registration close (reading after R2.8).

    `seeded_by`: what the seed rests on, as `engine.usecases.seeds` stores it; empty for a late entry (Q44g).
    """

    id: int = 0
    edition_id: int
    person_id: int
    lichess_id: str
    name: str
    seed: int
    rating: int | None = None
    games: int | None = None
    seeded_by: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSeen:
    """An account of an entrant as the hourly watch has last seen it (R7.3). `closed`: or gone from Lichess."""

    id: int = 0
    entrant_id: int
    lichess_id: str
    name: str
    marked: bool
    closed: bool
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSeen:
    """Whether an entrant was in the Discord server when the bot last looked: `gone_since` is None while they are.
    `has_role`: whether they had the role of the players then."""

    id: int = 0
    entrant_id: int
    gone_since: datetime | None = None
    has_role: bool = False
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountChange:
    """Another account that a TD wants for an entrant (Q55), with its check, as in `AccountCheck`; `progress` is empty
    once it was erased. Whether it is in force is in the facts."""

    id: int = 0
    edition_id: int
    entrant_id: int
    lichess_id: str
    name: str
    asked_by: int
    progress: Mapping[str, Any]
    problem: str | None = None
    started_at: datetime
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A published round. Both deadlines are exclusive ends ("Friday 23:59" is Saturday 00:00) and never move."""

    id: int = 0
    edition_id: int
    stage: Stage
    number: int
    published_at: datetime
    offers_by: datetime
    matches_by: datetime

    @property
    def code(self) -> str:
        return round_code(self.stage, self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A pairing of two entrants in a round. The agreed time is state; the result is a fact."""

    id: int = 0
    edition_id: int
    round_id: int
    board: int
    a_id: int
    b_id: int
    agreed_at: datetime | None = None
    agreed_offer_id: int | None = None
    thread_id: int | None = None

    def opponent_of(self, entrant_id: int) -> int:
        return self.b_id if entrant_id == self.a_id else self.a_id

    def has(self, entrant_id: int) -> bool:
        return entrant_id in (self.a_id, self.b_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One offered start; a range offers any minute in [starts_at, ends_at] and is one offer (Q4).

    `chosen`: the minute that was accepted. `moves`: it was made while a time was agreed, to move the match (R6.3); that
    time stands until it is accepted.
    `note_id`: what the player wrote to it.
    """

    id: int = 0
    match_id: int
    entrant_id: int
    starts_at: datetime
    ends_at: datetime | None = None
    made_at: datetime
    state: OfferState = OfferState.OPEN
    changed_at: datetime | None = None
    chosen: datetime | None = None
    moves: bool = False
    note_id: int | None = None


class DisputeCause(StrEnum):
    """What a dispute is about. NO_AGREEMENT: both have made their offers and agree on no time (R5.8). REPORTS_DIFFER:
    they say different things of their match, and no games decide it (R1.3, Q22)."""

    NO_AGREEMENT = "no_agreement"
    REPORTS_DIFFER = "reports_differ"


class DisputeEnd(StrEnum):
    """How a dispute ended: by a TD's ruling, or by the players themselves (Q15)."""

    RULED = "ruled"
    AGREED = "agreed"
    PLAYED = "played"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A question about a match that waits for the TDs; `outcome` is None while it does."""

    id: int = 0
    edition_id: int
    match_id: int
    cause: DisputeCause
    opened_at: datetime
    outcome: DisputeEnd | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one side says of a match that is not decided yet: its first game (Q12), or a score that no games show (Q22):
    `claimed_a`, `claimed_b` in half-points."""

    id: int = 0
    match_id: int
    entrant_id: int
    first_game_id: str | None
    made_at: datetime
    claimed_a: int | None = None
    claimed_b: int | None = None

    @property
    def claimed(self) -> tuple[int, int] | None:
        """The half-points of a and b."""
        return None if self.claimed_a is None or self.claimed_b is None else (self.claimed_a, self.claimed_b)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLine:
    """A Lichess game of a match, exactly as received: one that counted, or that a TD could let count (Q35). A closed
    account loses nothing."""

    id: int = 0
    match_id: int
    game_id: str
    line: str
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Free text: a reason, a quote. Facts point here so that an erasure can blank it."""

    id: int = 0
    edition_id: int
    author_id: int | None
    text: str
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line of the ledger. Never updated or deleted; an undo is a new fact with `reverts_id`.

    `kind` and `payload` are made and read by `engine.facts`. `replaces_id`: this fact stands instead of that one.
    """

    id: int = 0
    edition_id: int
    kind: str
    payload: Mapping[str, Any]
    authority: Authority
    author_id: int | None = None
    reason_note_id: int | None = None
    clause: str | None = None
    command_id: str | None = None
    reverts_id: int | None = None
    replaces_id: int | None = None
    occurred_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message the bot owes to Discord: the outbox row.

    `key` is unique for ever (`match:17:card`). `target`: `channel:pairings`, `thread:17` (a match id) or
    `dm:5` (a person id). `wanted` counts the versions asked for, `sent` the version Discord has: sent < wanted
    after the first sending means the message is edited. `uncertain_since`: when a try began whose outcome is not
    known; while it is set, the channel is searched for what was `tried` (digests) before the message is sent again.
    """

    id: int = 0
    guild_id: int
    key: str
    kind: str
    target: str
    payload: Mapping[str, Any]
    state: PostState = PostState.WAITING
    wanted: int = 1
    sent: int = 0
    attempts: int = 0
    not_before: datetime | None = None
    uncertain_since: datetime | None = None
    tried: tuple[str, ...] = ()
    channel_id: int | None = None
    message_id: int | None = None
    problem: str | None = None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """Something that was due and has been dealt with, once: `2023:qualification:r3:publish`."""

    id: int = 0
    edition_id: int
    key: str
    due_at: datetime
    settled_at: datetime
    skipped: bool = False
