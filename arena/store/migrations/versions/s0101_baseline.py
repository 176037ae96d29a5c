"""Schema 101, the baseline: the tables of `models` in card-arena 0.1.0, which a new database gets at once.

Whoever writes the first step after it writes those tables out here, as they were then.
"""

revision = "0101"
down_revision = None


def upgrade() -> None:
    """Do nothing: no database comes from before."""
