"""Store results.

`models` are the store's tables, `database` opens and migrates them, `packing` turns matches into bytes. What
is read and written is in `bots`, `runs`, `matches`, `games`, `leases`, `owners`, `submissions`, `seasons`
and `copies`. It knows nothing of rules or ratings.
"""

from .bots import BotTables
from .copies import Copies
from .games import GameTables
from .leases import LeaseTables
from .matches import MatchTables
from .owners import OwnerTables
from .seasons import SeasonTables
from .submissions import SubmissionTables


class Store(
    BotTables, GameTables, MatchTables, LeaseTables, SeasonTables, OwnerTables, SubmissionTables, Copies
):
    """An open result store (see `database.Database` for its arguments)."""


__all__ = ["Store"]
