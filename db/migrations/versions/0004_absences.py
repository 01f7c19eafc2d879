"""Absences that were reported on the evening of a match. No downgrade: it would lose them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "absence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=False),
        sa.Column("agreed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reported_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_absence"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_absence_match_id_match"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrant.id"], name="fk_absence_entrant_id_entrant"),
        sa.UniqueConstraint("match_id", "entrant_id", "agreed_at", name="uq_absence_match_id_entrant_id_agreed_at"),
    )
