"""The process boundary between a match worker and bots.

Theory of operation. Three kinds of process:

    match worker   knows everything: deals, seeds, the store. Trusted. `worker.Zygote` and `worker.BotProcess` run here
    zygote         a fresh interpreter (`exec`), one thread, with NumPy, Numba, the engines and one game's compiled rules loaded.
                   Knows nothing of a match. Its only act is to fork, and to wait for its children. `zygote`
    bot process    a fork of the zygote, one per bot and match, never shared, killed at the match's end. Gives up its rights
                   (`child`), then loads one bot and answers (`sdk`). Not trusted from the moment it loads the bot

    worker --socket (fork, reap; descriptors)--> zygote --fork--> bot process
    worker --doorbell pipe, request memory (the bot can only read it)--> bot process --reply pipe--> worker
                                                     bot process --printed text, bounded--> log (memory)

Who ends whom: the worker kills a bot by pidfd, for any fault and at the end; the zygote reaps it and tells how it ended. The
zygote ends when its socket does, so with the worker, however that dies; the kernel kills the bots when the zygote ends.

What a bot did wrong is a `Fault`: data. What the host or the harness did wrong is a `HostError`: raised, and nobody loses by it.
A bot cannot cause one: what its process says is only taken for the host's failure before the bot's code has run.
"""

from .doctor import host_facts
from .limits import Fault, FaultKind, HostError, Layer, Level, Limits
from .worker import BotProcess, Reply, Zygote

__all__ = ["BotProcess", "Fault", "FaultKind", "HostError", "Layer", "Level", "Limits", "Reply", "Zygote", "host_facts"]
