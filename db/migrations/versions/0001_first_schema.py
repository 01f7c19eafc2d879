"""The first schema. No downgrade: it would delete the ledger.

Written out here and not taken from `db.tables`, which moves on while a landed migration stays as it is.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _bot()
    _people()
    _editions()
    _registrations()
    _rounds()
    _matches()
    _negotiation()
    _ledger()
    dialect = op.get_bind().dialect.name
    for statement in _SQLITE_TRIGGERS if dialect == "sqlite" else _POSTGRESQL_TRIGGERS:
        op.execute(statement)


def _bot() -> None:
    op.create_table("setting", _text("name"), _text("value"), _pk("setting", "name"))
    _create(
        "server",
        _discord("guild_id"),
        _discord("td_role_id", null=True),
        _json("channels"),
        _unique("server", "guild_id"),
    )
    _create(
        "post",
        _discord("guild_id"),
        *(_text(name) for name in ("key", "kind", "target")),
        _json("payload"),
        _text("state"),
        *(_number(name) for name in ("wanted", "sent", "attempts")),
        *(_moment(name, null=True) for name in ("not_before", "uncertain_since")),
        _json("tried"),
        _discord("channel_id", null=True),
        _discord("message_id", null=True),
        _text("problem", null=True),
        _moment("created_at"),
        _unique("post", "key"),
    )
    _index("post", "state")
    _index("post", "message_id")


def _people() -> None:
    _create(
        "person",
        _discord("discord_id", null=True),
        _text("name"),
        _text("timezone", null=True),
        _unique("person", "discord_id"),
    )


def _editions() -> None:
    _create(
        "edition",
        _discord("guild_id"),
        *(_text(name) for name in ("key", "title", "ruleset")),
        sa.Column("starts", sa.Date(), nullable=False),
        _text("state"),
        _moment("created_at"),
        _unique("edition", "guild_id", "key"),
    )
    _create(
        "note",
        *_reference("note", "edition_id", "edition"),
        *_reference("note", "author_id", "person", null=True),
        _text("text"),
        _moment("made_at"),
    )
    _index("note", "edition_id")
    _index("note", "author_id")
    _create(
        "occurrence",
        *_reference("occurrence", "edition_id", "edition"),
        _text("key"),
        _moment("due_at"),
        _moment("settled_at"),
        sa.Column("skipped", sa.Boolean(), nullable=False),
        _unique("occurrence", "edition_id", "key"),
    )


def _registrations() -> None:
    _create(
        "registration",
        *_reference("registration", "edition_id", "edition"),
        *_reference("registration", "person_id", "person"),
        *(_text(name) for name in ("lichess_id", "lichess_name", "state")),
        *(_number(name, null=True) for name in ("rating", "games")),
        _json("flags"),
        _moment("created_at"),
        _moment("decided_at", null=True),
        *_reference("registration", "decided_by", "person", null=True),
        *_reference("registration", "reason_note_id", "note", null=True),
    )
    _index("registration", "edition_id", "state")
    _index("registration", "person_id")
    live = sa.text("state IN ('pending', 'approved')")
    for column in ("lichess_id", "person_id"):
        op.create_index(
            f"uq_registration_live_{column}",
            "registration",
            ["edition_id", column],
            unique=True,
            sqlite_where=live,
            postgresql_where=live,
        )
    _create(
        "entrant",
        *_reference("entrant", "edition_id", "edition"),
        *_reference("entrant", "person_id", "person"),
        *(_text(name) for name in ("lichess_id", "name")),
        _number("seed"),
        *(_number(name, null=True) for name in ("rating", "games")),
        *(_unique("entrant", "edition_id", column) for column in ("person_id", "lichess_id", "seed")),
    )
    _index("entrant", "person_id")


def _rounds() -> None:
    _create(
        "round",
        *_reference("round", "edition_id", "edition"),
        _text("stage"),
        _number("number"),
        *(_moment(name) for name in ("published_at", "offers_by", "matches_by")),
        _unique("round", "edition_id", "stage", "number"),
    )


def _matches() -> None:
    """`match` and `offer` name each other: PostgreSQL gets the second foreign key when both are there."""
    _create(
        "match",
        *_reference("match", "edition_id", "edition"),
        *_reference("match", "round_id", "round"),
        _number("board"),
        *_reference("match", "a_id", "entrant"),
        *_reference("match", "b_id", "entrant"),
        _moment("agreed_at", null=True),
        *_reference("match", "agreed_offer_id", "offer", null=True, use_alter=True),
        _discord("thread_id", null=True),
        _unique("match", "round_id", "board"),
    )
    for column in ("edition_id", "a_id", "b_id", "thread_id"):
        _index("match", column)


def _negotiation() -> None:
    _create(
        "offer",
        *_reference("offer", "match_id", "match"),
        *_reference("offer", "entrant_id", "entrant"),
        _moment("starts_at"),
        _moment("ends_at", null=True),
        _moment("made_at"),
        _text("state"),
        _moment("changed_at", null=True),
    )
    _index("offer", "match_id")
    if op.get_bind().dialect.name != "sqlite":
        op.create_foreign_key("fk_match_agreed_offer_id_offer", "match", "offer", ["agreed_offer_id"], ["id"])
    _create(
        "report",
        *_reference("report", "match_id", "match"),
        *_reference("report", "entrant_id", "entrant"),
        _text("first_game_id"),
        _moment("made_at"),
        _unique("report", "match_id", "entrant_id"),
    )
    _create(
        "gameline",
        *_reference("gameline", "match_id", "match"),
        *(_text(name) for name in ("game_id", "line")),
        _moment("received_at"),
        _unique("gameline", "match_id", "game_id"),
    )
    _index("gameline", "match_id")


def _ledger() -> None:
    _create(
        "fact",
        *_reference("fact", "edition_id", "edition"),
        _text("kind"),
        _json("payload"),
        _text("authority"),
        *_reference("fact", "author_id", "person", null=True),
        *_reference("fact", "reason_note_id", "note", null=True),
        *(_text(name, null=True) for name in ("clause", "command_id")),
        *_reference("fact", "reverts_id", "fact", null=True),
        *_reference("fact", "replaces_id", "fact", null=True),
        _moment("occurred_at"),
        _moment("recorded_at"),
    )
    _index("fact", "edition_id", "id")
    _index("fact", "command_id")


_SQLITE_TRIGGERS = (
    "CREATE TRIGGER fact_no_update BEFORE UPDATE ON fact BEGIN SELECT RAISE(ABORT, 'facts are never updated'); END",
    "CREATE TRIGGER fact_no_delete BEFORE DELETE ON fact BEGIN SELECT RAISE(ABORT, 'facts are never deleted'); END",
    # INSERT OR REPLACE deletes the old row without asking the trigger above
    "CREATE TRIGGER fact_no_replace BEFORE INSERT ON fact WHEN EXISTS (SELECT 1 FROM fact WHERE id = NEW.id) "
    "BEGIN SELECT RAISE(ABORT, 'facts are never replaced'); END",
)
_POSTGRESQL_TRIGGERS = (
    "CREATE FUNCTION refuse_fact_change() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'facts are never updated or deleted'; END $$",
    "CREATE TRIGGER fact_no_change BEFORE UPDATE OR DELETE ON fact FOR EACH ROW EXECUTE FUNCTION refuse_fact_change()",
    "CREATE TRIGGER fact_no_truncate BEFORE TRUNCATE ON fact FOR EACH STATEMENT EXECUTE FUNCTION refuse_fact_change()",
)


def _create(table: str, *parts: Any) -> None:
    op.create_table(table, sa.Column("id", sa.Integer(), nullable=False), _pk(table, "id"), *parts)


def _pk(table: str, column: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(column, name=f"pk_{table}")


def _unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=f"uq_{table}_{'_'.join(columns)}")


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


def _reference(table: str, column: str, other: str, null: bool = False, use_alter: bool = False) -> tuple[Any, ...]:
    name = f"fk_{table}_{column}_{other}"
    foreign_key = sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, use_alter=use_alter)
    return _number(column, null), foreign_key


def _number(name: str, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=null)


def _discord(name: str, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), nullable=null)


def _text(name: str, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.String(), nullable=null)


def _json(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON(), nullable=False)


def _moment(name: str, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=null)
