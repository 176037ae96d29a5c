"""Laws that hold for every game, tried with random games: `arena game check NAME`, or your own tests.

What the laws must know of a game is in its module `facts`:

DRAWN       optional: values to draw an option from, by name; else all that are allowed
PLAYERS     optional: numbers of players to draw from; else all that are allowed
setups      optional: setups(rng) returns (players, options), where options depend on each other
conserved   conserved(s): assert that cards (and chips) are complete in a plain row, whatever was played
redeal      redeal(s, seat, rng): change all that the seat may not know, in place, by a list of hidden
            places (never through `determinize`); the result is a position that could be
most_decisions  most_decisions(players, options): bound on the decisions of a game
past        past(game, world): the shuffles (lists of card numbers) and the actions (numbers) that lead to
            this row (a one-row batch), read off it without the engine; None where it does not hold them.
            A list may leave out the last cards of a shuffle if nobody drew them.
            `past` may take the viewer and its earlier views of this hand, if these tell more than the row
opening     optional, opening(game, world): the row from which they lead there; None for the start of the
            game. `opening` may take these earlier views, too
Model       the rules once more: a slow second implementation (see `models`)
GAMES       optional: how many games an example of the law on models plays, if the model is very slow
TWINS       optional: options for the law of twins, if worlds leave out a past that never matters again
"""

from .check import LAWS, LawVerdict, check, hold_law, law_words
from .models import compare
from .setups import setups_of

__all__ = ["LAWS", "LawVerdict", "check", "compare", "hold_law", "law_words", "setups_of"]
