"""How long a game at the web table takes a new user, by the clock: `python -m tests.arena.trial [GAME...]`.

From the first page on a script clicks *Play*, the game and *Sit down*. At every turn it looks for a moment, asks
for a hint, looks again, and plays it by `Enter`. A person reads, so this is a lower bound. The games run at
the same time, each in a window of its own, as several people would play.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import engines
from arena.store import Store

from .played import served
from .test_web import browser_of

LOOK_S, READ_S = 0.8, 0.5  # before a hint, and before it is played
AGAIN_S = 5.0  # after which what had no effect is done again
TURN = "#scores, .stage[data-last=yes] ~ .side .actions button"


@dataclass
class User:
    """A person's window, what it waits for, and what was done there."""

    name: str
    page: Any
    begun: float = field(default_factory=time.monotonic)
    seated: float = 0.0
    ready: float = 0.0  # when something is done next
    asked: float = 0.0  # when a hint was asked for; a page that is busy does not hear it
    read: bool = False
    frame: str | None = None  # the position in which something was played last, and when
    played: float = 0.0
    turns: int = 0
    acts: int = 0
    ended: float = 0.0

    def sit(self, address: str) -> None:
        """Go from the first page to a table."""
        self.page.goto(address)
        self.page.wait_for_selector("main[data-ready]")
        self.page.click(f'a[href="/play#game={self.name}"]')
        self.page.get_by_role("button", name="Sit down").click()
        self.page.wait_for_selector(TURN, timeout=300_000)
        self.acts, self.seated = 2, time.monotonic()

    def step(self) -> None:
        """Do what is due, if anything is."""
        now = time.monotonic()
        if self.ended or now < self.ready or not self.page.locator(TURN).count():
            return
        frame = self.page.locator(".stage").get_attribute("data-frame")
        if self.page.locator("#scores").count():
            self.ended = now
        elif frame == self.frame and now < self.played + AGAIN_S:
            return
        elif not self.ready:
            self.ready = now + LOOK_S
        elif self.page.locator("#hint").count() and not self.page.locator("#hinted:not(:empty)").count():
            if now > self.asked + AGAIN_S:
                self.page.keyboard.press("h")
                self.asked, self.acts = now, self.acts + 1
        elif self.asked and not self.read:
            self.read = True
            self.ready = now + READ_S
        else:
            self.page.keyboard.press("Enter")
            self.asked, self.ready, self.read = 0.0, 0.0, False
            self.frame, self.played = frame, now
            self.turns, self.acts = self.turns + 1, self.acts + 1


def main() -> None:
    """Play the games that are named, or all, and print the table."""
    with tempfile.TemporaryDirectory() as folder, browser_of() as browser:
        db = str(Path(folder) / "arena.db")
        Store(db, create=True)
        with served(db, Path(folder)) as address:
            users = []
            for name in sys.argv[1:] or engines.names():
                context = browser.new_context(viewport={"width": 1280, "height": 720})
                users.append(User(name, context.new_page()))
                users[-1].sit(address)
            while not all(one.ended for one in users):
                for one in users:
                    one.step()
                time.sleep(0.05)
            print(f"{'game':<12} {'minutes':>8} {'until seated':>13} {'turns':>6} {'clicks and keys':>16}")
            for one in users:
                print(
                    f"{one.name:<12} {(one.ended - one.begun) / 60:8.1f} {(one.seated - one.begun) / 60:13.1f}"
                    f" {one.turns:6} {one.acts:16}"
                )


if __name__ == "__main__":
    main()
