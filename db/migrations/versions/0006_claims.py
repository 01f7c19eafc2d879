"""Scores that players have claimed without games; such a report names no first game (Q22).

No downgrade: it would lose them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("report") as report:
        report.alter_column("first_game_id", existing_type=sa.String(), nullable=True)
        report.add_column(sa.Column("claimed_a", sa.Integer(), nullable=True))
        report.add_column(sa.Column("claimed_b", sa.Integer(), nullable=True))
