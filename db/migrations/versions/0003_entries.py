"""Whose account it is, and the check of it: proof by bio or login, other accounts; what becomes of it during the event.

No downgrade: it would lose them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("registration") as registration:
        registration.add_column(sa.Column("others", sa.JSON(), nullable=False, server_default="[]"))
        registration.alter_column("others", server_default=None)
        registration.add_column(sa.Column("code", sa.String(), nullable=False, server_default=""))
        registration.alter_column("code", server_default=None)
        registration.add_column(sa.Column("proof", sa.String(), nullable=True))
        registration.add_column(sa.Column("proven_at", sa.DateTime(timezone=True), nullable=True))
        registration.add_column(sa.Column("admin_word", sa.String(), nullable=True))
        for column in ("vouch_note_id", "admin_note_id"):
            registration.add_column(sa.Column(column, sa.Integer(), nullable=True))
            registration.create_foreign_key(f"fk_registration_{column}_note", "note", [column], ["id"])
    with op.batch_alter_table("entrant") as entrant:
        entrant.add_column(sa.Column("seeded_by", sa.JSON(), nullable=False, server_default="{}"))
        entrant.alter_column("seeded_by", server_default=None)
    with op.batch_alter_table("server") as server:
        server.add_column(sa.Column("player_role_id", sa.BigInteger(), nullable=True))
    op.create_table(
        "accountcheck",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("registration_id", sa.Integer(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("problem", sa.String(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_accountcheck"),
        sa.ForeignKeyConstraint(
            ["registration_id"], ["registration.id"], name="fk_accountcheck_registration_id_registration"
        ),
        sa.UniqueConstraint("registration_id", name="uq_accountcheck_registration_id"),
    )
    op.create_table(
        "login",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("registration_id", sa.Integer(), nullable=False),
        sa.Column("handle", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("verifier", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lichess_id", sa.String(), nullable=True),
        sa.Column("confirm", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_login"),
        sa.ForeignKeyConstraint(["registration_id"], ["registration.id"], name="fk_login_registration_id_registration"),
        sa.UniqueConstraint("state", name="uq_login_state"),
        sa.UniqueConstraint("confirm", name="uq_login_confirm"),
    )
    op.create_index("ix_login_registration_id", "login", ["registration_id"])
    op.create_table(
        "accountseen",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=False),
        sa.Column("lichess_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("marked", sa.Boolean(), nullable=False),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accountseen"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrant.id"], name="fk_accountseen_entrant_id_entrant"),
        sa.UniqueConstraint("entrant_id", "lichess_id", name="uq_accountseen_entrant_id_lichess_id"),
    )
    op.create_table(
        "memberseen",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=False),
        sa.Column("gone_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("has_role", sa.Boolean(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_memberseen"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrant.id"], name="fk_memberseen_entrant_id_entrant"),
        sa.UniqueConstraint("entrant_id", name="uq_memberseen_entrant_id"),
    )
    op.create_table(
        "accountchange",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("edition_id", sa.Integer(), nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=False),
        sa.Column("lichess_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("asked_by", sa.Integer(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("problem", sa.String(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_accountchange"),
        sa.ForeignKeyConstraint(["edition_id"], ["edition.id"], name="fk_accountchange_edition_id_edition"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrant.id"], name="fk_accountchange_entrant_id_entrant"),
        sa.ForeignKeyConstraint(["asked_by"], ["person.id"], name="fk_accountchange_asked_by_person"),
        sa.UniqueConstraint("entrant_id", "lichess_id", name="uq_accountchange_entrant_id_lichess_id"),
    )
    op.create_index("ix_accountchange_edition_id", "accountchange", ["edition_id"])
