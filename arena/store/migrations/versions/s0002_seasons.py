"""Schema 2: seasons and their epochs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the two tables."""
    op.create_table(
        "season",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("opened", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "epoch",
        sa.Column("season", sa.String(), sa.ForeignKey("season.name"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("league", "blocks", "newcomer_blocks")),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("league_run.id"), nullable=False, unique=True),
    )
