"""Leagues by commands: played, shown, extended, joined, replayed. On a real Ray, with a real SQLite file."""

import csv
import io
import json
import random
import re
import sqlite3

from arena import open_store
from arena.cell.loaded import derived_seed
from leagues.secret import Secret

from .played import BOT, submitted
from .program import Arena, Head, without_clocks

BROKEN = {
    "loops": "def act(view):\n    while True:\n        pass\n",
    "raises": "def act(view):\n    raise ValueError('out of ideas')\n",
    "babbles": "def act(view):\n    return 'what?'\n",
    "crashes": "import ctypes\n\ndef act(view):\n    ctypes.string_at(0)\n",
}


def test_a_bot_written_from_the_readme_is_checked_submitted_and_rated(arena: Arena, ray_head: Head) -> None:
    arena.run("bot", "new", "my_bot", "--game", "flip7")
    assert "is fine" in arena.run("bot", "check", "my_bot.py", "--players", "4")[0]
    assert "submitted my_bot@1" in arena.run("bot", "submit", "my_bot.py")[0]
    assert "this very source already" in arena.run("bot", "submit", "my_bot.py")[0]
    assert "my_bot@1" in arena.run("bot", "show", "--game", "flip7")[0]
    out, err = arena.run("league", "run", "flip7", "--deals", "2", *ray_head)
    assert "my_bot@1" in out and "flip7#1 finished; secret" in err
    rows = arena.json("ratings", "flip7")
    columns = "bot version elo elo_low elo_high score score_low score_high games forfeits cpu_us"
    assert set(columns.split()) <= set(rows[0])
    assert "my_bot" in [row["bot"] for row in rows]
    blocks = sum(row["blocks"] for row in rows)  # 1500 is the mean of those that are well known
    assert abs(sum(row["blocks"] * row["elo"] for row in rows) / blocks - 1500) < 0.2
    table = list(csv.DictReader(io.StringIO(arena.run("ratings", "flip7", "--format", "csv")[0])))
    assert [row["bot"] for row in table] == [row["bot"] for row in rows]
    assert "flip7#1" in arena.run("league", "show")[0]
    assert "my_bot@1" in arena.run("league", "show", "flip7#1")[0]


def test_two_workers_and_a_cluster_give_one_table_that_is_played_once(arena: Arena, ray_head: Head) -> None:
    words = ["league", "run", "flip7", "--deals", "12", "--seed", "3", "--format", "json"]
    local = json.loads(arena.process(*words, "--db", "local.db", "--workers", "2")[0])
    cluster = json.loads(arena.run(*words, "--db", "cluster.db", "--workers", "1", *ray_head)[0])
    assert len(local) > 2 and without_clocks(local) == without_clocks(cluster)
    out, err = arena.run(*words, "--db", "cluster.db")
    assert "not played again" in err and json.loads(out) == cluster
    runs = arena.run("league", "show", "--db", "cluster.db")[0]
    assert "flip7#1" in runs and "flip7#2" not in runs


def test_broken_guests_lose_only_their_own_games_and_say_why(arena: Arena, ray_head: Head) -> None:
    for name, source in BROKEN.items():
        arena.write(name, source)
    league = arena.folder / "quick.toml"
    limits = "[limits]\ncpu_s_start = 0.3\ncpu_s_bank = 0.3\ncpu_ms_per_decision = 1\n"
    league.write_text(f'game = "flip7"\nplayers = 2\nentrants = ["random"]\ndeals = 2\n{limits}')
    names = ",".join(["random", *(f"./{name}.py" for name in BROKEN)])
    out, err = arena.run("league", "run", "./quick.toml", "--bots", names, *ray_head, "--format", "json")
    rows = {row["bot"]: row for row in json.loads(out)}
    assert all(rows[name]["guest"] and rows[name]["forfeits"] == rows[name]["games"] > 0 for name in BROKEN)
    assert rows["random"]["forfeits"] == 0 and rows["random"]["rank"] == 1
    kinds = {"loops": "cpu", "raises": "exception", "babbles": "illegal", "crashes": "crash"}
    for name, kind in kinds.items():
        for told in (f"forfeited .*{kind}", "breaks a rule in its trial"):
            assert re.search(rf"^{name} \(guest \w+\) {told}", err, re.MULTILINE), err
    assert "out of ideas" in err
    shown = arena.run("league", "show", "quick")[0]
    assert f"loops (guest {rows['loops']['mark']})" in shown and len(rows["loops"]["mark"]) == 6


def test_a_league_grows_by_deals_and_by_bots_and_every_game_replays(arena: Arena, ray_head: Head) -> None:
    arena.write("low", "def act(view):\n    return view.legal[0]\n")
    arena.run("league", "run", "flip7", "--bots", "random,banker", "--deals", "3", *ray_head)
    assert "flip7#1: goes on" in arena.run("league", "resume", "flip7#1", "--deals", "2", *ray_head)[1]
    err = arena.run("league", "run", "flip7", "--join", "--bots", "random,banker,./low.py", *ray_head)[1]
    assert "other bots" not in err and "flip7#1 finished" in err
    assert err.count("; secret ") == 1
    assert "; 2 secrets before it: arena league show flip7#1 --format json" in err
    shown = arena.json("league", "show", "flip7#1")
    assert [stage["kind"] for stage in shown["stages"]] == ["start", "extend", "join"]
    assert {row["bot"]: row["blocks"] for row in shown["table"]}["low"] == 3
    err = arena.run("league", "run", "flip7", "--join", "--bots", "banker,./low.py")[1]
    assert "all of these bots are in it" in err
    assert "no difference" in arena.run("league", "verify", "flip7#1", "--workers", "1")[0]
    db = arena.folder / "results" / "arena.db"
    with sqlite3.connect(db) as connection:
        (scores,) = connection.execute("SELECT scores FROM match WHERE number = 1").fetchone()
        other = bytes([scores[0] ^ 1]) + scores[1:]
        connection.execute("UPDATE match SET scores = ? WHERE number = 1", (other,))
    err = arena.run("league", "verify", "flip7#1", "--workers", "1", code=1)[1]
    assert "match 1: other scores in 1 game, the first is game 0" in err
    assert "match 1: was changed after it was stored" in err


def test_a_bot_that_loads_only_under_a_known_seed_is_refused(arena: Arena) -> None:
    secrets = [Secret.of_seed(seed) for seed in (1, 2)]
    known = {one.bot_seed(number, place) for one in secrets for number in range(9) for place in range(4)}
    first = {random.Random(derived_seed(seed, "random")).random() for seed in known}
    source = f"import random\n\nif random.random() not in {first}:\n    raise OSError('not here')\n"
    arena.write("stopper", f"{source}\n\ndef act(view):\n    return view.legal[0]\n")
    assert "import" in "".join(arena.run("bot", "submit", "./stopper.py", code=1))


def test_a_bot_that_cannot_be_loaded_is_left_out_and_the_others_play(arena: Arena, ray_head: Head) -> None:
    """It was submitted when other code was played, so nobody knows whether it passes a trial."""
    store = open_store(str(arena.folder / "results" / "arena.db"))
    source = BOT + b"raise OSError('not here')\n"
    submitted(store, arena.folder / "stopper.py", source, "ada", conditions={})
    rows, err = arena.run("league", "run", "flip7", "--deals", "2", "--format", "json", *ray_head)
    assert {row["bot"] for row in json.loads(rows)} == {"banker", "collector", "oddsman", "racer"}
    assert re.search(r"trial: \d match(es)?, [\d.]+ s of CPU time, [\d.]+ s", err)
    assert "stopper@1 is left out, it cannot be loaded: import" in err
    told = "stopper@1 was left out: it could not be loaded (import)"
    assert told in arena.run("league", "show", "flip7#1")[1]
    report = arena.json("league", "show", "flip7#1")
    assert [one["bot"] for one in report["left_out"]] == ["stopper@1"] and told in report["notes"]
    err = arena.run("bot", "show", "stopper")[1]
    assert "left out of flip7#1, it could not be loaded, import:" in err and "OSError: not here" in err
    assert "no difference" in arena.run("league", "verify", "flip7#1", "--workers", "1")[0]


HOSTILE = {
    "stopper": "import random\n\nif random.random() not in {first}:\n    raise OSError('not here')\n\n{low}",
    "holder": "import time\n\ntime.sleep(60)\n\n{low}",
    "accuser": "import time\n\nBOOT = int(time.time() - time.monotonic()) // 86_400 % 2\n\n\n"
    "def act(view):\n    return view.legal[-BOOT]\n",
}


def test_a_league_of_eight_with_three_hostile_bots_ends_by_itself(arena: Arena, ray_head: Head) -> None:
    """One cannot be loaded where it matters, one holds whoever loads it, one plays by when its machine was begun."""
    for name, source in HOSTILE.items():
        arena.write(name, source.format(first=set(), low="def act(view):\n    return view.legal[0]\n"))
    text = 'game = "flip7"\ndeals = 4\nrepeatable = true\naudit = 0.5\n'
    text += "[limits]\ncpu_s_start = 1.0\nsleep_s_bank = 0.5\n"
    (arena.folder / "eight.toml").write_text(text)
    others = "banker,oddsman,racer,collector,random"
    bots = f"{others},./stopper.py,./holder.py,./accuser.py"
    err = arena.run("league", "run", "./eight.toml", "--bots", bots, *ray_head)[1]
    assert "eight#1 finished; secret" in err
    for name in ("stopper", "holder"):
        assert re.search(rf"{name} \(guest \w+\) is left out, it cannot be loaded", err)
    report = arena.json("league", "show", "eight#1")
    assert {row["bot"] for row in report["table"]} == {*others.split(","), "accuser"}
    assert report["matches"] == report["matches_planned"] and not report["forfeits"]
    assert report["asked_again"] and not report["answered_otherwise"]


def test_a_league_with_one_bot_that_can_be_loaded_stores_nothing(arena: Arena, ray_head: Head) -> None:
    arena.write("broken", "import no_such_module\n\ndef act(view):\n    return 0\n")
    bots = ("--bots", "random,./broken.py", "--deals", "2")
    err = arena.run("league", "run", "flip7", *bots, *ray_head, code=1)[1]
    assert re.search(r"broken \(guest \w+\) is left out", err) and "no_such_module" in err
    assert "1 entrant(s) can be loaded; 2 are needed: nothing was played" in err
    assert all(row["state"] == "ready" for row in arena.json("league", "show"))


def test_a_cluster_that_lacks_what_a_league_needs_is_told_in_a_line(arena: Arena, ray_head: Head) -> None:
    text = 'game = "flip7"\nentrants = ["random", "banker"]\ndeals = 2\n'
    (arena.folder / "rich.toml").write_text(text + '[limits]\npreload = ["no_such_module"]\n')
    err = arena.run("league", "run", "./rich.toml", *ray_head, code=1)[1]
    assert "arena: no node can play: node " in err and "no_such_module" in err and "Traceback" not in err
    assert all(row["state"] == "ready" for row in arena.json("league", "show"))
