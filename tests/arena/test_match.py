"""Matches with real bot processes: who is asked what, and that a broken bot costs nobody else anything."""

import random
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engines
from arena.cell import GameZygote
from arena.cell.asking import Reply
from arena.cell.frames import Decisions
from arena.cell.loaded import derived_seed
from arena.cluster import task
from arena.jail import HostError, Limits, Program
from arena.match import identity, lockstep, records, warm
from arena.match.batch import MatchGames, play_match
from arena.match.played import PlayedMatch
from arena.match.setup import MatchSetup

HEAD = 'GAMES = ["flip7"]\n\n'
LOW = "def act(view):\n    return view.legal[0]\n"
HIGH = "def act(view):\n    return view.texts[-1]\n"
PLAYERS = 3


def setup(games: int = 6, **limits: object) -> MatchSetup:
    """A match in which places rotate over the seats."""
    turns = [tuple((seat - game) % PLAYERS for seat in range(PLAYERS)) for game in range(games)]
    options = engines.load("flip7").check_options(PLAYERS, {"goal": 100})[1]
    seeds, own = range(1000, 1000 + games), (1, 2, 3)
    return MatchSetup.of_games("flip7", seeds, turns, options, bot_seeds=own, limits=Limits(**limits))


def play(zygote: GameZygote, sources: list[str], games: int = 6, **limits: object) -> PlayedMatch:
    bots = [program(f"bot{place}", source) for place, source in enumerate(sources)]
    return play_match(setup(games, **limits), bots, zygote)


def program(name: str, source: str) -> Program:
    """A bot of one file."""
    return Program(name, {f"{name}.py": (HEAD + source).encode()})


def replayed(result: PlayedMatch, game: int) -> engines.position.Position:
    """The game played again, move by move, from its seed."""
    plan = setup()
    position = engines.load("flip7").position(seed=int(plan.seeds[game]), players=PLAYERS, goal=100)
    for action in result.moves[game].tolist():
        position.play(action)
    return position


def test_all_games_are_played_to_their_end_and_moves_replay_to_the_scores(zygote: GameZygote) -> None:
    result = play(zygote, [LOW, HIGH, HIGH])
    assert result.forfeits == [] and result.scores.shape == (6, PLAYERS)
    for game in range(6):
        assert replayed(result, game).scores() == result.scores[game].tolist()
    assert all(seconds > 0 for seconds in result.cpu_s) and result.host


def test_a_match_is_the_same_every_time_with_bots_that_use_their_own_randomness(zygote: GameZygote) -> None:
    chance = "import random\n\nclass Bot:\n    def __init__(self, seat, seed):\n        self.rng = random.Random(seed)\n\n"
    chance += "    def act(self, view):\n        return self.rng.choice(view.legal)\n"
    dice = "def act(view):\n    return view.rng.choice(view.legal)\n"
    one, two = (play(zygote, [chance, dice, dice]) for _ in range(2))
    assert (one.scores == two.scores).all()
    assert [moves.tolist() for moves in one.moves] == [moves.tolist() for moves in two.moves]
    assert len({moves.tobytes() for moves in one.moves}) == 6


def test_only_real_decisions_reach_a_bot(zygote: GameZygote) -> None:
    picky = "def act(view):\n    assert len(view.legal) > 1\n    return view.legal[0]\n"
    result = play(zygote, [picky] * 3)
    assert result.forfeits == []
    game = engines.load("flip7")
    real = 0
    for i, seed in enumerate(setup().seeds.tolist()):
        position = game.position(seed=seed, players=PLAYERS, goal=100)
        for action in result.moves[i].tolist():
            real += len(position.legal()) > 1
            position.play(action)
    assert sum(result.decisions) == real


@pytest.mark.parametrize("name", ["julepe", "taroky", "tzogous37"])
def test_requests_do_not_tell_whether_the_others_had_a_choice(name: str) -> None:
    """A forced action waits for its place's turn like any other: who has its turn follows from who acts, which
    everybody sees. Played at once, 0.4 bits a request were told of Taroky, without any clock."""
    k, games, rng = engines.load(name).min_players, 12, random.Random(5)
    places = [[(at + seat) % k for seat in range(k)] for at in range(games)]
    table = MatchGames(MatchSetup.of_games(name, range(70, 70 + games), places, {}, 1))
    forced = 0

    class Chooses:
        fault, cpu_s, seen_cpu_s = None, 0.0, 0.0

        def ask(self, asked: Decisions) -> Reply:
            nonlocal forced
            assert len(asked.rows) > 0 and (np.diff(asked.offsets) > 1).all()
            forced -= len(asked.rows)
            chosen = [rng.choice(asked.legal_of(row)) for row in range(len(asked.rows))]
            return Reply(np.array(chosen, np.int16))

        def printed(self) -> list[tuple[int, str]]:
            return []

    while True:
        before, waits, acts = table.made.copy(), table.waits.copy(), table.states["seat"].copy()
        turn = lockstep.fullest(waits, np.zeros(k, np.int64))
        if not table.ask_next([Chooses()] * k):
            break
        assert (table.made - before == (waits == turn)).all()
        assert (waits[waits >= 0] == table.places[waits >= 0, acts[waits >= 0]]).all()
        forced += int((waits == turn).sum())
    assert forced > 20 and (table.waits == lockstep.OVER).all()


FAULTS = [  # what the bot does, the kind, whether its process lives on (then only touched games are lost)
    ("def act(view):\n    while True:\n        pass\n", "cpu", False),
    ("def act(view):\n    raise RuntimeError('my last words')\n", "exception", True),
    ("def act(view):\n    return 'dance'\n", "illegal", True),
    ("import os\n\ndef act(view):\n    os._exit(3)\n", "crash", False),
    ("import time\n\ndef act(view):\n    time.sleep(60)\n", "wall", False),
    ("def act(view):\n    return bytearray(1 << 40)\n", "memory", False),
    ("import no_such_module\n\ndef act(view):\n    return 0\n", "import", False),
]


@pytest.mark.parametrize(
    "source, kind, lives", FAULTS, ids=[f"{kind}-{i}" for i, (_, kind, _) in enumerate(FAULTS)]
)
def test_a_broken_bot_forfeits_alone(zygote: GameZygote, source: str, kind: str, lives: bool) -> None:
    few: dict[str, object] = {"cpu_s_start": 0.5, "cpu_s_bank": 0.2, "cpu_ms_per_decision": 1.0}
    result = play(zygote, [LOW, source, HIGH], **few, sleep_s_bank=0.3)
    assert {(lost.place, lost.kind) for lost in result.forfeits} == {(1, kind)}
    assert sorted(lost.game for lost in result.forfeits) == list(range(6))
    assert all(lost.text for lost in result.forfeits)
    for lost in result.forfeits:
        assert setup().places[lost.game, lost.seat] == 1
    for game in range(6):
        assert replayed(result, game).scores() == result.scores[game].tolist()


DIES_IN_A_GAME = """import os, time

def burn():
    end = time.process_time() + {burn}
    while time.process_time() < end: pass

burn()

class Bot:
    def __init__(self, seat, seed):
        self.doomed = seed in {doomed}
    def act(self, view):
        if self.doomed:
            burn()
            os._exit(7)
        return view.legal[-1]
"""


def seeds_of(games: list[int]) -> list[int]:
    """What `Bot` gets as its seed in these games, in place 1."""
    return [derived_seed(setup().bot_seeds[1], "bot", game) for game in games]


@pytest.mark.parametrize("doomed", [[0], [2], [5], [1, 4], [0, 3, 5]])
def test_a_death_costs_the_game_in_which_it_happened(zygote: GameZygote, doomed: list[int]) -> None:
    source = DIES_IN_A_GAME.format(burn=0, doomed=seeds_of(doomed))
    result = play(zygote, [LOW, source, HIGH])
    if len(doomed) < 3:
        assert sorted(lost.game for lost in result.forfeits) == doomed
    assert {(lost.kind, lost.place) for lost in result.forfeits} == {("crash", 1)}
    assert {lost.game for lost in result.forfeits} >= set(doomed)
    for game in range(6):
        assert replayed(result, game).scores() == result.scores[game].tolist()


def test_the_account_of_a_dead_process_goes_on(zygote: GameZygote, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process pays for being loaded, and every one that dies for what it did until then."""
    started: list[str] = []
    spawn = zygote.spawn
    noted = lambda bot, *what, **more: started.append(bot.name) or spawn(bot, *what, **more)
    monkeypatch.setattr(zygote, "spawn", noted)
    result = play(zygote, [LOW, DIES_IN_A_GAME.format(burn=0.1, doomed=seeds_of([3])), HIGH])
    assert [lost.game for lost in result.forfeits] == [3]
    processes = started.count("bot1")
    assert processes >= 2 and result.cpu_s[1] >= 0.1 * (processes + processes - 1)
    result = play(zygote, [LOW, DIES_IN_A_GAME.format(burn=0.3, doomed=seeds_of([3])), HIGH], cpu_s_match=0.5)
    assert "cpu" in {lost.kind for lost in result.forfeits}
    assert {lost.game for lost in result.forfeits} == set(range(6))


BURNS_ONCE = """
import time
asked = 0
def act(view):
    global asked
    asked += 1
    end = time.process_time() + (0.2 if asked == 3 else 0.0)
    while time.process_time() < end: pass
    return view.legal[0]
"""


def test_every_request_is_noted_with_its_decisions_and_the_time_that_it_took(zygote: GameZygote) -> None:
    load = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
    result = play(zygote, [LOW, load + BURNS_ONCE, HIGH], games=1)
    for place in range(PLAYERS):
        mine = result.requests[result.requests["place"] == place]
        assert mine["decisions"].sum() == result.decisions[place] > 3
        assert mine["cpu_s"].sum() <= result.cpu_s[place] - result.load_s[place] + 1e-5
    mine = result.requests[result.requests["place"] == 1]
    assert mine["decisions"].tolist() == [1] * len(mine)  # one game: one decision a request
    assert mine["cpu_s"][2] >= 0.2
    assert result.load_s[1] >= 0.3  # which is of no request


def test_what_a_process_has_used_when_it_dies_is_charged_though_nobody_looked(zygote: GameZygote) -> None:
    burn = "import os, time\nend = time.process_time() + 0.1\nwhile time.process_time() < end: pass\nos._exit(7)\n"
    bot = zygote.spawn(program("burner", burn), Limits(), 1)
    bot.await_jail()
    bot.run()
    state = Path(f"/proc/{bot.pid}/stat")
    while state.read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    assert bot.clock.charged == 0
    bot.close()
    charged = bot.clock.charged
    assert charged >= 0.1
    bot.clock.read()  # its number is free now, and may be another's
    assert bot.clock.charged == charged


def test_a_bot_that_dies_by_how_many_ask_it_loses_one_game_a_death(zygote: GameZygote) -> None:
    source = "import os\ndef act_batch(views):\n    if len(views) > 1: os._exit(1)\n    return [views[0].legal[0]]\n"
    result = play(zygote, [source, LOW, HIGH])
    assert len(result.forfeits) == 6 and {lost.place for lost in result.forfeits} == {0}
    assert len({lost.decision for lost in result.forfeits}) > 1  # not all at once


def test_the_lowest_legal_action_plays_on_for_a_seat_that_forfeited(zygote: GameZygote) -> None:
    result = play(zygote, [HIGH, FAULTS[1][0], HIGH])
    game = engines.load("flip7")
    for lost in result.forfeits:
        position = game.position(seed=int(setup().seeds[lost.game]), players=PLAYERS, goal=100)
        for number, action in enumerate(result.moves[lost.game].tolist()):
            if position.seat == lost.seat and number >= lost.decision:
                assert action == position.legal_numbers()[0]
            position.play(action)


def test_a_fault_in_one_game_costs_only_that_game(zygote: GameZygote) -> None:
    moody = "class Bot:\n    made = 0\n\n    def __init__(self, seat, seed):\n"
    moody += "        Bot.made += 1\n        self.bad = Bot.made == 3\n\n"
    moody += "    def act(self, view):\n        return -1 if self.bad else view.legal[0]\n"
    result = play(zygote, [moody, LOW, LOW])
    assert [lost.place for lost in result.forfeits] == [0]
    assert np.array([len(moves) for moves in result.moves]).all()


def test_games_that_are_over_before_any_decision_pass_through_match_and_record(zygote: GameZygote) -> None:
    game = engines.load("flip7")
    options = game.check_options(2, {"goal": 5, "max_rounds": 1})[1]
    seeds = np.flatnonzero(game.over(game.new(20_000, seed=0, players=2, **options)))[:3].tolist()
    assert len(seeds) == 3
    seeds.append(next(seed for seed in range(100) if seed not in seeds))  # and one that is played
    plan = MatchSetup.of_games("flip7", seeds, (0, 1), options)
    result = play_match(plan, [program("low", LOW), program("low", LOW)], zygote)
    assert [len(moves) > 0 for moves in result.moves] == [False, False, False, True] and result.forfeits == []
    for i, seed in enumerate(seeds[:3]):
        events = list(records.play(game, 2, options, seed, []))
        assert events[-1]["scores"] == result.scores[i].tolist()
        assert records.check(map(records.line, events)) == 1


def test_a_worker_with_other_rules_or_harness_refuses_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(setup(), code=identity.playing("flip7"))
    task._check_code(plan)
    monkeypatch.setattr(identity, "playing", lambda game: "what this machine has")
    with pytest.raises(HostError, match="has another version of the project"):
        task.run_match(plan, [])


def test_while_a_game_is_compiled_people_are_told_how_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "EVERY_S", 0.01)
    monkeypatch.setattr(warm.core, "cache_folder", lambda part: None)  # as on a machine that keeps no code
    said: list[str] = []
    warm.warm_up("flip7", said.append, by=lambda name: time.sleep(0.1))
    assert said[0].startswith("compiling flip7: once, takes 20 to 60 s of CPU time, longer on a busy")
    assert said[1] == "compiling flip7: 0 s"
    before = len(said)
    time.sleep(0.05)
    assert len(said) == before, "it goes on after the end"
