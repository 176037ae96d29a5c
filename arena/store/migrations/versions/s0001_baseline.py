"""Schema 1, of card-arena 0.1.0: the baseline, from which all databases start."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

WHOLE, BIG, TEXT = sa.Integer(), sa.BigInteger(), sa.String()
BLOB, JSON, TIME = sa.LargeBinary(), sa.JSON(), sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    _bots()
    _runs()
    _matches()
    _drivers()
    op.create_table(
        "standing", _key("subject", TEXT), *_columns(state=TEXT, content=JSON, made=TIME)
    )  # fmt: skip


def _bots() -> None:
    op.create_table("source", _key("hash", TEXT), *_columns(packed=BLOB))
    op.create_table(
        "bot",
        sa.Column("id", WHOLE, primary_key=True),
        *_columns(name=TEXT, version=WHOLE, kind=TEXT, games=JSON, title=TEXT),
        sa.Column("hash", TEXT, sa.ForeignKey("source.hash"), nullable=False),
        *_columns(owner=TEXT, note=TEXT, conditions=JSON, created=TIME),
        sa.Column("retired", TIME),
    )
    for name, columns, where in (
        ("one_bot_a_version", ["name", "version"], sa.text("version > 0")),
        ("one_guest_a_source", ["name", "hash"], sa.text("version = 0")),
    ):
        op.create_index(name, "bot", columns, unique=True, sqlite_where=where, postgresql_where=where)


def _runs() -> None:
    op.create_table(
        "league_run",
        sa.Column("id", WHOLE, primary_key=True),
        *_columns(name=TEXT, number=WHOLE, game=TEXT, definition=JSON, started=TIME),
        sa.Column("finished", TIME),
        sa.Column("aborted", TIME),
        *_columns(seal=TEXT),
        sa.UniqueConstraint("name", "number"),
    )
    op.create_index("ix_league_run_game", "league_run", ["game"])
    op.create_table(
        "stage",
        *_of_a_run(number=WHOLE),
        *_columns(kind=TEXT, deals=WHOLE, fingerprint=TEXT, secret=TEXT, secret_hash=TEXT, commitment=TEXT),
        *_columns(mixed=sa.Boolean(), code=JSON, schedule=BLOB, matches=WHOLE, opened=TIME),
    )
    op.create_table(
        "entrant",
        *_of_a_run(place=WHOLE),
        sa.Column("bot_id", WHOLE, sa.ForeignKey("bot.id"), nullable=False),
        *_columns(stage=WHOLE, content=TEXT),
    )
    op.create_table(
        "left_out",
        *_of_a_run(),
        _key("bot_id", WHOLE, sa.ForeignKey("bot.id")),
        *_columns(kind=TEXT, text=TEXT, at=TIME),
    )
    op.create_table(
        "commitment", _key("league", TEXT), *_columns(secret=TEXT, secret_hash=TEXT, drawn=TIME)
    )  # fmt: skip


def _matches() -> None:
    op.create_table(
        "match",
        *_of_a_run(number=BIG),
        *_columns(stage=WHOLE, rotation=WHOLE, line_up=JSON, games=WHOLE),
        *_columns(blocks=BLOB, places=BLOB, scores=BLOB, moves=BLOB),
        *_columns(cpu_s=JSON, cpu_buckets=BLOB, decisions=JSON, memory_mib=JSON, slept_s=JSON),
        *_columns(wall_s=sa.Float(), host=JSON, repeated=JSON),
        sa.Column("recheck", TEXT),
        *_columns(recheck_nodes=JSON, recheck_blamed=TEXT, games_sha256=TEXT, digest=TEXT, finished=TIME),
    )
    match = ["run_id", "match"], ["match.run_id", "match.number"]
    for name, number, values in (
        ("forfeit", "number", _columns(entrant=WHOLE, kind=TEXT, text=TEXT, games=WHOLE, seats=BLOB)),
        ("log", "place", _columns(entrant=WHOLE, lines=BLOB)),
        (
            "audit",
            "place",
            _columns(entrant=WHOLE, decisions=WHOLE, game=WHOLE, seat=WHOLE, decision=WHOLE)
            + _columns(view=TEXT, then=TEXT, now=TEXT),
        ),
    ):
        op.create_table(
            name,
            _key("run_id", WHOLE), _key("match", BIG), _key(number, WHOLE),
            *values,
            sa.ForeignKeyConstraint(*match, ondelete="CASCADE"),
        )  # fmt: skip


def _drivers() -> None:
    op.create_table(
        "lease", *_of_a_run(driver=TEXT), *_columns(who=TEXT, shares=sa.Boolean(), heartbeat=TIME)
    )  # fmt: skip
    op.create_table("claim", *_of_a_run(match=BIG), *_columns(driver=TEXT))


def _columns(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


def _key(name: str, kind: Any, *more: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, *more, primary_key=True, autoincrement=False)


def _of_a_run(**second: Any) -> list[sa.Column[Any]]:
    """Return the key of a table whose rows belong to a run."""
    return [
        _key("run_id", WHOLE, sa.ForeignKey("league_run.id")),
        *(_key(*column) for column in second.items()),
    ]
