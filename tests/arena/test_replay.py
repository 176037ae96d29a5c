"""Why did my bot lose: games of a run, replay, what others would have played, logs, debugging."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from arena.cell import GameZygote
from arena.errors import UsageError
from arena.intake import registry
from arena.match import records
from arena.match.played import parting
from arena.replay.listing import games_of, same_deal
from arena.replay.losses import best_other, choices, logs
from arena.replay.recorded import from_file, stored
from arena.runs.grow import extend
from arena.runs.open import open_run, prepare
from arena.store import Store
from leagues import definition
from tests.arena.played import behind_the_wall, finished, submitted

from .program import cli as arena

TALKER = """GAMES = ["flip7"]


def act(view):
    view.log("row", *view.row)
    if view.phase == "turn" and view.points[view.seat] > 34:
        return "nonsense"
    return view.legal[0]
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory, zygote: GameZygote) -> str:
    """A database with a finished run of two house bots, a guest (a copy of a third), and a stranger that talks
    and breaks a rule."""
    folder = tmp_path_factory.mktemp("replay")
    store = Store(str(folder / "arena.db"), create=True)
    submitted(store, folder / "talker.py", TALKER, "ada")
    league = definition.load("flip7", deals=3, seed=3)
    guest = folder / "draft.py"
    shutil.copy(registry.HOUSE / "oddsman.py", guest)
    behind_the_wall(store, league, ("banker", str(guest), "racer", "talker"), zygote)
    return str(folder / "arena.db")


def test_every_game_of_a_bot_stands_beside_what_others_made_of_the_same_cards(db: str) -> None:
    store = Store(db)
    run = store.runs.find("flip7")
    mine = games_of(store, run, "banker")
    for one in mine:
        assert one.names[one.seat] == "banker@1"
        deals = [game for game in games_of(store, run) if game.deal == one.deal and game.game != one.game]
        there = [(g.names[one.seat], g.scores[one.seat], g.game) for g in deals]
        same = [told for told in there if told[0] != "banker@1"]
        assert sorted(one.others) == sorted(same) and len(same) == 3
        assert one.margin == pytest.approx(one.score - sum(score for _, score, _ in same) / 3)
    words = "league games flip7#1 --bots talker --forfeits --format json --db"
    rows = json.loads(arena(*words.split(), db).stdout)
    assert rows and {row["kind"] for row in rows} == {"illegal"}


def test_a_record_names_the_bots_and_is_the_same_game(db: str, tmp_path: Path) -> None:
    game = stored(Store(db), "flip7#1/1")
    lines = arena("replay", "flip7#1/1", "--format", "jsonl", "--db", db).stdout.splitlines()
    assert records.check(lines) == 1
    assert json.loads(lines[0])["bots"] == list(game.names) and set(game.names) > {"talker@1", "racer@1"}
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(lines))
    again = from_file(path)
    assert (again.moves, again.scores, again.names, again.bot_seeds) == (
        game.moves, game.scores, game.names, game.bot_seeds,
    )  # fmt: skip


def test_a_bot_asked_again_plays_what_it_played(db: str) -> None:
    store = Store(db)
    game = stored(store, "flip7#1/0")
    entrants = [entry.bot for entry in store.runs.entries(store.runs.find("flip7"))]
    guest = next(bot for bot in entrants if bot.kind == "guest")
    for bot, level in (("racer", "strict"), (guest, "strict"), (guest, "trusted")):
        seat = game.seat_of(bot if isinstance(bot, str) else bot.label)
        asked = list(choices(game, bot, seat, db, level))
        assert len(asked) > 5 and all(one.same for one in asked)


def test_a_replay_as_text_has_names_logs_faults_and_where_another_differs(db: str, tmp_path: Path) -> None:
    game = stored(Store(db), "flip7#1/0")
    out = arena("replay", "flip7#1/0", "--logs", "talker", "--db", db).stdout
    assert f"seat {game.seat_of('talker')} talker@1: hit" in out and "| row " in out
    assert "! illegal: flip7 has no action 'nonsense'" in out and "[played for it]" in out
    assert "| row " not in arena("replay", "flip7#1/0", "--db", db).stdout
    stays = tmp_path / "stays.py"
    stays.write_text('GAMES = ["flip7"]\ndef act(view):\n    return view.legal[-1]\n')
    seat = game.seat_of("racer")
    out = arena("replay", "flip7#1/0", "--with", str(stays), "--seat", str(seat), "--db", db).stdout
    assert f">> {stays} would play stay" in out and "would play the same" in out
    assert f"{stays} differs at" in out
    hidden = arena("replay", "flip7#1/0", "--seat", "1", "--db", db).stdout
    assert ", seed" in arena("replay", "flip7#1/0", "--db", db).stdout and ", seed" not in hidden


def test_logs_are_of_one_bot_by_game_and_decision(db: str) -> None:
    store = Store(db)
    lines = list(logs(store, "talker"))
    assert all(line.game.startswith("flip7#1/") and "row" in line.text for line in lines) and len(lines) > 10
    one = list(logs(store, "talker", "flip7/1"))
    assert list(logs(store, "talker", "flip7#1/1")) == one
    assert one == [line for line in lines if line.game == "flip7#1/1"]
    assert list(logs(store, "racer")) == []
    for where, said in (
        ("flip7#1/last", "a game is named as taroky#3/4007"),
        ("flip7#1/99", "has no game '99'"),
    ):
        with pytest.raises(UsageError, match=said):
            list(logs(store, "talker", where))


def test_the_worst_deals_say_where_the_best_of_the_others_parts(db: str) -> None:
    out = arena("league", "games", "--worst", "--bots", "banker", "--limit", "2", "--db", db)
    store = Store(db)
    worst = sorted(games_of(store, store.runs.find("flip7"), "banker"), key=lambda one: one.margin or 0)[0]
    assert worst.game in out.stdout.splitlines()[2]
    best, asked = max(worst.others, key=lambda one: one[1]), best_other(store, worst)
    assert (asked.other, asked.score, asked.game) == best
    assert f"{worst.game}: {best[0]} made {best[1]:+d} with these cards" in out.stdout
    by_file = arena("league", "games", "--worst", "--bots", "./bots/banker.py", "--limit", "2", "--db", db)
    assert by_file.stdout == out.stdout, "a file stands for the bot that it holds"
    out = arena("league", "games", "--worst", "--bots", "banker", "--limit", "12", "--db", db).stdout
    asked = [line for line in out.splitlines() if re.search(r": draft \(guest \w+\) made", line)]
    assert asked and all("would" in line for line in asked)  # a guest is asked, too


def test_debugging_asks_a_bot_on_exactly_the_view_at_which_it_lost(db: str, tmp_path: Path) -> None:
    path = tmp_path / "talker.py"
    path.write_text(TALKER)
    out = arena("replay", "flip7#1/0", "--debug", str(path), "--db", db).stdout
    game = stored(Store(db), "flip7#1/0")
    lost = game.lost[game.seat_of("talker")]
    assert f"decision {lost.decision}, seat" in out and "illegal: flip7 has no action 'nonsense'" in out
    assert game.logs[game.seat_of("talker"), lost.decision].strip() in out
    path.write_text(TALKER.replace("nonsense", "stay"))
    out = arena("replay", "flip7#1/0", "--debug", str(path), "--db", db).stdout
    assert "now: stay" in out


WRONG = [
    (["replay", "flip7#1"], 2, "say which game, as LEAGUE#N/GAME"),
    (["replay", "./flip7/"], 2, "cannot be read"),
    (["replay", "flip7#1", "--format", "jsonl"], 2, "say which game, as LEAGUE#N/GAME"),
    (["replay", "flip7#1/99"], 2, "has no game '99'; games are numbered 0, 1000"),
    (["replay", "flip7#1/0", "--seat", "9"], 2, "has seats 0 to 3, not 9"),
    (["replay", "flip7#1/0", "--with", "./none.py"], 2, "none did not play"),
    (["replay", "none.jsonl"], 2, "none.jsonl: cannot be read"),
    (["league", "games", "flip7#1", "--bots", "nobody"], 2, "nobody is not in flip7#1"),
    (["league", "games", "flip7#1", "--worst"], 2, "say whose games: add --bots NAME"),
    (["league", "games", "--bots", "nobody"], 2, "nobody has played no finished run"),
    (["replay", "flip7#1/0", "--debug", "talker.py", "--at", "1", "--seat", "1"], 2, "its own:"),
    (["analyse"], 2, "say what: a game (taroky#2/4007), a record's file, a run, or --bots NAME"),
    (["analyse", "flip7#1/99"], 2, "has no game '99'; games are numbered 0, 1000"),
    (["analyse", "flip7#1/0", "--seat", "9"], 2, "has seats 0 to 3, not 9"),
    (["analyse", "flip7#1", "--seat", "1"], 2, "--seat is for one game; of a run, name bots with --bots"),
    (["analyse", "flip7#1", "--bots", "nobody"], 2, "nobody is not in flip7#1"),
    (["analyse", "flip7#9"], 2, "flip7#9"),
]


@pytest.mark.parametrize("words, code, message", WRONG)
def test_wrong_calls_say_what_to_do(db: str, words: list[str], code: int, message: str) -> None:
    assert message in arena(*words, "--db", db, code=code).stderr


def test_games_of_a_run_that_is_played_are_not_shown(db: str, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "new.db"), create=True)
    league = definition.load("flip7", deals=2)
    bots = [registry.resolve(name, "flip7", store) for name in ("banker", "racer", "oddsman", "random")]
    open_run(store, prepare(store, league, bots))
    for words in (["league", "games", "flip7#1"], ["replay", "flip7#1/0"], ["analyse", "flip7#1"]):
        assert "is not finished" in arena(*words, "--db", str(tmp_path / "new.db"), code=2).stderr


def test_a_run_that_was_ended_before_its_first_game_says_that_it_has_none(tmp_path: Path) -> None:
    path = str(tmp_path / "new.db")
    store = Store(path, create=True)
    bots = [registry.resolve(name, "flip7", store) for name in ("banker", "racer", "oddsman", "random")]
    open_run(store, prepare(store, definition.load("flip7", deals=2), bots))
    arena("league", "abort", "flip7#1", "--db", path)
    for words in ([], ["--bots", "racer"], ["--bots", "racer", "--worst"]):
        assert "there are no such games" in arena("league", "games", "flip7#1", *words, "--db", path).stderr
    assert "has no game '0'; it has no games" in arena("replay", "flip7#1/0", "--db", path, code=2).stderr
    assert arena("db", "export", "flip7#1", "--db", path).stdout.count("\n") == 1


@pytest.mark.parametrize(
    "one, other, at",
    [([1, 2, 3], [1, 2, 4], 2), ([1], [1, 2], 1), ([2], [1], 0), ([], [1], 0), ([1, 2], [1, 2], None)],
)
def test_games_part_where_actions_first_differ(one: list[int], other: list[int], at: int | None) -> None:
    assert parting(np.array(one), np.array(other)) == at


def test_all_rotations_of_a_deal_and_no_other_games_are_found(store: Store) -> None:
    run = finished(store, "flip7", goal=30)
    labels = [
        f"{run.label}/{match.number * 1000 + place}"
        for match in store.matches.all(run)
        for place in range(len(match.moves))
    ]
    games = {label: stored(store, label) for label in labels}
    for label, game in games.items():
        found = same_deal(store, label)
        assert [one["label"] for one in found] == [
            other for other in labels if other != label and games[other].seed == game.seed
        ]
        assert len(found) >= game.players - 1
        for one in found:
            other = games[one["label"]]
            assert (one["seats"], one["scores"]) == (list(other.names), list(other.scores))
            at = one["parted"]
            assert game.moves[:at] == other.moves[:at] and game.moves[at : at + 1] != other.moves[at : at + 1]


def test_the_matches_of_a_block_are_those_of_the_plan_in_every_stage(store: Store) -> None:
    extend(store, finished(store, "flip7", goal=30), 4)
    run = store.runs.find("flip7#1")
    plans = store.runs.plans(run)
    assert len({plan.stage for plan in plans}) == 2
    for block in range(max(plan.first_block + plan.blocks for plan in plans) + 1):
        has = [one.number for one in plans if one.first_block <= block < one.first_block + one.blocks]
        assert store.games.with_block(run, block) == has
    assert not has  # the last one is in no match
