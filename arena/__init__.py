"""The harness: bots in, matches in separate processes, results into a database, rating tables out.

Every command does what a function or a method of the store does, with the same defaults:

    import arena
    store = arena.open_store("results/arena.db")
    if arena.check("my_bot.py", league="taroky").fine:
        arena.submit(store, "my_bot.py", owner="ada")
    run = arena.run_league(store, "taroky")
    print(arena.rated(store, arena.pools_of(store, "taroky")[0]).rows)

They print nothing and raise `arena.errors`. A name is imported when it is used: most are heavy.

The rooms, from the command to the bot and back; below them are `leagues` (who plays whom, ratings), `engines`
(the rules) and `bots` (the house bots):

    cli      the commands: options in, tables out         jail     the sandbox around a process
    runs     a league's run: opened, played, rated        cell     what is inside it: a bot and its questions
    cluster  matches on Ray: a driver, nodes              intake   bots as files: read, tried, submitted
    match    one match in lock-step, and its record       ladder   seasons: epochs, trials
    store    the database, a class a family of tables     replay   games that were played
    people   a person at a table with bots                web      reports, the server, tables in a browser
"""

import ast
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .api import League as League
    from .api import PlayOptions as PlayOptions
    from .api import compare_bots as compare_bots
    from .api import extend_run as extend_run
    from .api import join_league as join_league
    from .api import load_league as load_league
    from .api import open_store as open_store
    from .api import ratings as ratings
    from .api import report as report
    from .api import resume_comparison as resume_comparison
    from .api import resume_run as resume_run
    from .api import run_league as run_league
    from .api import tune_bot as tune_bot
    from .api import verify as verify
    from .cell.game_zygote import examine as examine
    from .games import check_game as check_game
    from .games import list_games as list_games
    from .games import new_game as new_game
    from .games import rules_page as rules_page
    from .intake.conditions import Conditions as Conditions
    from .intake.debug import trace as trace
    from .intake.entering import Checked as Checked
    from .intake.entering import Refused as Refused
    from .intake.entering import check as check
    from .intake.entering import new_bot as new_bot
    from .intake.entering import submit as submit
    from .intake.registry import export_bot as export_bot
    from .intake.registry import find_bot as find_bot
    from .intake.registry import list_bots as list_bots
    from .intake.registry import retire_bot as retire_bot
    from .intake.sent import try_sent as try_sent
    from .ladder.service import close_season as close_season
    from .ladder.service import new_season as new_season
    from .ladder.service import pause_season as pause_season
    from .ladder.service import run_season as run_season
    from .ladder.status import season_status as season_status
    from .match.bench import bench as bench
    from .match.records import check_record as check_record
    from .people.terminal import seated as seated
    from .replay.analysis import analyse as analyse
    from .replay.debugging import debug_decision as debug_decision
    from .replay.decisions import export_decisions as export_decisions
    from .replay.listing import games_of_run as games_of_run
    from .replay.losses import best_other as best_other
    from .replay.losses import choices as choices
    from .replay.recorded import load_game as load_game
    from .runs.comparing import comparison_from as comparison_from
    from .runs.comparing import field_of_game as field_of_game
    from .runs.duelling import Games as Games
    from .runs.duelling import play as play
    from .runs.exploiting import Exploited as Exploited
    from .runs.exploiting import exploit as exploit
    from .runs.open import abort_run as abort_run
    from .runs.open import commit_league as commit_league
    from .runs.open import delete_run as delete_run
    from .runs.open import list_leagues as list_leagues
    from .runs.pools import pools_of as pools_of
    from .runs.rated import RatingView as RatingView
    from .runs.rated import rated as rated
    from .runs.rated import view_of as view_of
    from .web.client import login as login
    from .web.client import push as push
    from .web.page import write_report as write_report
    from .web.serving import serve as serve


@cache
def _places() -> dict[str, str]:
    """Return the module of every public name: what is imported above, where only types are checked."""
    typed = next(node for node in ast.parse(Path(__file__).read_bytes()).body if isinstance(node, ast.If))
    imports = [node for node in typed.body if isinstance(node, ast.ImportFrom)]
    return {node.names[0].name: f"arena.{node.module}" for node in imports}


__all__ = sorted(_places())  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Import a public name from the module that has it."""
    if name in _places():
        return getattr(import_module(_places()[name]), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def _check_siblings() -> None:
    """Refuse to work with a package of somebody else's that has the name of one of ours.

    Raises:
        ImportError: names both places. As a program it prints one line and exits.
    """
    root = Path(__file__).resolve().parents[1]
    for name in ("bots", "engines", "leagues"):
        spec = find_spec(name)
        places = [] if spec is None else list(spec.submodule_search_locations or [str(spec.origin)])
        if not places or root / name in [Path(place).resolve() for place in places]:
            continue
        told = (
            f"Python finds the package {name!r} in {places[0]}, but that of card-arena is {root / name}: "
            "rename yours, or run from another folder"
        )
        if sys.argv[0] == "-m" or Path(sys.argv[0]).name == "arena":
            raise SystemExit(f"arena: {told}")
        raise ImportError(told)


_check_siblings()
