"""Take the pictures of the five games for the docs, at three sizes: `python -m tests.arena.pictures`.

Each shows a person's turn at a table of `arena serve`, after a game that house bots have played so far.
"""

import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import engines
from arena.intake.debug import house_chooser
from arena.store import Store

from .played import BOTS, served
from .test_web import browser_of
from .test_web_access import SCREENS

FOLDER = Path(__file__).parents[2] / "docs" / "assets" / "table"
MOST_BYTES = 62_000
TURNS: dict[str, tuple[int, int, Callable[[list[str]], bool]]] = {  # players, which such turn, what is legal
    "flip7": (4, 3, lambda legal: "hit" in legal),
    "julepe": (5, 2, lambda legal: len(legal) > 1 and legal[0].startswith("play")),
    "taroky": (4, 5, lambda legal: len(legal) > 2 and legal[0].startswith("play")),
    "tzogous37": (3, 2, lambda legal: sum(one.startswith("raise") for one in legal) > 9),
    "zoliky": (3, 2, lambda legal: sum(one.startswith(("run", "set", "lay")) for one in legal) > 1),
}


def turn(name: str, seed: int) -> dict[str, Any] | None:
    """Return a table as the server writes it down, at the turn that is wanted; None: there is none."""
    game, (players, left, wanted) = engines.load(name), TURNS[name]
    bots = [BOTS[name][seat % len(BOTS[name])] for seat in range(players)]
    choosers = [house_chooser(bot, name, seat) for seat, bot in enumerate(bots)]
    position, moves = game.position(seed, players, None, False), []
    while not position.over:
        legal = position.legal_numbers()
        left -= position.seat == 0 and wanted(position.legal())
        if left == 0:
            plain = {"game": name, "options": position.options, "seed": seed, "moves": moves}
            return plain | {"seats": ["person", *bots[1:]], "keys": ["key"] + [""] * (players - 1)}
        number: Any = choosers[position.seat or 0](position) if len(legal) > 1 else legal[0]
        moves.append(game.action(number, position.options) if isinstance(number, str) else number)
        position.play(moves[-1])
    return None


def shots(browser: Any, folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the name of every picture and what the page shows, from a server in a folder."""
    from PIL import Image

    Store(str(folder / "arena.db"), create=True)
    with served(str(folder / "arena.db"), folder) as address:
        waiting = folder / "played" / "open"
        waiting.mkdir(parents=True)
        for at, name in enumerate(names):
            plain = next(filter(None, (turn(name, seed) for seed in range(1, 100))))
            (waiting / f"{at:08x}.json").write_text(json.dumps(plain), encoding="utf-8")
            page = browser.new_page(reduced_motion="reduce", color_scheme="light")
            for screen, (width, height) in SCREENS.items():
                page.set_viewport_size({"width": width, "height": height})
                page.goto(f"{address}/play/{at:08x}?{screen}#key=key")
                page.wait_for_selector(".actions button")
                page.evaluate("document.activeElement.blur()")
                yield f"{name}-{screen}", Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            page.close()


def main() -> None:
    """Take all pictures, or those of the games that are named."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, browser_of() as browser:
        for name, shot in shots(browser, Path(made), sys.argv[1:] or engines.names()):
            path = FOLDER / f"{name}.webp"
            shot.save(path, "WEBP", quality=58, method=6)
            if path.stat().st_size > MOST_BYTES:
                raise SystemExit(f"{path} has {path.stat().st_size} bytes: {MOST_BYTES} at most")


if __name__ == "__main__":
    main()
