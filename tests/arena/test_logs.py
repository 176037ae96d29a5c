"""What bots print: by game and decision, in the store, and where they were when their time was up."""

import re

import pytest

import engines
from arena.cell import GameZygote
from arena.cell.log import split
from arena.cli.output import clean
from arena.intake.registry import house_bots
from arena.jail import Limits, Program
from arena.match.batch import play_match
from arena.match.place import PIECES
from arena.match.played import PlayedMatch
from arena.match.setup import MatchSetup
from arena.printable import printable
from leagues.secret import Secret

TALKER = b"""import gc
GAMES = ["flip7"]
print("loading, garbage is collected:", gc.isenabled())
def act(view):
    print("row", *view.row)
    view.log(view.clock.decisions, round(view.clock.per_decision, 3), 0 < view.clock.left <= view.clock.allowed)
    return view.legal[0] if view.decisions < 9 else "what?"
"""
BATCH = b"""GAMES = ["flip7"]
def act_batch(views):
    for view in views:
        view.log("points", view.points[view.seat])
    return [view.legal[-1] for view in views]
"""
LOOP = b"""GAMES = ["flip7"]
def think():
    while True:
        pass
def act(view):
    print("before the loop")
    think()
"""
SLEEP = b"""import time
GAMES = ["flip7"]
def act(view):
    time.sleep(60)
"""
FALSE_MARKS = b"""import os
GAMES = ["flip7"]
def act(view):
    os.write(1, b"\\x1e77\\nnot mine\\n\\x1e-5\\nnobody's\\n\\x1e99999999999\\n")
    return view.legal[0]
"""


def play(zygote: GameZygote, source: bytes, **limits: float) -> PlayedMatch:
    """Two games of three seats of Flip 7, in which place 0 has this source."""
    secret, game = Secret.of_seed(1), engines.load("flip7")
    random = house_bots()["random"].program
    options, seeds = game.check_options(3, {})[1], secret.deal_seeds(range(2))
    own = (1, 2, 3)
    setup = MatchSetup.of_games("flip7", seeds, (0, 1, 2), options, bot_seeds=own, limits=Limits(**limits))
    return play_match(setup, [Program("mine", {"mine.py": source}), random, random], zygote)


def test_what_a_bot_prints_is_known_by_game_and_decision_and_where_it_looped(zygote: GameZygote) -> None:
    talked = play(zygote, TALKER)
    batch = play(zygote, BATCH)
    looped = play(zygote, LOOP, cpu_s_start=0.2, cpu_s_bank=0.2)
    slept = play(zygote, SLEEP, sleep_s_bank=0.2)
    lied = play(zygote, FALSE_MARKS)
    assert talked.logs[0].game == -1 and talked.logs[0].text == "loading, garbage is collected: True\n"
    lost = {(one.game, one.decision) for one in talked.forfeits}
    assert {one.kind for one in talked.forfeits} == {"illegal"} and len(lost) == 2
    said = {(one.game, one.decision): one.text for one in talked.logs[1:]}
    assert lost <= set(said), "the decision at which it broke a rule has its log"
    assert all(text.startswith("row ") and text.endswith(" 0.05 True\n") for text in said.values())
    clocks = [int(text.splitlines()[1].split()[0]) for text in said.values()]
    assert sorted(clocks) == clocks and clocks[0] in (1, 2) and clocks[-1] == talked.decisions[0]

    assert {one.game for one in batch.logs} == {0, 1}
    assert all(one.text.startswith("points ") for one in batch.logs)

    (words,) = {one.text for one in looped.forfeits}
    assert re.search(r"it was at:\n  mine.py, line 7, in act\n  mine.py, line [34], in think\n", words)
    assert words.endswith("before the loop")
    assert looped.forfeits[0].kind == "cpu"
    assert slept.forfeits[0].kind == "wall" and "  mine.py, line 4, in act" in slept.forfeits[0].text
    assert not lied.forfeits and {one.game for one in lied.logs} <= {-1, 0, 1}


FLOOD = b"""GAMES = ["flip7"]
def act(view):
    print("x" * 700)
    return view.legal[0]
"""


def test_a_log_that_is_full_says_so_once(zygote: GameZygote) -> None:
    flooded, quiet = play(zygote, FLOOD, log_kib=1), play(zygote, FLOOD, log_kib=1024)
    texts = [one.text for one in flooded.logs]
    assert sum("this log is full: 1 KiB are kept" in text for text in texts) == 1 and "full" in texts[-1]
    assert sum(text.count("x") for text in texts) <= 1024 and not flooded.forfeits
    assert not [one for one in quiet.logs if "full" in one.text]


TREE = b"""GAMES = ["flip7"]


def act(view):
    error = ValueError()
    for _ in range(40):
        error = ExceptionGroup("", [error, error])
    raise error
"""


MANY_MARKS = b"""import os
GAMES = ["flip7"]


def act(view):
    os.write(1, b"".join(b"\\x1e%d\\n\\x01" % (i % 10) for i in range(30_000)))
    return view.legal[0]
"""


def test_a_log_of_countless_pieces_keeps_some_and_says_so_once(zygote: GameZygote) -> None:
    logs = play(zygote, MANY_MARKS, log_kib=1024).logs
    assert len(logs) <= PIECES + 2  # and that the log is full
    assert sum("is about another game too often" in one.text for one in logs) == 1


def test_a_bot_that_is_ended_outside_its_code_is_told_in_which_file_of_a_library(zygote: GameZygote) -> None:
    (words,) = {one.text for one in play(zygote, TREE, cpu_s_start=0.2, cpu_s_bank=0.2).forfeits}
    assert re.search(r"\nit was at:\n  \w+\.py, line \d+, in \S+$", words), words


def test_marks_split_a_log_and_words_before_the_first_belong_to_the_game_before() -> None:
    assert split(b"a\n\x1e3\nb\nc\n\x1e-1\nd") == ([(-1, "a\n"), (3, "b\nc\n"), (-1, "d")], -1)
    assert split(b"more", 3) == ([(3, "more")], 3)
    assert split(b"") == ([], -1)


@pytest.mark.parametrize(
    "text, safe",
    [
        ("naïve Žolíky 37\n\t", "naïve Žolíky 37\n\t"),
        ("e\u0301\u0323, q\u0300\u0300\u0300\u0300", "e\u0301\u0323, q\u0300\u0300\\u0300\\u0300"),
        ("\u3164bot\u115f", "\\u3164bot\\u115f"),
        ("\U0001d159bot", "\\U0001d159bot"),
        ("\x1b[2J\u202e\ud800", "\\x1b[2J\\u202e\\ud800"),
    ],
)
def test_what_a_stranger_writes_can_be_seen_and_stays_on_its_line(text: str, safe: str) -> None:
    assert printable(text) == safe
    assert clean(safe) == safe.replace("\n", "?").replace("\t", "?")
