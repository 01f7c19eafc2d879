"""The tables: one per dataclass of `engine.model`, the same field names; `mapping` carries values across.

Enums are stored as their text, mappings and tuples as JSON. Foreign keys join our own ids only: Discord ids
come from outside and may be gone. Every rule that must hold whatever the code does is a constraint here.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, MetaData, UniqueConstraint, text
from sqlalchemy.orm import declared_attr
from sqlmodel import Field, SQLModel

from db.types import UtcDateTime

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Base(SQLModel):
    """What all tables share. SQLModel validates nothing on tables: `mapping` does."""

    metadata: ClassVar[MetaData] = metadata

    @declared_attr.directive
    @classmethod
    def __tablename__(cls) -> str:
        return cls.__name__.removesuffix("Row").lower()


class Row(Base):
    """The table of a dataclass."""

    id: int | None = Field(default=None, primary_key=True)


class ServerRow(Row, table=True):
    __table_args__ = (UniqueConstraint("guild_id"),)

    guild_id: int = Field(sa_type=BigInteger)
    td_role_id: int | None = Field(sa_type=BigInteger)
    player_role_id: int | None = Field(sa_type=BigInteger)
    channels: dict[str, int] = Field(sa_type=JSON)


class PersonRow(Row, table=True):
    __table_args__ = (UniqueConstraint("discord_id"),)

    discord_id: int | None = Field(sa_type=BigInteger)
    name: str
    timezone: str | None
    muted: list[str] = Field(sa_type=JSON)


class EditionRow(Row, table=True):
    __table_args__ = (UniqueConstraint("guild_id", "key"),)

    guild_id: int = Field(sa_type=BigInteger)
    key: str
    title: str
    ruleset: str
    starts: date
    state: str
    created_at: datetime = Field(sa_type=UtcDateTime)


_LIVE = text("state IN ('pending', 'approved')")
"""A rejected or withdrawn application does not bar the next one."""


class RegistrationRow(Row, table=True):
    __table_args__ = (
        Index(
            "uq_registration_live_lichess_id",
            "edition_id",
            "lichess_id",
            unique=True,
            sqlite_where=_LIVE,
            postgresql_where=_LIVE,
        ),
        Index(
            "uq_registration_live_person_id",
            "edition_id",
            "person_id",
            unique=True,
            sqlite_where=_LIVE,
            postgresql_where=_LIVE,
        ),
        Index(None, "edition_id", "state"),
    )

    edition_id: int = Field(foreign_key="edition.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    lichess_id: str
    lichess_name: str
    state: str
    rating: int | None
    games: int | None
    flags: list[str] = Field(sa_type=JSON)
    others: list[str] = Field(sa_type=JSON)
    code: str
    proof: str | None
    proven_at: datetime | None = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)
    decided_at: datetime | None = Field(sa_type=UtcDateTime)
    decided_by: int | None = Field(foreign_key="person.id")
    reason_note_id: int | None = Field(foreign_key="note.id")
    vouch_note_id: int | None = Field(foreign_key="note.id")
    admin_word: str | None
    admin_note_id: int | None = Field(foreign_key="note.id")


class AccountCheckRow(Row, table=True):
    __table_args__ = (UniqueConstraint("registration_id"),)

    registration_id: int = Field(foreign_key="registration.id")
    progress: dict[str, Any] = Field(sa_type=JSON)
    problem: str | None
    started_at: datetime = Field(sa_type=UtcDateTime)
    finished_at: datetime | None = Field(sa_type=UtcDateTime)


class LoginRow(Row, table=True):
    __table_args__ = (UniqueConstraint("state"), UniqueConstraint("confirm"))

    registration_id: int = Field(foreign_key="registration.id", index=True)
    handle: str
    state: str
    verifier: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)
    used_at: datetime | None = Field(sa_type=UtcDateTime)
    lichess_id: str | None
    confirm: str | None


class EntrantRow(Row, table=True):
    __table_args__ = (
        UniqueConstraint("edition_id", "person_id"),
        UniqueConstraint("edition_id", "lichess_id"),
        UniqueConstraint("edition_id", "seed"),
    )

    edition_id: int = Field(foreign_key="edition.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    lichess_id: str
    name: str
    seed: int
    rating: int | None
    games: int | None
    seeded_by: dict[str, Any] = Field(sa_type=JSON)


class AccountSeenRow(Row, table=True):
    __table_args__ = (UniqueConstraint("entrant_id", "lichess_id"),)

    entrant_id: int = Field(foreign_key="entrant.id")
    lichess_id: str
    name: str
    marked: bool
    closed: bool
    seen_at: datetime = Field(sa_type=UtcDateTime)


class MemberSeenRow(Row, table=True):
    __table_args__ = (UniqueConstraint("entrant_id"),)

    entrant_id: int = Field(foreign_key="entrant.id")
    gone_since: datetime | None = Field(sa_type=UtcDateTime)
    has_role: bool
    seen_at: datetime = Field(sa_type=UtcDateTime)


class AccountChangeRow(Row, table=True):
    __table_args__ = (UniqueConstraint("entrant_id", "lichess_id"),)

    edition_id: int = Field(foreign_key="edition.id", index=True)
    entrant_id: int = Field(foreign_key="entrant.id")
    lichess_id: str
    name: str
    asked_by: int = Field(foreign_key="person.id")
    progress: dict[str, Any] = Field(sa_type=JSON)
    problem: str | None
    started_at: datetime = Field(sa_type=UtcDateTime)
    finished_at: datetime | None = Field(sa_type=UtcDateTime)


class RoundRow(Row, table=True):
    __table_args__ = (UniqueConstraint("edition_id", "stage", "number"),)

    edition_id: int = Field(foreign_key="edition.id")
    stage: str
    number: int
    published_at: datetime = Field(sa_type=UtcDateTime)
    offers_by: datetime = Field(sa_type=UtcDateTime)
    matches_by: datetime = Field(sa_type=UtcDateTime)


class MatchRow(Row, table=True):
    __table_args__ = (UniqueConstraint("round_id", "board"),)

    edition_id: int = Field(foreign_key="edition.id", index=True)
    round_id: int = Field(foreign_key="round.id")
    board: int
    a_id: int = Field(foreign_key="entrant.id", index=True)
    b_id: int = Field(foreign_key="entrant.id", index=True)
    agreed_at: datetime | None = Field(sa_type=UtcDateTime)
    agreed_offer_id: int | None = Field(sa_column_args=[ForeignKey("offer.id", use_alter=True)])
    thread_id: int | None = Field(sa_type=BigInteger, index=True)


class OfferRow(Row, table=True):
    match_id: int = Field(foreign_key="match.id", index=True)
    entrant_id: int = Field(foreign_key="entrant.id")
    starts_at: datetime = Field(sa_type=UtcDateTime)
    ends_at: datetime | None = Field(sa_type=UtcDateTime)
    made_at: datetime = Field(sa_type=UtcDateTime)
    state: str
    changed_at: datetime | None = Field(sa_type=UtcDateTime)
    chosen: datetime | None = Field(sa_type=UtcDateTime)
    moves: bool
    note_id: int | None = Field(foreign_key="note.id")


_WAITING = text("outcome IS NULL")


class DisputeRow(Row, table=True):
    """One at a time for each cause of a match."""

    __table_args__ = (
        Index(
            "uq_dispute_waiting",
            "match_id",
            "cause",
            unique=True,
            sqlite_where=_WAITING,
            postgresql_where=_WAITING,
        ),
    )

    edition_id: int = Field(foreign_key="edition.id", index=True)
    match_id: int = Field(foreign_key="match.id", index=True)
    cause: str
    opened_at: datetime = Field(sa_type=UtcDateTime)
    outcome: str | None
    ended_at: datetime | None = Field(sa_type=UtcDateTime)


class TimerRow(Row, table=True):
    """Those of one match are few; what may not be twice is decided in the transaction."""

    match_id: int = Field(foreign_key="match.id", index=True)
    entrant_id: int = Field(foreign_key="entrant.id")
    kind: str
    agreed_at: datetime = Field(sa_type=UtcDateTime)
    called_at: datetime = Field(sa_type=UtcDateTime)
    runs_from: datetime | None = Field(sa_type=UtcDateTime)
    evidence: dict[str, Any] = Field(sa_type=JSON)
    outcome: str | None
    decided_at: datetime | None = Field(sa_type=UtcDateTime)


class ReportRow(Row, table=True):
    __table_args__ = (UniqueConstraint("match_id", "entrant_id"),)

    match_id: int = Field(foreign_key="match.id")
    entrant_id: int = Field(foreign_key="entrant.id")
    first_game_id: str | None = None
    made_at: datetime = Field(sa_type=UtcDateTime)
    claimed_a: int | None = None
    claimed_b: int | None = None


class GameLineRow(Row, table=True):
    __table_args__ = (UniqueConstraint("match_id", "game_id"),)

    match_id: int = Field(foreign_key="match.id", index=True)
    game_id: str
    line: str
    received_at: datetime = Field(sa_type=UtcDateTime)


class SealedBidRow(Row, table=True):
    __table_args__ = (UniqueConstraint("match_id", "entrant_id", "tied_at"),)

    match_id: int = Field(foreign_key="match.id", index=True)
    entrant_id: int = Field(foreign_key="entrant.id")
    tied_at: datetime = Field(sa_type=UtcDateTime)
    seconds: int
    made_at: datetime = Field(sa_type=UtcDateTime)


class SealedThrowRow(Row, table=True):
    __table_args__ = (UniqueConstraint("match_id", "entrant_id", "tied_at", "number"),)

    match_id: int = Field(foreign_key="match.id", index=True)
    entrant_id: int = Field(foreign_key="entrant.id")
    tied_at: datetime = Field(sa_type=UtcDateTime)
    number: int
    hand: str
    made_at: datetime = Field(sa_type=UtcDateTime)


class NoteRow(Row, table=True):
    edition_id: int = Field(foreign_key="edition.id", index=True)
    author_id: int | None = Field(foreign_key="person.id", index=True)
    text: str
    made_at: datetime = Field(sa_type=UtcDateTime)


class FactRow(Row, table=True):
    """Triggers of the first migration refuse every UPDATE and DELETE."""

    __table_args__ = (Index(None, "edition_id", "id"),)

    edition_id: int = Field(foreign_key="edition.id")
    kind: str
    payload: dict[str, Any] = Field(sa_type=JSON)
    authority: str
    author_id: int | None = Field(foreign_key="person.id")
    reason_note_id: int | None = Field(foreign_key="note.id")
    clause: str | None
    command_id: str | None = Field(index=True)
    reverts_id: int | None = Field(foreign_key="fact.id")
    replaces_id: int | None = Field(foreign_key="fact.id")
    occurred_at: datetime = Field(sa_type=UtcDateTime)
    recorded_at: datetime = Field(sa_type=UtcDateTime)


class PostRow(Row, table=True):
    __table_args__ = (UniqueConstraint("key"),)

    guild_id: int = Field(sa_type=BigInteger)
    key: str
    kind: str
    target: str
    payload: dict[str, Any] = Field(sa_type=JSON)
    state: str = Field(index=True)
    wanted: int
    sent: int
    attempts: int
    not_before: datetime | None = Field(sa_type=UtcDateTime)
    uncertain_since: datetime | None = Field(sa_type=UtcDateTime)
    tried: list[str] = Field(sa_type=JSON)
    channel_id: int | None = Field(sa_type=BigInteger)
    message_id: int | None = Field(sa_type=BigInteger, index=True)
    problem: str | None
    created_at: datetime = Field(sa_type=UtcDateTime)


class OccurrenceRow(Row, table=True):
    """Unique per edition: two servers may each run a "2023", and neither's Tuesday settles the other's."""

    __table_args__ = (UniqueConstraint("edition_id", "key"),)

    edition_id: int = Field(foreign_key="edition.id")
    key: str
    due_at: datetime = Field(sa_type=UtcDateTime)
    settled_at: datetime = Field(sa_type=UtcDateTime)
    skipped: bool


class SettingRow(Base, table=True):
    """Small things the bot remembers about itself, such as the hash of the synced command tree."""

    name: str = Field(primary_key=True)
    value: str
