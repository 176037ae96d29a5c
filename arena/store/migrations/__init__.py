"""The schema of the store, step by step, by Alembic: from the baseline to what `models` declares.

An empty database gets the tables of `models` at once (`make`): Alembic and its steps would take longer than
many a command. A step is a file in `versions`. It writes its tables out and never reads `models`, which will
have changed by then. A step that ends or loses something calls `tell` with a line that names it.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, MetaData, inspect, text

FOLDER = Path(__file__).parent
VERSION = (  # as Alembic makes it
    "CREATE TABLE alembic_version"
    " (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)


def revisions() -> list[str]:
    """All schemas that there are, oldest first: by the names of the steps, since Alembic loads slowly."""
    return sorted(path.name[1:5] for path in (FOLDER / "versions").glob("s[0-9]*.py"))


def reader(schema: str, connection: Connection) -> str:
    """Return the last commit that reads a schema of before the baseline; its number may have two meanings."""
    newer = inspect(connection).has_table("left_out")
    return {"0100": "603af327"}.get(schema, "c3c3c403" if newer else "5f3dd01b")


def make(connection: Connection, tables: MetaData) -> None:
    """Make the tables of the newest schema in an empty database.

    Args:
        connection: in a writing transaction; nothing is committed here.
        tables: as `models` declares them.
    """
    tables.create_all(connection, checkfirst=False)
    connection.execute(text(VERSION))
    connection.execute(text("INSERT INTO alembic_version VALUES (:newest)"), {"newest": revisions()[-1]})


def migrate(connection: Connection) -> list[str]:
    """Bring the tables to the newest schema, from whichever they have.

    Args:
        connection: in a writing transaction; nothing is committed here.

    Returns:
        What the steps end or lose, a line each.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    told: list[str] = []
    config.attributes.update(connection=connection, told=told)
    command.upgrade(config, "head")
    return told


def tell(line: str) -> None:
    """Have a line printed when the migration is done. Steps call it."""
    from alembic import op

    config = op.get_context().config
    assert config is not None
    config.attributes["told"].append(line)
