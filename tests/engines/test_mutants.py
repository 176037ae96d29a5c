"""Mistakes planted in a copy of an engine, one at a time: the laws must see them.

`python -m tests.engines.test_mutants` prints which law caught which mistake. Rules run as plain Python there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MUTANTS = {  # module, text before, text after, what it breaks
    "flip7": [
        ("rules", "== state.SEVEN", "== state.SEVEN - 1", "six cards end a round"),
        ("rules", "s.dealt < s.players", "s.dealt < s.players - 1", "the last seat gets no card"),
        (
            "rules",
            "s.turn = state.next_active(s)",
            "s.turn = (s.turn + 1) % s.players",
            "the turn goes to seats that are out",
        ),
        (
            "rules",
            "leave(s, seat, Status.STAYED)",
            "leave(s, seat, Status.FROZEN)",
            "who stays counts as frozen",
        ),
        (
            "rules",
            "    discard(s, state.SECOND_CHANCE)\n    discard(s, card)",
            "    discard(s, card)",
            "a used Second Chance is lost",
        ),
        (
            "rules",
            "not state.has_chance(s, seat):\n        bust",
            "True:\n        bust",
            "a Second Chance does not help",
        ),
        (
            "rules",
            "s.flip_left[flip] > 0 and s.left > 0",
            "s.flip_left[flip] > 1 and s.left > 0",
            "Flip Three flips two cards",
        ),
        (
            "rules",
            "s.targeting == state.ANY and s.held",
            "s.targeting == state.SELF and s.held",
            "who gave its first card away may stay",
        ),
        (
            "rules",
            "s.second_chance == state.ASK",
            "s.second_chance != state.ASK",
            "asked exactly where it should not be",
        ),
        (
            "rules",
            "s.flip_three == state.AFTER and",
            "s.flip_three == state.NOW and",
            "when the actions of a Flip Three are resolved",
        ),
        ("rules", "s.deck == state.FRESH", "s.deck == state.KEEP", "when the deck is shuffled anew"),
        (
            "rules",
            "s.total[seat] += s.last[seat]",
            "s.total[seat] = s.last[seat]",
            "totals forget earlier rounds",
        ),
        ("rules", "out[seat] = s.total[seat]", "out[seat] = s.last[seat]", "the last round is the score"),
        ("rules", "s.targeting == state.SELF or not", "not", "a surplus Second Chance is always given away"),
        ("state", "total * 2 if", "total + 2 if", "the multiplier adds two"),
        ("state", "SEVEN, BONUS = 7, 15", "SEVEN, BONUS = 7, 14", "the bonus is 14"),
        ("state", "s.tie == SHARE or leaders == 1", "s.tie == SHARE and leaders == 1", "ties at the goal"),
        ("state", "best >= s.goal", "best > s.goal", "a total equal to the goal does not end the game"),
        ("state", "0 if s.status[seat] == Status.BUSTED else held_worth", "held_worth", "busted seats score"),
        (
            "worlds",
            "    fill(s.pile, NOBODY)",
            "    fill(s.pile[: s.left - 1], NOBODY)",
            "a leak: a seat sees a card of the pile",
        ),
    ],
    "julepe": [
        ("rules", "range(25)", "range(24)", "the last hand has four cards"),
        (
            "rules",
            "s.hand[d] |= bit(cards[25])",
            "s.hand[d] |= bit(cards[26])",
            "the wrong card is turned up",
        ),
        (
            "rules",
            "s.stock[29 - k] = cards[k]",
            "s.stock[k - 26] = cards[k]",
            "leftovers lie in reverse order",
        ),
        (
            "rules",
            "s.village == state.VILALBA",
            "s.village != state.VILALBA",
            "the rule of Vilalba holds elsewhere",
        ),
        ("rules", "if must_play(s):", "if False:", "the ace of trumps binds nobody"),
        (
            "rules",
            "count(s.thrown[s.seat]) < s.left",
            "count(s.thrown[s.seat]) < 3",
            "at most three cards are exchanged",
        ),
        ("rules", "s.seat = taker", "s.seat = next_player(s, taker)", "the next seat leads after a trick"),
        ("rules", "// (parts * s.stake) * s.stake", "// parts", "amounts are no whole coins"),
        (
            "rules",
            "tricks <= TRICKS - SAFE",
            "tricks < TRICKS - SAFE",
            "a dealer with three tricks takes the house's half, too",
        ),
        ("rules", "s.nobody_safe == state.CARRY", "s.nobody_safe != state.CARRY", "the pot is not carried"),
        ("rules", "* count(losers) if", "if", "safe seats get what one loser pays"),
        (
            "rules",
            "state.tricks_won(s, p) >= SAFE",
            "state.tricks_won(s, p) > SAFE",
            "two tricks are not safe",
        ),
        ("rules", "half = coins(s, s.pot, 2)", "half = coins(s, s.pot, 3)", "a split pays thirds"),
        ("rules", "share = s.pot // SEATS", "share = 0", "the pot is not shared at the end"),
        ("rules", "if all_pay else", "if True else", "everybody pays a stake after every round"),
        ("rules", "(dealer(s) + 1) % SEATS", "(dealer(s) + 2) % SEATS", "the next dealer"),
        ("rules", "range(LEFTOVERS + 2)", "range(LEFTOVERS + 1)", "the house gets five cards"),
        (
            "rules",
            "s.seat = HOUSE if against",
            "s.seat = dealer(s) if against",
            "the dealer leads against the house",
        ),
        ("worlds", "            s.thrown[who] = 0\n", "", "a leak: thrown cards of others"),
        ("worlds", "    fill(s.stock, NOBODY)\n    for who", "    for who", "a leak: the stock"),
    ],
}


def caught_by(game: str, module: str, old: str, new: str) -> str | None:
    """Which law first failed for a copy with this mistake; None if none did."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("engines", "tests"):
            ignored = shutil.ignore_patterns("__pycache__", "arena", "attacks", "leagues", "bots")
            shutil.copytree(ROOT / name, Path(folder, name), ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", folder)
        file = Path(folder, "engines", game, f"{module}.py")
        text = file.read_text()
        assert text.count(old) == 1, f"{game}/{module}.py has not exactly once: {old}"
        file.write_text(text.replace(old, new))
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": folder}
        words = f"-m pytest -q -x -n 0 --tb=no tests/engines/test_laws.py -k {game}"
        done = subprocess.run(
            [sys.executable, *words.split()],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return (
            re.findall(rf"^FAILED .*\[{game}-(\w+)\]", done.stdout, re.MULTILINE)[0]
            if done.returncode
            else None
        )


def table(game: str) -> Iterator[tuple[str, str | None]]:
    """Every planted mistake of a game and what caught it."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        caught = pool.map(lambda mutant: caught_by(game, *mutant[:3]), MUTANTS[game])
        for (module, _, new, breaks), law in zip(MUTANTS[game], caught, strict=True):
            yield f"{module}: {breaks} ({new.strip() or 'deleted'})", law


@pytest.mark.soak
@pytest.mark.parametrize("game", MUTANTS)
def test_of_twenty_planted_mistakes_the_laws_catch_nineteen(game: str) -> None:
    module, text, *_ = MUTANTS[game][0]
    assert caught_by(game, module, text, text) is None, "a copy without a mistake fails"
    missed = [mistake for mistake, law in table(game) if law is None]
    assert len(missed) <= len(MUTANTS[game]) // 20, missed


if __name__ == "__main__":
    for game in sys.argv[1:] or MUTANTS:
        for mistake, law in table(game):
            print(game, "|", " ".join(mistake.split()), "|", law, flush=True)
