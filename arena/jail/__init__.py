"""The wall around a stranger's program.

It knows nothing of games: what is played, and by which messages, is `arena.cell`'s.

Theory of operation. Three kinds of process:

    match worker   knows everything: deals, seeds, the store. Trusted. `zygote.Zygote` and `process.Process`
                   run here, `clock` and `cgroups`
    fork server    a fresh interpreter (`exec`), one thread, with all libraries loaded (`forkserver`; what it
                   loads for a game, a hook tells). Knows nothing of a match. Its only act is to fork, and to
                   wait for its children
    process        a fork of it, one per bot and match, never shared, killed at the match's end. Gives up its
                   rights (`inside`: `linux`, `namespaces`, `landlock`, `seccomp`), then runs one program,
                   whose modules and files come from memory (`imports`, `files`). Not trusted from the
                   program's first instruction on

A bot that is not Python becomes its program in that process (`execute`), once, by the worker's hand (`gate`),
and is then told lines and answers lines (`executed`).

    worker --socket (fork, reap; descriptors)--> fork server --fork--> process
    worker --orders and program (`program`), read-only memory, once--> process
    worker <--channel, a SOCK_SEQPACKET socket: one message a question, one an answer--> process
    worker --request memory, which the process can only read--> process
    process --printed text, bounded--> log (memory)

Who ends whom: the worker kills a process by pidfd, for any fault and at the end; the fork server reaps it and
tells how it ended. The fork server ends when its socket does, so with the worker, however that dies; the
kernel kills the processes when the fork server ends.

What a program did wrong is a `Fault`: data. What the host or the harness did wrong is a `HostError`: raised,
and nobody loses by it. A program cannot cause one: what its process says is only taken for the host's failure
before the program's code has run, and no process can send itself the signal SIGKILL (`Killed`). `doctor`
finds out by trying whether the wall holds here (`probe` is what it tries, `facts` what is known without).
"""

from leagues.limits import Level, Limits

from .facts import host_facts
from .outcomes import Fault, FaultKind, HostError, Killed, Layer
from .program import Program

__all__ = ["Fault", "FaultKind", "HostError", "Killed", "Layer", "Level", "Limits", "Program", "host_facts"]
