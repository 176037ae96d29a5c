"""Games that are compiled while a server answers already; what needs them asks people to come back."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Collection

import engines

from ..errors import ArenaError, TooMany
from ..match.warm import is_warm, warm_up
from ..printable import Say

WAIT_S = 5.0  # until a visitor's page asks again
LOOK_S = 0.2  # between two looks at the process that compiles
COMPILE = """
import sys
from arena.jail.linux import die_with
die_with(int(sys.argv[2]))
from arena.match.warm import use_everything
use_everything(sys.argv[1])
"""


class Compiling(TooMany):
    """What was asked for needs a game that is still being compiled."""


class Warming:
    """A thread that has games compiled by processes of their own, one after the other.

    A server then answers as quickly as ever, and its memory stays flat.

    Args:
        say: hears what is compiled.
        failed: hears why a game could not be compiled.
        first: games that are compiled at once, the others when somebody asks for them; none: all at once.
    """

    def __init__(self, say: Say, failed: Say, first: Collection[str] = ()) -> None:
        self._say, self._failed = say, failed
        self._cold = [name for name in engines.names() if not is_warm(name)]
        self.due = [name for name in self._cold if name in first or not first]
        if later := [name for name in self._cold if name not in self.due]:
            say(f"compiled when somebody asks for them, as no season plays them: {', '.join(later)}")
        self._now = self._asked = ""  # what is compiled, and what was asked for last: it comes next
        self._since = 0.0  # when that was begun
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="warming", daemon=True)
        self._thread.start()

    def check(self, game: str) -> None:
        """Raise Compiling if a game cannot be played yet."""
        if game in self._cold:
            if game not in self.due:
                self.due.append(game)
            self._asked, now = game, self._now or game
            first = f"{engines.load(now).title} comes first: " if now != game else ""
            lasted = time.monotonic() - self._since if self._now else 0
            said = "is made ready once, for about a minute (longer on a busy machine)"
            raise Compiling(f"{engines.load(game).title} {said}; {first}{lasted:.0f} s so far", WAIT_S)

    def wait(self, over: threading.Event) -> None:
        """Wait until all games that are due are compiled, or the event is set."""
        while self.due and not over.wait(LOOK_S):
            pass

    def close(self) -> None:
        """End the process that compiles."""
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while self._cold and not self._over.wait(0 if self.due else LOOK_S):
            if not self.due:
                continue
            self._since, self._now = time.monotonic(), self._asked if self._asked in self.due else self.due[0]
            try:
                warm_up(self._now, self._say, self._compile)
            except (ArenaError, OSError) as error:  # who plays it compiles it then
                if not self._over.is_set():
                    self._failed(str(error))
            self._cold.remove(self._now)
            self.due.remove(self._now)
            self._now = ""

    def _compile(self, name: str) -> None:
        command = [sys.executable, "-P", "-c", COMPILE, name, str(os.getpid())]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        while process.poll() is None and not self._over.wait(LOOK_S):
            pass
        process.terminate()
        if code := process.wait():
            raise ArenaError(f"compiling {name} failed: exit code {code}")
