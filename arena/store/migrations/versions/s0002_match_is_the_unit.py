"""Schema 2: one row a match instead of a row a game, sources by hash, and runs that hold all they depend on.

What schema 1 did not keep stays unknown: runs have no code identity, and an unfinished run lacks the
schedule to go on, so it becomes an aborted one. All games and forfeits are kept; tables are made anew from
them.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

GAMES_PER_MATCH = 1000  # schema 1: game number = match * 1000 + place in the match
OLD = ("bot", "league_run", "entrant", "match", "game", "forfeit", "standing")
INDEXES = (
    "ix_bot_name",
    "ix_league_run_game",
    "ix_league_run_fingerprint",
    "ix_game_match",
    "ix_forfeit_run_id",
)
BLOB, JSON, BIG, TIME = sa.LargeBinary(), sa.JSON(), sa.BigInteger(), sa.DateTime(timezone=True)


def upgrade() -> None:
    """Rename the old tables, make the new ones, copy, drop the old ones."""
    connection = op.get_bind()
    for index in (*INDEXES, "ix_standing_run_id"):
        connection.execute(sa.text(f"DROP INDEX IF EXISTS {index}"))
    for table in OLD:
        op.rename_table(table, f"{table}_1")
    _make_tables()
    _copy_bots(connection)
    _copy_runs(connection)
    for table in ("standing", "forfeit", "game", "match", "entrant", "league_run", "bot"):
        op.drop_table(f"{table}_1")
    op.drop_table("arena_schema")


def _column(name: str, kind: Any, *more: Any, key: bool = False, null: bool = False) -> sa.Column[Any]:
    return sa.Column(
        name, kind, *more, primary_key=key, nullable=null, autoincrement=False if key else "auto"
    )


def _make_tables() -> None:
    text, number, flag = sa.String(), sa.Integer(), sa.Boolean()

    def run() -> sa.ForeignKey:
        return sa.ForeignKey("league_run.id")

    op.create_table("source", _column("hash", text, key=True), _column("packed", BLOB))
    op.create_table(
        "bot",
        sa.Column("id", number, primary_key=True, nullable=False),
        *(
            _column(name, kind)
            for name, kind in (("name", text), ("version", number), ("kind", text), ("games", JSON))
        ),
        _column("title", text),
        _column("hash", text, sa.ForeignKey("source.hash")),
        *(_column(name, kind) for name, kind in (("owner", text), ("note", text), ("created", TIME))),
        _column("retired", TIME, null=True),
    )
    version, guest = sa.text("version > 0"), sa.text("version = 0")
    op.create_index(
        "one_bot_a_version",
        "bot",
        ["name", "version"],
        unique=True,
        sqlite_where=version,
        postgresql_where=version,
    )
    op.create_index(
        "one_guest_a_source", "bot", ["name", "hash"], unique=True, sqlite_where=guest, postgresql_where=guest
    )
    op.create_table(
        "league_run",
        sa.Column("id", number, primary_key=True, nullable=False),
        *(_column(name, kind) for name, kind in (("name", text), ("number", number), ("game", text))),
        *(_column(name, kind) for name, kind in (("definition", JSON), ("started", TIME))),
        *(_column(name, TIME, null=True) for name in ("finished", "aborted")),
        sa.UniqueConstraint("name", "number"),
    )
    op.create_index("ix_league_run_game", "league_run", ["game"])
    op.create_table(
        "stage",
        _column("run_id", number, run(), key=True),
        _column("number", number, key=True),
        *(_column(name, kind) for name, kind in (("kind", text), ("deals", number), ("fingerprint", text))),
        *(_column(name, text) for name in ("secret", "secret_hash", "commitment")),
        *(_column(name, kind) for name, kind in (("mixed", flag), ("code", JSON), ("schedule", BLOB))),
        *(_column(name, kind) for name, kind in (("matches", number), ("opened", TIME))),
    )
    op.create_table(
        "entrant",
        _column("run_id", number, run(), key=True),
        _column("place", number, key=True),
        _column("bot_id", number, sa.ForeignKey("bot.id")),
        *(_column(name, kind) for name, kind in (("stage", number), ("content", text))),
    )
    op.create_table(
        "match",
        _column("run_id", number, run(), key=True),
        _column("number", BIG, key=True),
        *(_column(name, kind) for name, kind in (("stage", number), ("rotation", number), ("line_up", JSON))),
        _column("games", number),
        *(_column(name, BLOB) for name in ("blocks", "places", "scores", "moves")),
        *(_column(name, JSON) for name in ("cpu_s", "decisions")),
        *(_column(name, kind) for name, kind in (("wall_s", sa.Float()), ("host", JSON), ("repeated", JSON))),
        _column("finished", TIME),
    )
    op.create_table(
        "forfeit",
        _column("run_id", number, key=True),
        _column("match", BIG, key=True),
        _column("number", number, key=True),
        *(_column(name, kind) for name, kind in (("entrant", number), ("kind", text), ("text", text))),
        *(_column(name, kind) for name, kind in (("games", number), ("seats", BLOB))),
        sa.ForeignKeyConstraint(["run_id", "match"], ["match.run_id", "match.number"], ondelete="CASCADE"),
    )
    op.create_table(
        "lease",
        _column("run_id", number, run(), key=True),
        _column("driver", text, key=True),
        *(_column(name, kind) for name, kind in (("who", text), ("shares", flag), ("heartbeat", TIME))),
    )
    op.create_table(
        "claim",
        _column("run_id", number, run(), key=True),
        _column("match", BIG, key=True),
        _column("driver", text),
    )
    op.create_table(
        "commitment",
        _column("league", text, key=True),
        *(_column(name, kind) for name, kind in (("secret", text), ("secret_hash", text), ("drawn", TIME))),
    )
    op.create_table(
        "standing",
        _column("subject", text, key=True),
        *(_column(name, kind) for name, kind in (("state", text), ("content", JSON), ("made", TIME))),
    )


# --- copying ----------------------------------------------------------------------------------------------


def _rows(connection: sa.Connection, query: str, **values: Any) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in connection.execute(sa.text(query), values)]


def _insert(connection: sa.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        columns = ", ".join(rows[0])
        values = ", ".join(f":{name}" for name in rows[0])
        connection.execute(sa.text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), rows)


def _copy_bots(connection: sa.Connection) -> None:
    bots = _rows(connection, "SELECT * FROM bot_1 ORDER BY id")
    sources = {bot["hash"]: bot["source"] for bot in bots}
    _insert(connection, "source", [{"hash": key, "packed": packed} for key, packed in sources.items()])
    seen: set[tuple[str, int]] = set()
    for bot in bots:
        del bot["source"]
        # a race of schema 1: two sources, one version
        while bot["version"] and (bot["name"], bot["version"]) in seen:
            bot["version"] += 1
        seen.add((bot["name"], bot["version"]))
    _insert(connection, "bot", [bot | {"owner": "", "note": "", "retired": None} for bot in bots])


def _copy_runs(connection: sa.Connection) -> None:
    for run in _rows(connection, "SELECT * FROM league_run_1 ORDER BY id"):
        definition = json.loads(run["definition"])
        definition.pop("entrants", None)
        definition.pop("name", None)
        aborted = None if run["finished"] else datetime.now(UTC).isoformat(sep=" ")
        row = {key: run[key] for key in ("id", "name", "number", "game", "started", "finished")}
        _insert(connection, "league_run", [row | {"definition": json.dumps(definition), "aborted": aborted}])
        matches = _rows(
            connection, "SELECT * FROM match_1 WHERE run_id = :run ORDER BY number", run=run["id"]
        )
        plan = _copy_matches(connection, run["id"], matches)
        stage = {
            "run_id": run["id"],
            "number": 0,
            "kind": "start",
            "deals": definition["deals"],
            "fingerprint": run["fingerprint"],
            "secret": run["secret"],
            "secret_hash": run["secret_hash"],
            "commitment": "",
            "mixed": False,
            "code": "{}",
            "schedule": _packed(plan),
            "matches": len(plan),
            "opened": run["started"],
        }
        _insert(connection, "stage", [stage])
        entrants = _rows(connection, "SELECT * FROM entrant_1 WHERE run_id = :run", run=run["id"])
        _insert(connection, "entrant", [entrant | {"stage": 0, "content": ""} for entrant in entrants])


def _packed(plan: list[list[int]]) -> bytes:
    """As `packing.pack_schedule` did when this step was written: rotation, first block, blocks, line-up."""
    rows = np.array(plan, "<i4") if plan else np.zeros((0, 3), "<i4")
    return zlib.compress(np.array(rows.shape, "<i4").tobytes() + rows.tobytes(), 6)


def _copy_matches(connection: sa.Connection, run: int, matches: list[dict[str, Any]]) -> list[list[int]]:
    """Copy the matches of a run with their games and forfeits; returns the schedule that they show."""
    games = defaultdict(list)
    for game in _rows(connection, "SELECT * FROM game_1 WHERE run_id = :run ORDER BY number", run=run):
        games[game["match"]].append(game)
    lost = defaultdict(list)
    for row in _rows(connection, "SELECT * FROM forfeit_1 WHERE run_id = :run ORDER BY game, seat", run=run):
        lost[row["game"] // GAMES_PER_MATCH].append(row)
    plan = []
    for match in matches:
        mine = games[match["number"]]
        line_up = json.loads(match["line_up"])
        blocks = [game["block"] for game in mine]
        plan.append([match["turn"], min(blocks, default=0), len(blocks), *line_up])
        _insert(connection, "match", [_match(match, mine, blocks)])
        _insert(connection, "forfeit", _forfeits(run, match["number"], lost[match["number"]]))
    return plan


def _match(match: dict[str, Any], games: list[dict[str, Any]], blocks: list[int]) -> dict[str, Any]:
    moves = [zlib.decompress(game["moves"]) for game in games]
    lengths = np.array([len(data) // 2 for data in moves], "<i4").tobytes()
    kept = ("run_id", "number", "line_up", "cpu_s", "decisions", "wall_s", "host", "finished")
    return {key: match[key] for key in kept} | {
        "stage": 0,
        "rotation": match["turn"],
        "games": len(games),
        "blocks": np.array(blocks, "<i4").tobytes(),
        "places": np.array([json.loads(game["places"]) for game in games], np.uint8).tobytes(),
        "scores": np.array([json.loads(game["scores"]) for game in games], "<i4").tobytes(),
        "moves": zlib.compress(lengths + b"".join(moves), 6),
        "repeated": "[]",
    }


def _forfeits(run: int, match: int, lost: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kinds: dict[tuple[int, str, str], list[list[int]]] = defaultdict(list)
    for row in lost:
        kinds[row["entrant"], row["kind"], row["text"]].append(
            [row["game"] % GAMES_PER_MATCH, row["seat"], row["decision"]]
        )
    return [
        {
            "run_id": run,
            "match": match,
            "number": number,
            "entrant": entrant,
            "kind": kind,
            "text": words,
            "games": len(seats),
            "seats": np.array(seats, "<i4").tobytes(),
        }
        for number, ((entrant, kind, words), seats) in enumerate(kinds.items())
    ]
