"""Schema 5: CPU time per decision is kept as a histogram. Older matches have none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column, empty."""
    op.add_column("match", sa.Column("cpu_buckets", sa.LargeBinary(), nullable=True))
