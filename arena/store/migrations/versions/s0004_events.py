"""Schema 4: events, who hears of them, words of organisers, excluded bots, registered owners."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

WHOLE, TEXT, TIME = sa.Integer(), sa.String(), sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables, and add the columns."""
    op.create_table(
        "event",
        sa.Column("id", WHOLE, primary_key=True),
        *_columns(at=TIME, kind=TEXT, season=TEXT, league=WHOLE, owner=TEXT, text=TEXT),
    )
    op.create_table(
        "hook",
        sa.Column("id", WHOLE, primary_key=True),
        *_columns(url=TEXT, secret=TEXT, made=TIME, told=WHOLE, failed=WHOLE),
    )
    op.create_table("setting", sa.Column("key", TEXT, primary_key=True), *_columns(value=TEXT))
    op.create_index("ix_event_season", "event", ["season"])
    op.add_column("season", sa.Column("without", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("owner", sa.Column("network", TEXT, nullable=False, server_default=""))
    op.add_column("bot", sa.Column("deleted", TIME))


def _columns(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]
