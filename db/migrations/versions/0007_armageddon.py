"""R3.16: sealed bids and throws for the armageddon game. No downgrade: it would lose them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def _sealed(table: str, *own: sa.Column[Any], unique: tuple[str, ...]) -> None:
    op.create_table(
        table,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=False),
        sa.Column("tied_at", sa.DateTime(timezone=True), nullable=False),
        *own,
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=f"fk_{table}_match_id_match"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrant.id"], name=f"fk_{table}_entrant_id_entrant"),
        sa.UniqueConstraint(*unique, name=f"uq_{table}_{'_'.join(unique)}"),
    )
    op.create_index(f"ix_{table}_match_id", table, ["match_id"])


def upgrade() -> None:
    of_a_tie = ("match_id", "entrant_id", "tied_at")
    _sealed("sealedbid", sa.Column("seconds", sa.Integer(), nullable=False), unique=of_a_tie)
    _sealed(
        "sealedthrow",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hand", sa.String(), nullable=False),
        unique=(*of_a_tie, "number"),
    )
