"""What every engine shares.

A state is one row of a NumPy structured array, an engine nine compiled functions over it.

compile     the decorators jit, entry, kernel and brief, compiled code on disk
linking     where code is optimised and becomes machine code
plain       rows as objects, also for running without the JIT
masks       card sets as int64 masks, arrays of cards
chance      shuffles and random streams
dispatch    the nine rules of a record's game, by its type; settle
loops       batches and single games: masks, steps, views, worlds, playouts
blank       fields of a row to their blanks
frame       work arrays in a compiled function's own frame
worlds      hidden cards dealt to places that may hold them
luck        what draws gave the seats of played games
text        masks and seats as text, for fields and positions
"""

from .blank import *
from .chance import *
from .compile import *
from .dispatch import *
from .frame import *
from .loops import *
from .masks import *
from .plain import *
