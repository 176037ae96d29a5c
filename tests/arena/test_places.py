"""Where results are, whole databases, and small things of the command line."""

import csv
import io
import json
import pwd
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engines
from arena import __version__, places
from arena.cell.loaded import Player
from arena.errors import UsageError
from arena.intake import registry
from arena.intake.debug import own_module
from arena.match.here import play_here
from arena.match.played import Forfeited
from arena.replay import decisions
from arena.replay.decisions import decisions_of
from arena.replay.recorded import stored
from arena.runs.open import open_run, prepare
from arena.runs.stages import setups
from arena.runs.verify import verify
from arena.store import Store
from leagues import definition

from .program import cli as arena


def with_run(path: Path, seed: int, deals: int = 2) -> Store:
    """A database with a small finished run of house bots."""
    store = Store(str(path), create=True)
    league = definition.load("flip7", deals=deals, seed=seed)
    names = ["banker", "oddsman", "racer", "random"]
    bots = [registry.resolve(name, "flip7", store) for name in names]
    run, _ = open_run(store, prepare(store, league, bots))
    labels = [entry.bot.name for entry in store.runs.entries(run)]
    for setup in setups(store, run):
        players = [
            Player(own_module(labels[place], "flip7"), engines.load("flip7"), own, print)
            for place, own in zip(setup.plan.line_up, setup.bot_seeds)
        ]
        store.matches.add(run, [play_here(setup, players)])
    store.runs.close(run)
    return store


def test_outside_a_checkout_a_user_has_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    mine = tmp_path / "data" / "card-arena" / "arena.db"
    assert f"database: {mine} (there is none yet)" in arena("bot", "show", "--game", "flip7").stderr
    assert not mine.exists()
    done = arena("league", "commit", "flip7")
    assert f"results are kept in {mine} from now on" in done.stderr and mine.is_file()
    assert f"database: {mine}" in arena("league", "show").stderr
    (tmp_path / "folder" / "results").mkdir()  # somebody else's
    assert f"database: {mine}" in arena("league", "show").stderr
    arena("db", "backup", "results/arena.db")
    assert arena("league", "show").stderr == ""  # from now on it is ours
    assert f"database: {tmp_path / 'x.db'}" in arena("league", "show", "--db", str(tmp_path / "x.db")).stderr


def test_a_user_without_a_home_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)  # as for a user without an entry in /etc/passwd

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("HOME", "XDG_DATA_HOME", "ARENA_DB"):
        monkeypatch.delenv(name, raising=False)
    assert "arena play flip7" in arena().output  # whoever has nothing yet is told what to begin with
    for words in (["league", "show"], ["ratings", "flip7"]):
        done = arena(*words, code=2)
        assert "this user has no home folder for results: set HOME or XDG_DATA_HOME" in done.stderr
    assert "(there is none yet)" in arena("league", "show", "--db", "here.db").stderr


def test_a_folder_in_a_checkout_has_its_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "card-arena"\n')
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    arena("league", "commit", "flip7")
    assert (tmp_path / "results" / "arena.db").is_file()


def test_a_backup_is_whole_and_merging_brings_in_what_is_missing(tmp_path: Path) -> None:
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    first, second = with_run(one, 1), with_run(other, 2)
    copy = tmp_path / "copy.db"
    arena("db", "backup", str(copy), "--db", str(one))
    assert "is there already" in arena("db", "backup", str(copy), "--db", str(one), code=2).stderr
    place = {"database": "", "bytes": 0}
    assert Store(str(copy)).whole.facts() | place == first.whole.facts() | place
    assert "added 1 run: flip7#2" in arena("db", "merge", str(other), "--db", str(copy)).stdout
    merged = Store(str(copy))
    assert merged.whole.facts()["games"] == first.whole.facts()["games"] + second.whole.facts()["games"] > 0
    run = merged.runs.find("flip7#2")
    clocks = [match.requests.tolist() for match in merged.matches.all(run)]
    assert clocks and all(clocks)
    found = verify(merged, run, workers=1)
    assert found.differences == [] and found.games == second.whole.facts()["games"]
    again = arena("db", "merge", str(other), "--db", str(copy))
    assert "added 0 runs" in again.stdout and "it is here already" in again.stderr
    facts = json.loads(arena("db", "info", "--format", "json", "--db", str(copy)).stdout)
    assert (facts["runs"], facts["bots"]) == (2, 4)
    error = arena("db", "merge", str(tmp_path / "none.db"), "--db", str(copy), code=2).stderr
    assert "no such database" in error


def test_games_are_exported_a_row_for_every_seat(tmp_path: Path) -> None:
    store = with_run(tmp_path / "one.db", 1)
    rows = list(csv.DictReader(io.StringIO(arena("db", "export", "--db", str(tmp_path / "one.db")).stdout)))
    assert len(rows) == 4 * store.whole.facts()["games"]
    played = store.games.of_runs([store.runs.find("flip7")])[0]
    assert sum(int(row["score"]) for row in rows) == played.score.sum()
    lines = arena("db", "export", "--format", "jsonl", "--db", str(tmp_path / "one.db")).stdout.splitlines()
    row = json.loads(lines[5])
    assert row["names"][row["seat"]] == row["bot"] and row["scores"][row["seat"]] == row["score"]


def replayed_decisions(store: Store) -> list[tuple[list[float], list[int], int, int, int, str, int, int]]:
    """All decisions of flip7#1, one game at a time by another way: positions and views."""
    run, rows = store.runs.find("flip7"), []
    for match in store.matches.all(run):
        for at in range(len(match.blocks)):
            game = stored(store, f"{run.label}/{match.number * 1000 + at}")
            for made, position in enumerate(game.positions()):
                legal = position.legal_numbers()
                if position.seat is not None and len(legal) > 1:
                    seen = position.view().encode().tolist()
                    seat, number = position.seat, match.number * 1000 + at
                    kept = (seen, legal, game.moves[made], seat, game.scores[seat], game.names[seat])
                    rows.append((*kept, number, made))
    return rows


def test_decisions_are_exported_with_what_was_seen_allowed_done_and_won(tmp_path: Path) -> None:
    store, folder = with_run(tmp_path / "one.db", 1), tmp_path / "decisions"
    words = ["db", "export", "--what", "decisions", "--out", str(folder), "--db", store.name]
    said = arena(*words, "--workers", "1").stdout
    (path,) = folder.iterdir()
    columns = np.load(path)
    wanted = replayed_decisions(store)
    assert said == f"wrote {len(wanted)} decisions of {store.whole.facts()['games']} games to {folder}\n"
    legal = [np.flatnonzero(row).tolist() for row in columns["mask"]]
    names = ("action", "seat", "score", "bot", "game", "decision")
    others = [np.asarray(columns[name]).tolist() for name in names]
    assert list(zip(np.asarray(columns["encoding"]).tolist(), legal, *others)) == wanted
    assert set(np.asarray(columns["run"]).tolist()) == {"flip7#1"}
    assert (np.asarray(columns["match"]) == np.asarray(columns["game"]) // 1000).all()
    assert "is there already" in arena(*words, code=2).stderr


def test_decisions_of_a_seat_that_had_forfeited_are_left_out(tmp_path: Path) -> None:
    store = with_run(tmp_path / "one.db", 1)
    (match, *_) = store.matches.all(store.runs.find("flip7"))
    before = decisions_of(store, store.runs.find("flip7"), [match])
    row = int(np.flatnonzero(before["game"] == match.number * 1000)[4])
    seat, made = int(before["seat"][row]), int(before["decision"][row])
    lost = Forfeited(0, seat, int(match.places[0, seat]), made, "cpu", "")
    after = decisions_of(store, store.runs.find("flip7"), [replace(match, forfeits=[lost])])
    gone = (before["game"] == match.number * 1000) & (before["seat"] == seat) & (before["decision"] >= made)
    assert gone.any() and all((after[name] == before[name][~gone]).all() for name in before)


def test_processes_write_the_same_decisions_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = with_run(tmp_path / "one.db", 1)
    monkeypatch.setattr(decisions, "GAMES_A_FILE", 4)
    run = store.runs.find("flip7")
    made = [decisions.export_decisions(store, run, tmp_path / str(n), workers=n) for n in (1, 2)]
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / n).iterdir()} for n in ("1", "2"))
    assert made[0] == made[1] > 0 and len(one) > 1 and one.keys() == two.keys()
    for name in one:
        kept = [np.load(io.BytesIO(files[name]))["encoding"] for files in (one, two)]
        assert np.array_equal(*kept)


WRONG = [
    (["--what", "decisions"], "name a folder for the files with --out"),
    (["--what", "decisions", "--format", "csv", "--out", "x"], "decisions are written as npz"),
    (["--workers", "2"], "are for --what decisions"),
]


@pytest.mark.parametrize("words, said", WRONG)
def test_an_export_that_cannot_be_is_told(tmp_path: Path, words: list[str], said: str) -> None:
    assert said in arena("db", "export", *words, "--db", str(tmp_path / "none.db"), code=2).stderr


def test_positions_and_views_say_what_they_are_and_are_shown_in_a_notebook() -> None:
    position = engines.load("flip7").position(seed=1)
    assert "flip7, 4 players; seat" in repr(position) and "2 legal actions" in repr(position)
    assert f"View of flip7, seat {position.seat}" in repr(position.view())
    assert position._repr_html_().startswith("<pre>flip7") and "row" in position.view()._repr_html_()


def test_the_version_is_the_same_wherever_it_stands() -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert f"version: {__version__}\n" in (root / "CITATION.cff").read_text(encoding="utf-8")
    assert project["version"] == __version__ and arena("--version").stdout == f"card-arena {__version__}\n"
    assert f"## {__version__}" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_link_is_written_through_and_a_full_device_stays_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("old")
    link, full = tmp_path / "link", Path("/dev/full")
    link.symlink_to("kept")
    places.write_text(link, "new")
    assert link.is_symlink() and (tmp_path / "kept").read_text() == "new"
    with pytest.raises(UsageError, match="No space left"):
        places.write_text(full, "new")
    assert full.is_char_device() and not Path("/dev/full.part").exists()
