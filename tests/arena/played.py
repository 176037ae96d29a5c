"""Finished runs with whole games, made without Ray: random legal moves, so that games can be watched."""

import contextlib
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import engines
from arena.cell import GameZygote
from arena.intake.registry import as_row, resolve
from arena.intake.source import read, unpack
from arena.ladder.service import new_season
from arena.match.batch import play_match
from arena.match.played import REQUEST, Forfeited, PlayedMatch
from arena.runs.open import enter, open_run, prepare
from arena.runs.stages import setups
from arena.store import Store
from arena.store.models import Bot, LeagueRun
from leagues import definition
from leagues.definition import League

BOTS = {
    "flip7": ("racer", "oddsman", "banker"),
    "julepe": ("reckoner", "thumb", "wary"),
    "taroky": ("rule", "steady", "plain"),
    "tzogous37": ("odds37", "rock37"),
    "zoliky": ("melder", "hoarder"),
}
BOT = b'"""Plays on."""\nGAMES = ["flip7"]\n\n\ndef act(view):\n    return view.legal[0]\n'
SEASON = """
epoch = "8 blocks"
versions_per_owner = 2
[[leagues]]
game = "flip7"
entrants = ["collector", "banker"]
players = 3
[leagues.options]
goal = 60
"""
# the program, whose server looks for news every quarter of a second and not after seconds
QUICK = "import sys; sys.argv = sys.argv[1:]; from arena.web import background as b; b.FRESH_S = b.LOOK_S = 0.25; "
QUICK += "from arena.__main__ import main; main()"
EVIL = '</script><img src=x onerror="document.title=1"><script>document.title=2</script>\u202e${{{alert(1)}}}'
"""What would be a script if a page made markup of it."""


def submitted(store: Store, path: Path, text: bytes | str = BOT, owner: str = "", **more: Any) -> Bot:
    """A bot in a file that was submitted and has passed a trial."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read(path, own=True)
    return store.bots.add(as_row(found, "submitted", owner, **more), found.packed).bot


def season_in(folder: Path, text: str = SEASON) -> Store:
    """A new database with the season spring."""
    (folder / "spring.toml").write_text(text)
    store = Store(str(folder / "arena.db"), create=True)
    new_season(store, folder / "spring.toml")
    return store


def opened(store: Store, name: str, deals: int = 2, seed: int = 5, **options: object) -> LeagueRun:
    """A run that waits to be played."""
    league = definition.load(name, deals=deals, seed=seed)
    league = league.changed(options=league.options | options)
    return open_run(store, prepare(store, league, enter(store, league, BOTS[name])))[0]


def play(store: Store, run: LeagueRun, lost: str = "", numbers: Sequence[int] | None = None) -> None:
    """Play all matches (or some) at random; a bot of the name `lost` forfeits its first game of each."""
    game, rng = engines.load(run.game), random.Random(run.number)
    names = [entry.bot.name for entry in store.runs.entries(run)]
    for setup in setups(store, run):
        if numbers is not None and setup.number not in numbers:
            continue
        line_up = setup.plan.line_up
        scores, moves, faults = [], [], []
        for at, (seed, places) in enumerate(zip(setup.seeds.tolist(), setup.places.tolist())):
            position, made = game.position(seed=seed, players=setup.players, **setup.options), []
            while not position.over:
                made.append(rng.choice(position.legal_numbers()))
                position.play(made[-1])
            moves.append(np.array(made, np.int16))
            scores.append(position.scores())
            for seat, place in enumerate(places):
                if at == 0 and names[line_up[place]] == lost:
                    faults.append(Forfeited(at, seat, place, 1, "exception", f"ValueError: {EVIL}"))
        seats = range(len(line_up))
        requests = [(place, *one) for one in ((9, 0.0009), (1, 0.0011)) for place in seats]
        told = {"wall_s": 1.0, "forfeits": faults, "requests": np.array(requests, REQUEST)}
        used = [0.002] * len(line_up), [10] * len(line_up)
        store.matches.add(run, [PlayedMatch.of(setup, np.array(scores), moves, *used, **told)])


def finished(store: Store, name: str, lost: str = "", **changes: object) -> LeagueRun:
    """A run that was played."""
    run = opened(store, name, **changes)
    play(store, run, lost)
    store.runs.close(run)
    return store.runs.find(run.label)


def behind_the_wall(store: Store, league: League, names: Sequence[str], zygote: GameZygote) -> None:
    """A run that these bots have played, each in its process."""
    bots = [resolve(name, league.game, store) for name in names]
    run, _ = open_run(store, prepare(store, league, bots))
    sources = [unpack(entry.bot.name, store.bots.source(entry.bot.hash)) for entry in store.runs.entries(run)]
    for setup in setups(store, run):
        store.matches.add(run, [play_match(setup, [sources[at] for at in setup.plan.line_up], zygote)])
    store.runs.close(run)


@contextlib.contextmanager
def served(db: str, folder: Path, *words: str) -> Iterator[str]:
    """A server process of its own; yields its address."""
    command = [sys.executable, "-c", QUICK, "arena", "serve", "--port", "0", "--db", db, *words]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        lines = iter(process.stderr.readline, "")
        found = (re.match(r"http://[\w.]+:\d+", line) for line in lines)
        yield next(hit[0] for hit in found if hit)
    finally:
        process.terminate()
        process.wait(120)
        process.stderr.close()
