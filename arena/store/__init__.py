"""Store results.

`database` opens and migrates the store, `models` are its tables, `packing` turns matches into bytes. What is
read and written has a module for each family of tables. Whatever reads raises `Damaged` for a row that is not
as it was written. The store knows nothing of rules or ratings.
"""

from .analyses import AnalysisTables
from .arrays import GameTables
from .bots import BotTables
from .copies import Copies
from .database import PATIENCE_S, Database
from .leases import LeaseTables
from .matches import MatchTables
from .owners import OwnerTables
from .runs import RunTables
from .seasons import SeasonTables
from .submissions import SubmissionTables


class Store(Database):
    """An open result store (see `database.Database` for its arguments): `store.runs.find("taroky#2")`.

    Attributes:
        bots: versions of bots and their files.
        runs: runs of leagues with their stages, entrants, audits and standings.
        matches: played matches of runs, with faults and logs.
        games: all games of runs as arrays.
        analyses: what the decisions of games cost, where that was saved.
        leases: who plays a run now.
        seasons: seasons and their epochs.
        owners: who may submit bots, and what was done to them.
        submissions: bots that were sent and wait for their trial.
        whole: what is in the whole database, and copies of it.
    """

    def __init__(
        self,
        db: str | None = None,
        create: bool = False,
        patience_s: float = PATIENCE_S,
        writes: bool = False,
        copied: bool = False,
    ) -> None:
        super().__init__(db, create, patience_s, writes, copied)
        self.bots = BotTables(self)
        self.runs = RunTables(self)
        self.matches = MatchTables(self)
        self.games = GameTables(self, self.runs)
        self.analyses = AnalysisTables(self)
        self.leases = LeaseTables(self)
        self.seasons = SeasonTables(self)
        self.owners = OwnerTables(self)
        self.submissions = SubmissionTables(self)
        self.whole = Copies(self)


__all__ = ["Store"]
