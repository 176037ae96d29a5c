"""Schema 5: owners have hooks of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column."""
    op.add_column("hook", sa.Column("owner", sa.String(), nullable=False, server_default=""))
