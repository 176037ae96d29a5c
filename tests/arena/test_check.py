"""`arena bot check`: figures against the limits, what repeats a fault, an end for hopeless bots; a first bot
that is calm."""

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import engines
from arena.errors import BotError
from arena.intake import debug, trial
from arena.intake.entering import first_bot
from arena.intake.registry import check_owner
from arena.intake.source import read
from arena.jail import Limits
from arena.match import records
from arena.store import Store
from engines import registry

from .played import submitted
from .program import cli as arena


def bot(folder: Path, name: str, body: str) -> str:
    path = folder / f"{name}.py"
    path.write_text(f'GAMES = ["flip7"]\n\n\ndef act(view):\n{body}')
    return str(path)


def test_check_prints_use_against_the_limits_seed_and_opponents(tmp_path: Path) -> None:
    path = bot(tmp_path, "heavy", "    return view.legal[0]\n\n\nHELD = bytearray(60 << 20)\n")
    words = "--players 3 --deals 1 --seed 9 --bots banker,racer"
    out = arena("bot", "check", path, *words.split()).stdout
    assert "flip7, 3 players: 4 games, " in out and "seed 9, against banker,racer" in out
    cost = re.search(
        r"CPU time a decision: (\d+) us on average, loading included; 99 % took at most (\d+) us, the slowest (\d+) us\n"
        r"  CPU time a match of 64 deals: ([\d.]+) s of ([\d.]+) s",
        out,
    )
    assert cost is not None and int(cost[1]) > 0 and int(cost[2]) <= int(cost[3])
    assert float(cost[4]) < float(cost[5])
    memory = re.search(r"memory: (\d+) MiB of the 512 MiB that are allowed", out)
    assert memory is not None and 60 <= int(memory[1]) < 200


def test_an_opponent_that_forfeits_is_told_and_is_no_fault_of_the_bot(tmp_path: Path) -> None:
    mine = bot(tmp_path, "calm", "    return view.legal[0]\n")
    broken = bot(tmp_path, "broken", "    return 'fold'\n")
    options = ["--players", "2", "--deals", "2", "--bots", broken]
    done = arena("bot", "check", mine, *options)
    assert " 0 faults" in done.stdout
    # two deals from both seats; at its own table the bot meets nobody else
    assert f"flip7: games that its opponent {broken} forfeited: 4 (illegal)" in done.stderr


def test_other_tables_and_options_find_what_breaks_there_and_a_command_repeats_it(tmp_path: Path) -> None:
    body = "    print('row', *view.row)\n    return 'hit' if view.phase == 'turn' else 'save'\n"
    path = bot(tmp_path, "narrow", body)  # never gives a card: only `targeting=any` asks for that
    usual = trial.Conditions.usual("flip7")
    shown = list(usual.varied())
    game = engines.load("flip7")
    sizes = {one.players for one in shown} | {usual.players}
    assert sizes == set(range(game.min_players, game.max_players + 1))
    assert any(one.options["targeting"] == "any" for one in shown)
    done = arena("bot", "check", path, "--deals", "1", code=1)
    assert "targeting=any" in done.stderr and "illegal" in done.stderr and "| row" in done.stderr
    (again,) = re.findall(r"again, for a day: (arena replay .*--debug .*--at \d+)", done.stderr)[:1]
    words = shlex.split(again)[1:]
    repeated = arena(*words).stdout
    assert "illegal: flip7" in repeated or "which is not legal" in repeated, repeated


def test_a_hopeless_bot_is_stopped_after_its_first_match(tmp_path: Path) -> None:
    path = bot(tmp_path, "sleeper", "    import time\n    time.sleep(1e9)\n")
    quick = trial.Conditions.usual("flip7", 2)
    conditions = replace(quick, limits=Limits(sleep_s_bank=0.2))
    played: list[int] = []
    shown = trial.run(read(Path(path), own=True), conditions, trial.Trying(1, on_match=played.append))
    assert shown.stopped and played == [] and shown.faults[0].kind == "wall"
    assert "sleeper.py, line 6, in act" in shown.faults[0].text


def test_an_endless_loop_costs_a_short_check_a_part_of_a_bank_and_says_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = trial.Conditions.usual("flip7", 2)
    fast = replace(usual, limits=Limits(cpu_s_start=0.25, cpu_ms_per_decision=0.0))
    half = trial.trial_limits(fast, 0.5)
    assert half.cpu_s_bank == 5.0 == half.sleep_s_bank
    assert trial.trial_limits(fast, 1 / 64).cpu_s_bank == 3.0
    assert trial.trial_limits(fast, 1.0) == fast.limits
    monkeypatch.setattr(trial.Conditions, "usual", lambda *given: fast)
    loop = bot(tmp_path, "loop", "    while True:\n        pass\n")
    done = arena("bot", "check", loop, "--deals", "1", code=1)
    assert re.search(r"CPU time: 3\.\d s in 1 decision; then the check stopped it", done.stdout)
    assert "memory" not in done.stdout and "on average" not in done.stdout
    assert "a match's cpu_s_bank of 10 s; --deals 64 has all of it" in done.stderr
    assert "the budget is 3.250 s" in done.stderr and re.search(r"loop\.py, line [56], in act", done.stderr)
    assert "left" not in done.stderr.replace("left out", ""), "no time left for what is left out"


@pytest.mark.parametrize("name", engines.names())
def test_the_first_bot_plays_calmly_and_legally(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(first_bot("mine", name))
    assert read(path, own=True).games == (name,)
    game = engines.load(name)
    actions: list[str] = []
    for seed in range(3):
        with debug.choosers([str(path)] * game.players, name, seed) as seats:
            events = list(records.play(game, game.players, {}, seed, seats, legal=False))
        actions += [event["action"] for event in events if event["event"] == "decision"]
    loud = ("prever", "contra", "rhea", "supra", "valat", "pagat", "raise", "reject")
    assert len(actions) > 20 and not [action for action in actions if action.startswith(loud)]


def test_the_first_bot_of_julepe_puts_no_trump_of_its_six_cards_away() -> None:
    bot_of: dict[str, Any] = {}
    exec(first_bot("mine", "julepe"), bot_of)
    for seed in range(20):
        position = engines.load("julepe").position(seed)
        while (view := position.view()).phase != "down":
            position.play("in" if "in" in view.texts else "done" if "done" in view.texts else view.texts[0])
        assert not bot_of["act"](view).endswith(view.trump)


def test_a_game_without_a_first_bot_gets_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(registry.home("flip7").words, "bot")
    path = tmp_path / "mine.py"
    path.write_text(first_bot("mine", "flip7"))
    game = engines.load("flip7")
    with debug.choosers([str(path)] * 2, "flip7", 1) as seats:
        events = list(records.play(game, 2, {"goal": 30}, 1, seats, legal=True))
    decisions = [event for event in events if event["event"] == "decision"]
    assert decisions and all(event["action"] == event["legal"][0] for event in decisions)


def test_a_house_bot_of_another_game_is_refused_in_one_line() -> None:
    done = arena("trace", "flip7", "--players", "2", "--bots", "hasty", code=1)
    assert done.stderr.strip() == "arena: hasty: this bot does not play flip7: GAMES = ['taroky']"


def test_a_name_belongs_to_its_owner_and_what_was_retired_comes_back(tmp_path: Path) -> None:
    path, db = tmp_path / "mine.py", str(tmp_path / "arena.db")
    store = Store(db, create=True)
    submitted(store, path, first_bot("mine", "flip7"), "ada")
    check_owner("mine", "ada", store)
    check_owner("other", "bob", store)
    with pytest.raises(BotError, match="'mine' is a bot of ada"):
        check_owner("mine", "bob", store)
    assert "is a bot of ada" in arena("bot", "submit", str(path), "--owner", "bob", "--db", db, code=1).stderr
    arena("bot", "retire", "mine", "--db", db)
    assert store.bots.all("flip7") == []
    assert "may enter again" in arena("bot", "retire", "mine", "--undo", "--db", db).stdout
    assert [found.label for found in store.bots.all("flip7")] == ["mine@1"]
    assert "is not retired" in arena("bot", "retire", "mine", "--undo", "--db", db, code=2).stderr


@pytest.mark.parametrize(
    "words, message",
    [
        (["--level", "strikt"], "no level 'strikt'; did you mean strict?"),
        (["--bots", "racer,,banker"], "--bots 'racer,,banker' names nobody at one place"),
        (["--bots", ""], "names nobody"),
        (["--league", "flip7", "--level", "trusted"], "leave out --players, --option, --level"),
        (["--option", "targeting=maybe"], "allowed is self or any"),
    ],
)
def test_conditions_that_cannot_be_are_told_at_once(tmp_path: Path, words: list[str], message: str) -> None:
    done = arena("bot", "check", bot(tmp_path, "mine", "    return view.legal[0]\n"), *words, code=2)
    assert message in done.stderr and not done.stdout


def test_quiet_leaves_the_faults_and_hides_what_is_no_error(tmp_path: Path) -> None:
    wrong = bot(tmp_path, "wrong", "    return 'fold'\n")
    options = ["--players", "2", "--deals", "1"]
    loud, quiet = (arena(*words, "bot", "check", wrong, *options, code=1) for words in ((), ("-q",)))
    for told in (loud.stdout, quiet.stdout):  # of the third game both seats were its own
        assert "3 games, 4 decisions, 4 faults in 3 games;" in told
    told = [
        "illegal (match 1, game 1, seat 0, ",
        "flip7 has no action 'fold'",
        "again, for a day: arena replay ",
    ]
    for words in [*told, "    and 3 more like it (match "]:
        assert quiet.stderr.count(words) == 1 and words in loud.stderr


def test_exceptions_of_another_class_or_line_are_printed_in_full_too(tmp_path: Path) -> None:
    body = "    if view.points[view.seat] % 2:\n        return {}[view.phase]\n    raise ValueError(view.phase)\n"
    done = arena("bot", "check", bot(tmp_path, "wrong", body), "--players", "4", code=1)
    for error in ("KeyError", "ValueError"):
        assert done.stderr.count(f"    raised {error}: ") == 1
    assert done.stderr.count(" more like it (match ") == 2


def test_a_bot_that_is_fine_but_warned_is_called_so(tmp_path: Path) -> None:
    body = "    N[0] += 1\n    return view.legal[N[0] % len(view.legal)]\n\n\nN = [0]\n"
    path = bot(tmp_path, "counts", body)
    done = arena("bot", "check", path, "--players", "4", "--deals", "4")
    assert "flip7: keeps state between games" in done.stderr
    assert f"{path} is fine but has warnings; next: arena bot submit {path}\n" in done.stdout
