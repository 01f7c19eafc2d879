"""The ten minutes of the evening of a match: absences, breaks, leaving. No downgrade: it would lose them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "timer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("agreed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("called_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("runs_from", sa.DateTime(timezone=True), nullable=True),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_timer"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_timer_match_id_match"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrant.id"], name="fk_timer_entrant_id_entrant"),
    )
    op.create_index("ix_timer_match_id", "timer", ["match_id"])
