"""Schema 3: what bots printed is kept, by match and place. Older matches have none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table of logs."""
    op.create_table(
        "log",
        sa.Column("run_id", sa.Integer(), primary_key=True, autoincrement=False, nullable=False),
        sa.Column("match", sa.BigInteger(), primary_key=True, autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), primary_key=True, autoincrement=False, nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("lines", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["run_id", "match"], ["match.run_id", "match.number"], ondelete="CASCADE"),
    )
