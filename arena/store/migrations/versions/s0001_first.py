"""Schema 1: one row a game. It was made before there were migrations, so there is nothing to do here."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Nothing: databases of schema 1 are there already."""
