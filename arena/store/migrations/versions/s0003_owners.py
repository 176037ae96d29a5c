"""Schema 3: owners with tokens, submissions, and acts."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

WHOLE, TEXT, TIME = sa.Integer(), sa.String(), sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "owner",
        sa.Column("name", TEXT, primary_key=True),
        sa.Column("banned", TIME),
        *_columns(invited=TIME, reason=TEXT),
    )
    op.create_table("token", sa.Column("hash", TEXT, primary_key=True), _owner(), *_columns(made=TIME))
    op.create_table(
        "submission",
        sa.Column("id", WHOLE, primary_key=True),
        _owner(),
        *_columns(file=TEXT, note=TEXT, source=sa.LargeBinary(), state=TEXT, text=TEXT, tries=WHOLE),
        *_columns(driver=TEXT, sent=TIME),
        *(sa.Column(name, TIME) for name in ("heartbeat", "taken", "ended")),
        sa.Column("bot_id", WHOLE, sa.ForeignKey("bot.id")),
    )
    op.create_table(
        "act",
        sa.Column("id", WHOLE, primary_key=True),
        *_columns(at=TIME, who=TEXT, what=TEXT, owner=TEXT, text=TEXT),
    )
    for table, column in (
        ("token", "owner"),
        ("submission", "owner"),
        ("submission", "state"),
        ("act", "owner"),
    ):
        op.create_index(f"ix_{table}_{column}", table, [column])


def _columns(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


def _owner() -> sa.Column[Any]:
    return sa.Column("owner", TEXT, sa.ForeignKey("owner.name"), nullable=False)
