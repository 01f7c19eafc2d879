"""Muted reminders, offers that move an agreed match, notes to offers, disputes. No downgrade: it would lose them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("person") as person:
        person.add_column(sa.Column("muted", sa.JSON(), nullable=False, server_default="[]"))
        person.alter_column("muted", server_default=None)
    with op.batch_alter_table("offer") as offer:
        offer.add_column(sa.Column("chosen", sa.DateTime(timezone=True), nullable=True))
        offer.add_column(sa.Column("moves", sa.Boolean(), nullable=False, server_default=sa.false()))
        offer.alter_column("moves", server_default=None)
        offer.add_column(sa.Column("note_id", sa.Integer(), nullable=True))
        offer.create_foreign_key("fk_offer_note_id_note", "note", ["note_id"], ["id"])
    _disputes()


def _disputes() -> None:
    op.create_table(
        "dispute",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("edition_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_dispute"),
        sa.ForeignKeyConstraint(["edition_id"], ["edition.id"], name="fk_dispute_edition_id_edition"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_dispute_match_id_match"),
    )
    op.create_index("ix_dispute_edition_id", "dispute", ["edition_id"])
    op.create_index("ix_dispute_match_id", "dispute", ["match_id"])
    waiting = sa.text("outcome IS NULL")
    op.create_index(
        "uq_dispute_waiting",
        "dispute",
        ["match_id", "cause"],
        unique=True,
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
