"""Verifying stored runs: real games have no difference, and whatever is changed in the database is found."""

import contextlib
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import engines
from arena.__main__ import app
from arena.errors import ArenaError
from arena.match.played import Forfeited, PlayedMatch
from arena.match.setup import MatchSetup
from arena.runs.report import report_of
from arena.runs.stages import setups
from arena.runs.standings import keep_run_table
from arena.runs.verify import verify
from arena.store import Store

from .test_league import BOTS, flip7, opened


def highest_answers(setup: MatchSetup) -> PlayedMatch:
    """A match of bots that always take the highest action; in game 0, place 1 raises at its second decision."""
    game = engines.load(setup.game)
    n, k = setup.places.shape
    states = game.new(n, setup.seeds, k, **setup.options)
    moves: list[list[int]] = [[] for _ in range(n)]
    asked, forfeits = [0] * k, list[Forfeited]()
    while not game.over(states).all():
        legal = game.legal_mask(states)
        actions = np.full(n, -1)
        for at in np.flatnonzero(~game.over(states)).tolist():
            seat = int(states["seat"][at])
            place, choices = int(setup.places[at, seat]), np.flatnonzero(legal[at])
            actions[at] = choices[0] if (at, place) == (0, 1) and forfeits else choices[-1]
            if len(choices) > 1 and not ((at, place) == (0, 1) and forfeits):
                asked[place] += 1
                if (at, place) == (0, 1) and sum(legal[at]) > 1 and len(moves[0]) > 4:
                    forfeits.append(Forfeited(0, seat, 1, len(moves[0]), "exception", "out of ideas"))
                    actions[at] = choices[0]
            moves[at].append(int(actions[at]))
        game.step(states, actions)
    played = [np.array(one, np.int16) for one in moves]
    used = [0.5] * k
    measured = {"wall_s": 1.0, "host": {"level": "strict"}, "memory_mib": used, "slept_s": used}
    return PlayedMatch.of(setup, game.scores(states), played, used, asked, forfeits=forfeits, **measured)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one finished run."""
    path = tmp_path_factory.mktemp("verify") / "arena.db"
    store = Store(str(path), create=True)
    with pytest.MonkeyPatch.context() as patch:  # the same deals every time, but a secret as of any run
        patch.setattr("leagues.secret.secrets.token_bytes", lambda n: bytes(range(n)))
        run = opened(store, flip7(), BOTS)
    store.matches.add(run, [highest_answers(setup) for setup in setups(store, run)])
    store.runs.close(run)
    keep_run_table(store, run)
    store.engine.dispose()
    return path


def changed(played: Path, tmp_path: Path, change: str) -> Store:
    path = tmp_path / "arena.db"
    shutil.copy(played, path)
    with sqlite3.connect(path) as connection:
        connection.executescript(change)
    return Store(str(path))


def test_a_run_as_it_was_played_has_no_difference(played: Path, tmp_path: Path) -> None:
    store = changed(played, tmp_path, "")
    found = verify(store, store.runs.find("flip7"), workers=1)
    assert (found.matches, found.games, found.differences) == (4, 24, [])
    shown = report_of(store, store.runs.find("flip7"))
    assert len(shown["seal"]) == 64 and shown["entrants"][0]["memory_mib"] == 0.5
    assert shown["forfeits"][0]["kind"] == "exception"


def test_a_run_without_games_is_not_verified(store: Store) -> None:
    store.runs.close(opened(store, flip7(), BOTS), aborted=True)
    done = CliRunner().invoke(app, ["league", "verify", "flip7#1", "--db", store.name])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "flip7#1 has no games: nothing was verified" in done.stderr


FORGED = "UPDATE match SET digest = 'x'; UPDATE league_run SET seal = '';"  # by one who knows of the digests
CHANGES = {
    "scores": ("UPDATE match SET scores = zeroblob(length(scores)) WHERE number = 1", "match 1: other scores in"),
    "places": ("UPDATE match SET places = zeroblob(length(places))", "match 0"),
    "blocks": ("UPDATE match SET blocks = zeroblob(length(blocks))", "match 0: other deals than the schedule gives"),
    "moves": ("UPDATE match SET moves = (SELECT moves FROM match WHERE number = 2) WHERE number = 1", "match 1"),
    "decisions": ("UPDATE match SET decisions = '[1, 1, 1, 1]'", "match 0: place 0 was asked"),
    "cpu time": ("UPDATE match SET cpu_s = '[0, 0, 0, 0]'", "match 0: was changed after it was stored"),
    "memory": ("UPDATE match SET memory_mib = '[9, 9, 9, 9]'", "match 0: was changed after it was stored"),
    "stage": ("UPDATE match SET stage = 1 WHERE number = 2", "match 2: stage 1, and not 0"),
    "host": ("UPDATE match SET host = '{}' WHERE number = 2", "match 2: was changed after it was stored"),
    "repetitions": ("UPDATE match SET repeated = '[\"why\"]' WHERE number = 3", "match 3: was changed after"),
    "recheck": ("UPDATE match SET second_node = 'two' WHERE number = 3", "match 3: was changed after it was stored"),
    "number of games": ("UPDATE match SET games = 2", "match 0"),
    "no games": ("UPDATE match SET games = 0", "match 0"),
    "line-up": ("UPDATE match SET line_up = '[9, 9, 9, 9]'", "match 0: another line-up or rotation"),
    "rotation": ("UPDATE match SET rotation = 3 WHERE number = 1", "match 1: another line-up or rotation"),
    "damaged moves": ("UPDATE match SET moves = x'0011' WHERE number = 1", "match 1 of flip7#1 cannot be read: the"),
    "cut scores": (
        "UPDATE match SET scores = substr(scores, 1, 7) WHERE number = 1", "match 1 of flip7#1 cannot be read"
    ),
    "fewer scores": (
        "UPDATE match SET scores = substr(scores, 1, 16) WHERE number = 1",
        "match 1 of flip7#1 cannot be read"
    ),
    "forfeit": (
        "INSERT INTO forfeit SELECT 1, 1, 9, 7, 'cpu', 'slow', 1, x'000000000000000000000000'",
        "match 1, game 0: a forfeit of seat 0 by a bot that did not sit there"
    ),
    "no forfeit": ("DELETE FROM forfeit WHERE match = 1", "match 1: was changed after it was stored"),
    "kind": ("UPDATE forfeit SET kind = 'cpu' WHERE match = 1", "match 1: was changed after it was stored"),
    "last words": ("UPDATE forfeit SET text = 'all fine'", "match 0: was changed after it was stored"),
    "no such entrant": ("UPDATE forfeit SET entrant = 7 WHERE match = 1", "match 1, game 0: a forfeit of seat"),
    "later forfeit": (
        "UPDATE forfeit SET seats = CAST(substr(seats, 1, 8) || x'00004000' AS BLOB)",
        "forfeited after the end of the game"
    ),
    "deleted match": ("DELETE FROM forfeit WHERE match = 2; DELETE FROM match WHERE number = 2", "the matches are"),
    "moved match": ("UPDATE match SET number = 999 WHERE number = 3", "match 999: is not in the schedule"),
    "doubled match": (
        "CREATE TABLE more AS SELECT * FROM match WHERE number = 3; UPDATE more SET number = 4;"
        "INSERT INTO match SELECT * FROM more",
        "match 4: is not in the schedule"
    ),
    "swapped matches": (
        "UPDATE match SET number = 900 WHERE number = 0; UPDATE match SET number = 0 WHERE number = 1;"
        "UPDATE match SET number = 1 WHERE number = 900",
        "match 0: another line-up or rotation"
    ),
    "secret": ("UPDATE stage SET secret = substr(secret, 3) || '00'", "stage 0: the secret does not have the hash"),
    "no secret": ("UPDATE stage SET secret = 'none'", "the secret of a run cannot be read"),
    "fingerprint": ("UPDATE stage SET fingerprint = 'ff'", "stage 0: definition, entrants, code or schedule"),
    "commitment": ("UPDATE stage SET commitment = secret_hash", "stage 0: the commitment does not bind"),
    "schedule": (
        "UPDATE stage SET schedule = x'789c6360606060616060600000000900'",
        "the schedule of a run cannot be read"
    ),
    "announced matches": ("UPDATE stage SET matches = 3", "stage 0: 4 matches in its schedule, 3 were announced"),
    "definition": (
        "UPDATE league_run SET definition = replace(definition, '\"goal\": 200', '\"goal\": 100')",
        "stage 0: definition, entrants, code or schedule are not"
    ),
    "entrants": ("UPDATE entrant SET bot_id = 5 - bot_id", "stage 0: definition, entrants, code or schedule are not"),
    "no entrant": ("DELETE FROM entrant WHERE place = 3", "stage 0: definition, entrants, code or schedule are not"),
    "bot": ("UPDATE bot SET version = 9", "stage 0: definition, entrants, code or schedule are not"),
    "digests": ("UPDATE match SET digest = 'x' WHERE number = 1", "match 1: was changed after it was stored"),
    "no digests": ("UPDATE match SET digest = ''", "the matches are not those that the run ended with"),
    "kept table": (
        "UPDATE standing SET content = replace(content, 'racer', 'raser')",
        "flip7#1: the table that was kept is not the one that these games give"
    ),
    "forged scores": (f"UPDATE match SET scores = zeroblob(length(scores)); {FORGED}", "match 0: other scores"),
    "forged decisions": (f"UPDATE match SET decisions = '[1, 1, 1, 1]'; {FORGED}", "match 0: place 0 was asked")
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_is_changed_is_found_without_a_traceback(played: Path, tmp_path: Path, what: str) -> None:
    change, said = CHANGES[what]
    store = changed(played, tmp_path, change)
    run = store.runs.find("flip7")
    try:
        found = verify(store, run, workers=1).differences
    except ArenaError as error:
        found = [str(error)]
    assert any(said in line for line in found), found
    with contextlib.suppress(ArenaError):
        report_of(store, run)


SHOWN = [
    ("moved match", "flip7#1: match 999 is not in its schedule"),
    ("no such entrant", "match 1 of flip7#1 has a forfeit of entrant 7, of 4"),
    ("number of games", "flip7#1: some stored matches cannot be read"),
]


@pytest.mark.parametrize("what, said", SHOWN)
def test_a_run_with_changed_rows_is_shown_with_one_line_that_names_them(
    played: Path, tmp_path: Path, what: str, said: str
) -> None:
    store = changed(played, tmp_path, CHANGES[what][0] + "; DELETE FROM standing")
    for command in (["league", "show", "flip7#1"], ["ratings", "flip7"]):
        done = CliRunner().invoke(app, [*command, "--db", store.name], catch_exceptions=False)
        last = done.stderr.strip().splitlines()[-1]
        assert (done.exit_code, done.stdout) == (1, "") and said in last and "arena league verify" in last
