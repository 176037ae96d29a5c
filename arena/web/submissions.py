"""Start what tries submissions: `arena owner try` as a process of its own, whenever something waits.

The server itself only stores what is sent. A process per bout of trials keeps the server's memory flat, and
whatever happens in a trial does not touch the server.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence

from ..errors import StoreError
from ..printable import Say
from ..store import Store

LOOK_S = 5.0
"""Without a word from this server it looks so often: another one may have stored something, or died."""
PAUSE_S = 30.0
"""After a failure of trials, such as a host without the sandbox."""


class Trials:
    """A thread that starts the process and waits for its end.

    Args:
        store: where submissions wait.
        leagues: under whose conditions bots are tried, by name or file.
        say: hears what failed.
    """

    def __init__(self, store: Store, leagues: Sequence[str], say: Say) -> None:
        self._store, self._say = store, say
        words = [word for league in leagues for word in ("--league", league)]
        self._command = [sys.executable, "-m", "arena", "owner", "try", *words]
        self._process: subprocess.Popen[bytes] | None = None
        self._sent, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="trials", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Look at once: something was sent."""
        self._sent.set()

    def stop(self) -> None:
        """End the trial that is under way; its submission waits again."""
        self._over.set()
        self._sent.set()
        if self._process is not None:
            self._process.terminate()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.is_set():
            self._sent.clear()
            try:
                failed = self._store.untaken() and self._run()
            except StoreError as error:
                failed = str(error)
            if failed:
                with contextlib.suppress(OSError):  # nobody reads it
                    self._say(f"trials of submissions: {failed}; again in {PAUSE_S:.0f} s")
                self._over.wait(PAUSE_S)
            elif not self._over.is_set():
                self._sent.wait(LOOK_S)

    def _run(self) -> str:
        """Try what waits; return what failed."""
        # by the environment: a URL may have a password in it, and everybody sees the words of a command
        environment = os.environ | {"ARENA_DB": self._store.url}
        self._process = subprocess.Popen(self._command, env=environment, stdin=subprocess.DEVNULL)
        if self._over.is_set():
            self._process.terminate()
        code = self._process.wait()
        return f"exit code {code}" if code and not self._over.is_set() else ""
