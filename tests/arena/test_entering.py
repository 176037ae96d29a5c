"""Conditions from a league: a bot that needs what its league allows is checked, submitted, and enters that league alone."""

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

import arena
from arena.cli import bot as shown_trial
from arena.errors import BotError, UsageError
from arena.intake import entering, sent
from arena.intake.conditions import Conditions, missing
from arena.intake.sent import entered
from arena.jail import Limits
from arena.runs.open import enter, kept_out
from leagues import definition
from leagues.errors import DefinitionError

from .played import submitted

BODY = 'GAMES = ["flip7"]\n\n\ndef act(view):\n    return view.legal[0]\n'
LEAGUE = 'game = "flip7"\nplayers = 2\nentrants = ["racer", "banker"]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)
    (tmp_path / "more.toml").write_text(LEAGUE + 'deals = 4\n[limits]\npreload = ["scipy"]\n')
    (tmp_path / "plain.toml").write_text(LEAGUE)
    return tmp_path


def test_a_bot_that_needs_what_its_league_allows_is_checked_submitted_and_enters_it(folder: Path) -> None:
    (folder / "needy.py").write_text("import scipy\n" + BODY)
    store = arena.open_store("arena.db")
    assert not arena.check("needy.py", players=2, deals=1).fine
    with pytest.raises(arena.Refused, match="needy broke a rule"):
        arena.submit(store, "needy.py", deals=1)
    assert arena.check("needy.py", league="more.toml", deals=1).fine
    submitted = arena.submit(store, "needy.py", league="more.toml", deals=1)
    assert submitted.new and submitted.bot.conditions["limits"] == {"preload": ["scipy"]}
    again = arena.submit(store, "needy.py", league="more.toml", deals=1)
    assert not again.new and again.checked is None and again.bot.id == submitted.bot.id
    plain, more = definition.load("plain.toml"), definition.load("more.toml")
    assert [bot.name for bot in enter(store, more)] == ["banker", "needy", "racer"]
    assert [bot.name for bot in enter(store, plain)] == ["banker", "racer"]
    assert entered(store, submitted.bot) == "the next league of flip7 that allows preload scipy"
    (out,) = kept_out(store, plain)
    assert out == "needy@1 does not enter: it needs preload scipy, which plain does not allow"
    with pytest.raises(BotError, match="needy@1 needs preload scipy, which plain does not allow"):
        enter(store, plain, ["needy", "banker"])
    games = arena.play(["needy", "banker"], deals=1, seed=1, league="more.toml", db="arena.db")
    assert len(games) == 2 and not games.lost.any()
    with pytest.raises(BotError, match=r"needy\.py cannot be loaded"):
        arena.play(["./needy.py", "banker"], "flip7", 1, players=2)


def test_a_league_takes_the_newest_bots_of_an_owner_up_to_its_cap(folder: Path) -> None:
    store = arena.open_store("arena.db")
    for name, owner in (("one", "ann"), ("two", "ann"), ("three", "ann"), ("four", "bob")):
        submitted(store, folder / f"{name}.py", BODY + f"# {name}\n", owner)
    plain = definition.load("plain.toml")
    capped = plain.changed(bots_per_owner=2)
    assert [bot.name for bot in enter(store, capped)] == ["banker", "four", "racer", "three", "two"]
    (out,) = kept_out(store, capped)
    assert out == "one@1 of ann does not enter: plain takes 2 of each owner, the newest versions first"
    assert len(enter(store, plain)) == 6 and not list(kept_out(store, plain))
    assert "one" in [bot.name for bot in enter(store, capped, ["one", "two", "three"])]
    with pytest.raises(DefinitionError, match=r"bots_per_owner = -1: allowed is 0 \(all\) or more"):
        plain.changed(bots_per_owner=-1)


def test_a_league_takes_of_every_name_the_newest_version_that_it_allows(folder: Path) -> None:
    store, bot = arena.open_store("arena.db"), folder / "two.py"
    bot.write_text(BODY)
    arena.submit(store, bot, deals=1)
    bot.write_text("import scipy\n" + BODY)
    arena.submit(store, bot, league="more.toml", deals=1)
    plain, more = definition.load("plain.toml"), definition.load("more.toml")
    assert "two@1" in {one.label for one in enter(store, plain)}
    assert {"two@1", "two@2"} & {one.label for one in enter(store, more)} == {"two@2"}
    assert list(kept_out(store, more)) == []
    (line,) = kept_out(store, plain)
    assert line.endswith("which plain does not allow; two@1 does")
    arena.retire_bot(store, "two@2")
    assert [bot.label for bot in enter(store, more) if bot.name == "two"] == ["two@1"]
    arena.retire_bot(store, "two@2", undo=True)
    arena.retire_bot(store, "two")
    for league in (plain, more):
        assert [bot.name for bot in enter(store, league)] == ["banker", "racer"]
    assert list(kept_out(store, plain)) == []


def test_a_refused_submission_makes_no_database(folder: Path) -> None:
    (folder / "fails.py").write_text("import no_such_module\n" + BODY)
    store = arena.open_store("new/arena.db", create=False)
    with pytest.raises(arena.Refused):
        arena.submit(store, "fails.py", deals=1)
    assert not (folder / "new").exists()
    (folder / "fine.py").write_text(BODY)
    assert arena.submit(store, "fine.py", deals=1).bot.label == "fine@1"
    assert (folder / "new" / "arena.db").exists()
    assert [bot.label for bot in store.bots.all()] == ["fine@1"] and not store.empty


def test_what_a_bot_needs_is_compared_with_the_limits_of_a_league() -> None:
    usual = Conditions.usual("flip7")
    assert usual.needs == {} and missing({}, Limits()) == []
    node = usual.with_interpreters([f"node={sys.executable}"]).needs
    assert node["level"] == "strict+interpreters" and missing(node, Limits()) == ["interpreter node"]
    assert missing(node, Limits(interpreters=("node=/opt/node",))) == []
    torch = {"limits": {"preload": ["torch"], "profile": "threads"}}
    assert missing(torch, Limits()) == ["preload torch", "profile threads"]
    assert missing(torch, Limits(preload=("torch", "scipy"), profile="threads")) == []
    with pytest.raises(UsageError, match="/nowhere/node is no program on this machine"):
        usual.with_interpreters(["node=/nowhere/node"])
    with pytest.raises(UsageError, match="leave out --game"):
        Conditions.of("taroky", "flip7")
    with pytest.raises(UsageError, match="say which game"):
        Conditions.of(None)


SPIN = """import time


def spin(s):
    end = time.process_time() + s
    while time.process_time() < end:
        pass


"""


def test_a_bot_that_would_use_more_cpu_time_than_a_match_allows_is_no_success(folder: Path) -> None:
    (folder / "slow.py").write_text(SPIN + BODY.replace("    return", "    spin(0.04)\n    return"))
    checked = arena.check("slow.py", players=2, deals=1, options={"goal": "30"})
    (game,) = checked.games
    assert game.faults == [] and game.first.shares["cpu_s_match"] > 1
    assert "slow would lose by cpu" in checked.wrong and not checked.fine


def test_loading_and_a_first_call_that_compiles_are_not_taken_for_the_cost_of_a_deal(folder: Path) -> None:
    once = BODY.replace("    return", "    if WARM:\n        spin(WARM.pop())\n    return")
    (folder / "warm.py").write_text(f"{SPIN}WARM = [0.5]\nspin(0.5)\n{once}")
    first = arena.check("warm.py", players=2, deals=1, options={"goal": "30"}).games[0].first
    assert first.shares["cpu_s_match"] < 0.5 and first.match_cpu_s >= 1


def test_a_bot_that_draws_from_outside_its_seed_is_told_to_be_not_repeatable(folder: Path) -> None:
    told = []
    for place in ("os.urandom(1)[0] % len(view.legal)", "view.rng.integers(len(view.legal))"):
        (folder / "drawn.py").write_text("import os\n" + BODY.replace("[0]", f"[{place}]"))
        told.append(arena.check("drawn.py", players=4, deals=1).games[0].first.warnings)
    assert "the same match played twice differs" in told[0][-1] and told[1] == []


def test_a_bot_that_prints_too_much_is_warned_and_one_with_a_memory_a_game_is_not(folder: Path) -> None:
    head = "GAMES = ['flip7']\n"
    bots = {
        "knows": "class Bot:\n    def __init__(self, seat, seed):\n        self.n = 0\n"
        "    def act(self, view):\n        self.n += 1\n        return view.legal[self.n % len(view.legal)]\n",
        "loud": "def act(view):\n    print('x' * 9000)\n    return view.legal[0]\n",
    }
    told = {}
    for name, text in bots.items():
        (folder / f"{name}.py").write_text(head + text)
        told[name] = arena.check(f"{name}.py", players=4, deals=4).games[0].first.warnings
    assert told["knows"] == []
    (loud,) = told["loud"]
    assert loud == "prints more than the 64 KiB a match that are kept (log_kib), and printing takes time"


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("act = P", "act is a class: name it Bot"),
        ("act = P()", "act is an object of P, which cannot be called"),
        ("Bot = P()", "Bot is an object of P, which cannot be called"),
    ],
)
def test_an_object_or_a_class_in_the_wrong_place_is_told(folder: Path, end: str, said: str) -> None:
    (folder / "odd.py").write_text(f"GAMES = ['flip7']\nclass P:\n    def act(self, v): return 0\n{end}\n")
    faults = arena.check("odd.py", players=4, deals=1).games[0].faults
    assert said in faults[0][1].text


def test_a_name_that_is_taken_is_refused_before_anything_is_written_or_played(folder: Path) -> None:
    for name, said in (("rule", "house bot"), ("class", "Python language"), ("numpy", "programs import")):
        with pytest.raises(UsageError, match=said):
            arena.new_bot(name, "flip7")
    assert not list(folder.glob("*.py"))
    (folder / "racer.py").write_text(BODY)
    with pytest.raises(BotError, match="'racer' is the name of a house bot"):
        arena.check("racer.py")


@pytest.mark.parametrize("line, hint", [
    ("import helper", "make the bot a folder mine/ with __init__.py and helper.py"),
    ("from .helper import pick", "only a folder with __init__.py has modules of its own"),
    ("open('weights').read()", "a folder with __init__.py and this file"), ("return None", "has no `return`"),
    ("open('/etc/passwd')", "reads its own files and those of Python"), ("open('log', 'w')", "is in its log"),
    ("threading.Thread(target=print).start()", "one thread and one process"), ("bytearray(1 << 32)", "not enough"),
    ("socket.create_connection(('localhost', 80))", "no network"), ("input()", "nobody answers input()"),
    ("Bot()", "__init__(self, seat, seed)")])  # fmt: skip
def test_a_usual_mistake_gets_advice(line: str, hint: str, folder: Path) -> None:
    made = "class Bot:\n    act = None\n" * (line == "Bot()")
    (folder / "mine.py").write_text(
        f"import socket, threading\nGAMES = ['flip7']\n{made}def act(view):\n    {line}\n    return 0\n"
    )
    (folder / "helper.py").write_text("")
    ((_, fault), *_) = arena.check("mine.py", players=2, deals=1).games[0].faults
    assert hint in entering.advice(Path("mine.py"), fault)


def test_what_checks_and_killed_trials_left_is_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(folder))
    for name, age in (("check-old", 86_460), ("check-new", 3660), ("sent-old", 3660), ("sent-new", 60)):
        (folder / f"arena-{name}" / "bot").mkdir(parents=True)
        os.utime(folder / f"arena-{name}", (time.time() - age,) * 2)
    shown_trial._new_folder().rmdir()
    assert "File is not a zip file" in str(sent.try_here("bot.zip", b"", {}, None, 1.0))
    assert sorted(one.name for one in folder.glob("arena-*")) == ["arena-check-new", "arena-sent-new"]
