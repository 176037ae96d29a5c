"""The result store: `models` are its tables, `store` reads and writes them. It knows nothing of schedules or ratings."""

from .models import GAMES_PER_MATCH, Bot, Entrant, Forfeit, GameRow, LeagueRun, Match, Standing, pack_moves, unpack_moves
from .store import Store

__all__ = [
    "GAMES_PER_MATCH",
    "Bot",
    "Entrant",
    "Forfeit",
    "GameRow",
    "LeagueRun",
    "Match",
    "Standing",
    "Store",
    "pack_moves",
    "unpack_moves",
]
