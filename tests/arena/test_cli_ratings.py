"""`arena ratings` with its other tables, on a stored run."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arena.cli.output import Format
from arena.cli.ratings import name_others, print_ratings, print_rows
from arena.runs import rated as views
from arena.runs.pools import RunPool
from arena.runs.rated import KINDS, MEANINGS
from arena.store import Store
from benchmarks import verdicts
from leagues import definition
from leagues.ratings.results import Results
from leagues.ratings.rows import COLUMNS, RatedBot, RatingRow, RatingTable
from leagues.ratings.views import PairRow

from .program import cli
from .test_league import finished


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with a whole run of Flip 7: every bot always has the same score."""
    path = str(tmp_path_factory.mktemp("ratings") / "arena.db")
    store, league = Store(path, create=True), definition.load("flip7", deals=12, seed=1)
    finished(store, league)
    return path


def ratings(db: str, *words: str) -> tuple[str, str]:
    """What the command prints."""
    done = cli("ratings", "flip7", "--db", db, *words)
    return done.stdout, done.stderr


def test_the_pool_and_its_runs_are_named(db: str) -> None:
    out, err = ratings(db)
    assert "racer@1" in out and "4 players, known seeds (pool " in err and "flip7#1" in err


def test_a_run_or_its_league_file_stands_for_its_game(db: str, tmp_path: Path) -> None:
    file = tmp_path / "flip7.toml"
    file.write_text((Path(definition.__file__).parent / "flip7.toml").read_text())
    of_game = ratings(db)[0]
    for name in ("flip7#1", str(file)):
        assert cli("ratings", name, "--db", db).stdout == of_game
    cli("ratings", "flap7", "--db", db, code=2)


@pytest.mark.parametrize(
    "words, keys, rows",
    [
        (["--view", "pairs"], {"bot", "against", "difference", "p"}, 6),
        (["--view", "nash"], {"bot", "rating", "share"}, 4),
        (["--view", "versions"], {"bot", "version", "gain"}, 4),
        (["--view", "alike"], {"bot", "against", "verdict", "owner", "gain"}, 6),
        (["flip7#1", "--players", "4", "--option", "deck=keep"], {"rank", "elo"}, 4),
    ],
)
def test_every_table_comes_as_json_and_as_text(db: str, words: list[str], keys: set[str], rows: int) -> None:
    found = json.loads(ratings(db, *words, "--format", "json")[0])
    assert len(found) == rows and keys <= set(found[0])
    assert ratings(db, *words)[0].count("\n") == rows + 2
    assert ratings(db, *words, "--format", "markdown")[0].startswith("| ")
    latex = ratings(db, *words, "--format", "latex")[0].splitlines()
    marks = latex[latex.index("\\end{tabular}") + 1 :]
    assert "--view" in words or marks[0].startswith("% ? = fewer than 30 blocks")
    latex = latex[: len(latex) - len(marks)]
    assert latex[0].startswith("\\begin{tabular}{") and latex[-1] == "\\end{tabular}"
    assert len({line.count("&") for line in latex[2:-2] if line != "\\midrule"}) == 1
    # minus and range as LaTeX has them
    assert not re.search(r"(?<![$-])-\d|\.\.|\+-", "\n".join(latex)), latex
    assert "_" not in "".join(latex).replace("\\_", "") and "%" not in "".join(latex).replace("\\%", "")


def test_columns_are_explained_where_they_are_printed(db: str) -> None:
    assert set(MEANINGS) == set(KINDS)
    assert "first: share of games won" in ratings(db)[1]
    for view in KINDS:
        assert MEANINGS[view] in ratings(db, "--view", view)[1]


def test_pairs_tell_the_differences_that_were_played(db: str) -> None:
    rows = json.loads(ratings(db, "--view", "pairs", "--format", "json")[0])
    assert {(row["bot"], row["against"], row["difference"]) for row in rows} >= {("racer@1", "random@1", 190)}


def test_people_are_never_told_that_something_is_certain(capsys: pytest.CaptureFixture[str]) -> None:
    sure = PairRow("racer@1", "random@1", 190.0, 180.0, 200.0, 1.0, 1e-12, 900.0, 500)
    unsure = PairRow("racer@1", "banker@1", -1.0, -3.0, 1.0, 0.1234, 0.456, -3.0, 500)
    for how in (Format.TABLE, Format.WIDE, Format.MARKDOWN):
        print_rows([sure, unsure], PairRow, how)
        first, second = capsys.readouterr().out.splitlines()[2:]
        assert ">99.9 %" in first and "<0.001" in first and "12.3 %" in second and "0.456" in second
    print_rows([sure], PairRow, Format.JSON)
    assert json.loads(capsys.readouterr().out)[0]["p"] == 1e-12


def test_a_pool_that_differs_only_in_its_rules_is_told_as_that(capsys: pytest.CaptureFixture[str]) -> None:
    old, new, three = (RunPool(mark, title, (), 9) for mark, title in (("a", "4"), ("b", "4"), ("c", "3")))
    name_others([old, new, three], old)
    told = capsys.readouterr().err.splitlines()
    assert "pool b, 4, under other versions of the rules" in told[0] and "versions" not in told[1]


def test_games_that_do_not_fit_are_not_rated(db: str) -> None:
    assert "no rated games of flip7 yet" in ratings(db, "--players", "3")[1]


WRONG = [
    (["--view", "couples"], "--view 'couples': allowed is table, pairs, nash, versions, alike"),
    (["taroky"], "no run 'taroky'; runs: flip7#1"),
    (["--option", "deck"], "write it as key=value"),
]


@pytest.mark.parametrize("words, said", WRONG)
def test_a_wrong_call_says_what_to_do(db: str, words: list[str], said: str) -> None:
    last = cli("ratings", "flip7", "--db", db, *words, code=2).stderr.splitlines()[-1]
    assert said in last and last.startswith("arena: ")


def test_a_rating_table_fits_a_screen_and_has_the_rest_when_wide(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = dict.fromkeys(COLUMNS, 1503.25) | {"first": 0.31}
    whole = {"version": 12, "group": 1, "games": 12000, "blocks": 3000, "forfeits": 3, "perfect": 0}
    said = {"bot": "my_first", "mark": "", "faults": "3 cpu", "guest": False, "heavy": True}
    ranks = {"rank": 1, "rank_low": 1, "rank_high": 12, "provisional": False}
    table = RatingTable((RatingRow(**(numbers | whole | said | ranks)),), ())

    def printed(how: Format) -> tuple[list[str], str]:
        print_ratings(table, how)
        out, err = capsys.readouterr()
        return out.splitlines(), err

    narrow, told = printed(Format.TABLE)
    wide, _ = printed(Format.WIDE)
    assert max(map(len, narrow)) <= 120 and "3 cpu" in narrow[2]
    assert "more columns, without luck: --format wide" in told
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for columns in (60, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        fitted, told = printed(Format.TABLE)
        assert max(map(len, fitted)) <= columns
    assert "score" in fitted[0] and "too narrow for: p99, CPU us, first" in told
    assert "ahead: of the next row" in told
    assert not re.search("(first|CPU us|p99): [^\n]*(share|decision)", told)
    heads = [set(re.split("  +", lines[0])) for lines in (narrow, wide)]
    assert heads[1] - heads[0] == {"luck", "z", "score w/o luck", "Elo w/o luck"}


def test_the_nash_view_says_what_its_intervals_are_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    beats, rng = np.diag(np.arange(5.0)), np.random.default_rng(2)
    games, who = verdicts._played(beats, 4, 100, rng), [RatedBot(f"b{i}", 1) for i in range(5)]

    def notes(results: Results) -> tuple[str, ...]:
        pool: Any = SimpleNamespace(runs=[], results=results, entered=who)
        monkeypatch.setattr(views, "load_pool", lambda *given, **named: pool)
        return views.view_of(pool, pool, "nash").notes

    assert notes(games) == ()
    assert notes(games.watched(100)) == (views.ALL_LOOKS,)
    one_each = np.unique(games.line_ups[1], return_index=True)[1]
    assert notes(games.of_blocks(games.block[one_each])) == (views.NO_INTERVALS,)
    assert notes(games.of_blocks(np.arange(8))) == (views.OPEN_PAIRS,)
