"""Schema 4: memory and sleep of bots, digests of matches and seals of runs. Older ones have none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns, empty."""
    for name in ("memory_mib", "slept_s"):
        op.add_column("match", sa.Column(name, sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("match", sa.Column("digest", sa.String(), nullable=False, server_default=""))
    op.add_column("league_run", sa.Column("seal", sa.String(), nullable=False, server_default=""))
