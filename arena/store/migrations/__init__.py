"""Older databases are brought to the present schema, step by step, by Alembic; all in the caller's
transaction.

A step is a file in `versions`. It writes its tables out and never reads `models`, which will have changed by
then.
"""

from __future__ import annotations

from importlib import resources

from sqlalchemy import Connection, text


def migrate(connection: Connection, found: str, wanted: str) -> None:
    """Bring the tables from one revision to another.

    Args:
        connection: in a writing transaction; it commits nothing itself.
        found: the revision that the tables have; "0001" has no table for it yet.
        wanted: the revision that they are to have.
    """
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    if found == "0001":
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('0001')"))
    config = Config()
    config.set_main_option("script_location", str(resources.files(__package__)))
    scripts = ScriptDirectory.from_config(config)
    steps = EnvironmentContext(
        config, scripts, fn=lambda revision, context: scripts._upgrade_revs(wanted, revision)
    )
    steps.configure(connection=connection, transactional_ddl=False)  # the transaction is the caller's
    steps.run_migrations()
