"""Duels: games without a league, from the command line and from Python."""

import gc
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import arena
from arena.__main__ import app
from arena.cell import GameZygote
from arena.errors import BotError, UsageError
from arena.jail import early as start
from arena.runs.duelling import Games
from engines import core
from tests.python import python


def made(
    bots: list[list[int]], scores: list[list[int]], deal: list[int], lost: tuple[int, int] | None = None
) -> Games:
    at = np.array(scores)
    broke = np.zeros(at.shape, np.bool_)
    if lost is not None:
        broke[lost] = True
    nothing = np.zeros(2)
    return Games(("a", "b"), np.array(deal), np.array(bots), at, broke, nothing, nothing.astype(np.int64))


def test_a_difference_is_by_deal_with_the_interval_of_students_t() -> None:
    games = made([[0, 1], [1, 0]] * 2, [[3, 1], [0, 2], [5, 5], [4, 2]], [0, 0, 1, 1])
    # deal 0: a has (3 + 2) / 2, b (1 + 0) / 2; deal 1: a (5 + 2) / 2, b (5 + 4) / 2. Differences 2 and -1
    mean, low, high = games.difference(0, 1)
    assert mean == 0.5
    # two deals: sd = 3 / sqrt(2), t(.975, 1) = 12.706, half width = 12.706 * 1.5
    assert (low, high) == pytest.approx((0.5 - 19.059, 0.5 + 19.059), abs=1e-3)


def test_who_breaks_a_rule_has_the_lowest_score_of_its_table() -> None:
    assert made([[0, 1]], [[9, 4]], [0], lost=(0, 0)).means == [4.0, 4.0]


def test_the_same_games_are_played_in_this_process_and_behind_the_wall() -> None:
    here, jailed = (
        arena.play(["banker", "racer"], "flip7", 6, seed=3, level=level) for level in ("trusted", "strict")
    )
    assert np.array_equal(here.scores, jailed.scores) and np.array_equal(here.bots, jailed.bots)
    assert len(set(here.deal.tolist())) == 6 and here.scores.shape[1] == 4
    seats = [(here.bots == bot).sum() for bot in (0, 1)]
    assert seats[0] == seats[1]
    other = arena.play(["banker", "racer"], "flip7", 6, seed=4, level="trusted")
    assert not np.array_equal(other.scores, here.scores)


def test_every_bot_sits_where_the_games_say() -> None:
    """A bot that breaks a rule in its first decision loses the game in its own seat, and in no other."""

    def wrong(view: object) -> str:
        return "no action"

    games = arena.play([wrong, "racer", "racer"], "flip7", 6, seed=5, players=3)
    assert len(games) == 18 and np.array_equal(games.lost, games.bots == 0)


def test_a_function_plays_as_a_bot_and_what_it_does_wrong_is_told() -> None:
    def stays(view: object) -> object:
        return view.texts[-1] if "stay" in view.texts else view.texts[0]

    def fails(view: object) -> object:
        raise ValueError("no idea")

    games = arena.play([stays, fails, "banker"], "flip7", 2, seed=1, players=3)
    assert games.names == ("stays", "fails", "banker") and "mean scores: stays" in repr(games)
    assert {bot for bot, _ in games.faults} == {1} and "no idea" in games.faults[0][1].text
    assert games.lost.sum() == len(games)


@pytest.mark.parametrize("bots, wrong", [([], UsageError), (["nobody@3"], UsageError), (["rule"], BotError)])
def test_wrong_calls_are_told(bots: list[str], wrong: type[Exception]) -> None:
    with pytest.raises(wrong):
        arena.play(bots, "flip7", 1)


def test_what_is_wrong_with_the_bots_is_said_before_anything_is_compiled(tmp_path: Path) -> None:
    environment = os.environ | {"ARENA_CACHE": str(tmp_path), "ARENA_DB": str(tmp_path / "arena.db")}
    done = python("-m", "arena", "duel", "nobody", "bankr", "--game", "flip7", env=environment)
    assert done.returncode == 2 and "no bot 'nobody'" in done.stderr and "compiling" not in done.stderr
    assert "; no bot 'bankr'; did you mean banker?" in done.stderr


def test_a_duel_prints_a_table_and_how_to_repeat_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text('GAMES = ["flip7"]\ndef act(view):\n    return view.legal[0]\n')
    words = "duel ./mine.py banker --game flip7 --deals 3 --seed 5 --level trusted"
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0 and "seed 5" in shown.stderr and "3 deals" in shown.stderr
    rows = json.loads(CliRunner().invoke(app, f"{words} --format json").stdout)
    assert [row["bot"] for row in rows] == ["./mine.py", "banker"]
    assert rows[1]["low"] < rows[1]["lead"] < rows[1]["high"]
    assert rows[1]["lead"] == pytest.approx(rows[0]["score"] - rows[1]["score"], abs=0.01)
    shown = CliRunner().invoke(app, "duel steady plain --game taroky --deals 1 --option ace_high=true")
    assert "ace_high = true" in shown.stderr and "pagat_with_valat = false" in shown.stderr


def test_in_a_terminal_of_80_columns_tables_fit_and_lines_are_broken_between_words(tmp_path: Path) -> None:
    (tmp_path / "long_name.py").write_text('GAMES = ["flip7"]\ndef act(view):\n    return view.legal[0]\n')
    for words in ("duel ./long_name.py banker --game flip7", "bot check long_name.py --players 2"):
        mine, its = os.openpty()
        command = [sys.executable, "-m", "arena", *words.split(), "--deals", "1", "--level", "trusted"]
        subprocess.run(command, cwd=tmp_path, env=os.environ | {"COLUMNS": "80"}, stdout=its, check=True)
        os.close(its)
        lines = os.read(mine, 1 << 16).decode().splitlines()
        os.close(mine)
        assert len(lines) > 3 and max(map(len, lines)) <= 80, lines


def test_the_last_words_of_a_bot_are_shown_line_by_line_without_its_control_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = 'GAMES = ["flip7"]\ndef act(view):\n    print("one\\ntwo\\x1b[31m")\n    return 1 // 0\n'
    (tmp_path / "mine.py").write_text(source)
    command = ["duel", "./mine.py", "banker", "--game", "flip7", "--deals", "1", "--seed", "5"]
    lines = CliRunner().invoke(app, command).stderr.splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("./mine.py broke a rule, exception"))
    assert lines[begin + 1] == "Traceback (most recent call last):"
    assert lines[begin + 2] == '  File "mine.py", line 4, in act'
    assert "\x1b" not in "".join(lines)
    at = lines.index("it printed: one")
    assert lines[at + 1 : at + 3] == ["two\\x1b[31m", "and 7 more like it"]  # 2 seats in each of 4 rotations


def test_ctrl_c_ends_a_duel_with_the_table_and_leaves_no_process(tmp_path: Path) -> None:
    command, pipe = "-m arena duel banker racer --game flip7 --deals 100000", subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, *command.split()], cwd=tmp_path, stdout=pipe, stderr=pipe, text=True
    )
    try:
        while "games" not in process.stderr.readline():
            assert process.poll() is None
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode == 130 and "racer" in out and "score/game" in out and "seed" in err, err
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_a_fork_server_that_was_started_before_numpy_serves_a_game_unless_it_keeps_compiled_code_elsewhere(
    tmp_path: Path,
) -> None:
    script = "import sys, arena.jail.early as s\nif server := s.early_server():\n    server.close()\nprint('numpy' in sys.modules)"
    assert python("-c", script, check=True).stdout == "False\n"
    with start.loading():
        assert not gc.isenabled()
    assert gc.isenabled()
    early = start.game_server(str(core.CACHE_FOLDER) if core.CACHE_FOLDER else None)
    with GameZygote("flip7", early=early) as zygote:
        assert zygote.pid == early.process.pid
    elsewhere = start.game_server(str(tmp_path))
    with GameZygote("flip7", tested=False, early=elsewhere) as zygote:
        assert zygote.pid != elsewhere.process.pid and elsewhere.process.poll() is not None
