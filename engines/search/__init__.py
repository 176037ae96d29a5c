"""Search in compiled code, for every game: `flat_monte_carlo` and `ismcts` choose an action for a view.

knowledge   what a game may add: a policy for playouts, candidates, where a round ends, what it is worth there
playouts    worlds dealt from a view and played on
beliefs     worlds that fit what the other seats did
flat, tree  the two searches, compiled
run         the way in from Python: settings, budgets, the choice; playouts and settings that suit each game
judge       what a decision cost, with its error

No clock but the process' own, no files, no randomness but by seed: a bot may call it in its jail.
"""

from .judge import Judgement, Verdict, judge
from .run import SearchResult, Settings, action_values, flat_monte_carlo, ismcts, preset, use_all

__all__ = [
    "Judgement",
    "SearchResult",
    "Settings",
    "Verdict",
    "action_values",
    "flat_monte_carlo",
    "ismcts",
    "judge",
    "preset",
    "use_all",
]
