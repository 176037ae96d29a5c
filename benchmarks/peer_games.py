"""Random games, copies, harnesses and ratings, ours and other libraries', as rows of the table of peers.

Every function imports its library when it is called, so that one that is missing is an ImportError there.
"""

from __future__ import annotations

import contextlib
import copy
import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines

OURS = "card-arena"
POKER = (
    "universal_poker(betting=nolimit,numPlayers=4,numRounds=4,blind=50 100 0 0,firstPlayer=3 1 1 1,"
    "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,"
    "stack=10000 10000 10000 10000,bettingAbstraction=fcpa)"
)
OPENSPIEL = {  # our game: the nearest game there, and what it is called in the table
    "taroky": ("tarok(players=4)", "tarok, full hands, C++ from Python"),
    "julepe": (
        "oh_hell(players=5,num_suits=3,num_cards_per_suit=10,num_tricks_fixed=5)",
        "oh_hell, 30 cards, C++ from Python",
    ),
    "zoliky": ("gin_rummy", "gin_rummy, C++ from Python"),
    "flip7": ("pig(players=4)", "pig, C++ from Python"),
    "tzogous37": (POKER, "universal_poker, no limit, C++ from Python"),
}
FULL_HAND_BIDS = 5  # of tarok: pass to the highest bid that plays all tricks; the others end after a few
RLCARD = {
    "zoliky": ("gin-rummy", 2),
    "flip7": ("uno", 2),
    "taroky": ("bridge", 4),
    "tzogous37": ("no-limit-holdem", 4),
}
PETTINGZOO = {"tzogous37": "texas_holdem_no_limit_v6", "zoliky": "gin_rummy_v4"}
HARNESS = "harness"
RATINGS = "ratings"
PLAYERS, SEATS, GAMES = 50, 4, 5000  # of known strength, tables of four, full rankings


@dataclass(frozen=True)
class Row:
    """One thing that a library does.

    Attributes:
        about: what it is compared by: a game of ours, or a task.
        library: whose.
        what: the peer's own game or function, and what makes it easier or harder.
        unit: what `once` counts.
        once: does it, and returns how many units that was.
    """

    about: str
    library: str
    what: str
    unit: str
    once: Callable[[], int]

    @property
    def ours(self) -> bool:
        """Whether it is this project's."""
        return self.library == OURS


# --- this project -------------------------------------------------------------------------------------------


def own() -> Iterator[Row]:
    """Single games from Python, compiled playouts, copies, and a match without the wall."""
    for name in engines.names():
        game = engines.load(name)
        yield Row(name, OURS, "one position from Python, by number", "decision", _position(game))
        yield Row(name, OURS, "500 compiled random playouts a call", "decision in a playout", _playouts(game))
        middle = game.position(seed=1)
        for _ in range(10):
            middle.play(random.Random(1).choice(middle.legal_numbers()))
        yield Row(name, OURS, "copy of a position", "copy", _thousand(middle.copy))
    yield from _own_harness()


def _position(game: Any) -> Callable[[], int]:
    rng = random.Random(1)

    def once() -> int:
        position, n = game.position(seed=rng.getrandbits(60)), 0
        while not position.over:
            position.play(rng.choice(position.legal_numbers()))
            n += 1
        return n

    return once


def _playouts(game: Any) -> Callable[[], int]:
    rng = random.Random(1)
    return lambda: int(game.playout(game.new(500, seed=rng.getrandbits(60)), seed=1))


def _thousand(call: Callable[[], Any]) -> Callable[[], int]:
    def once() -> int:
        for _ in range(1000):
            call()
        return 1000

    return once


def _own_harness() -> Iterator[Row]:
    from arena.cell.loaded import Player
    from arena.match.here import play_here
    from arena.match.setup import MatchSetup

    class Module:
        """A bot, as a module is one."""

        GAMES = ("tzogous37",)

        @staticmethod
        def act(view: Any) -> int:
            return int(view.legal[0])

    game = engines.load("tzogous37")
    players = [Player(Module, game, seed, print) for seed in range(4)]  # type: ignore[arg-type]
    options = game.check_options(4)[1]

    def match(deals: int) -> Callable[[], int]:
        setup = MatchSetup.of_games(game.name, range(deals), range(4), options)
        return lambda: sum(play_here(setup, players).decisions)

    yield Row(HARNESS, OURS, "tzogous37, a match of 1 deal in process", "decision of a trivial bot", match(1))
    yield Row(
        HARNESS, OURS, "tzogous37, a match of 64 deals in process", "decision of a trivial bot", match(64)
    )


# --- OpenSpiel ----------------------------------------------------------------------------------------------


def openspiel() -> Iterator[Row]:
    """Random games of the nearest kind, whose cards are drawn uniformly, and copies in the middle of one."""
    import pyspiel

    for about, (name, what) in OPENSPIEL.items():
        game = pyspiel.load_game(name)
        bids = FULL_HAND_BIDS if name.startswith("tarok") else None
        yield Row(about, "OpenSpiel", what, "decision", _spiel_games(game, bids))
        state, rng = game.new_initial_state(), random.Random(1)
        for _ in range(60):
            after = state.clone()
            after.apply_action(_spiel_choice(after, rng, bids))
            if after.is_terminal():
                break
            state = after
        yield Row(about, "OpenSpiel", f"{what}: clone", "copy", _thousand(state.clone))


def _spiel_choice(state: Any, rng: random.Random, bids: int | None) -> int:
    legal = state.legal_actions()
    if (
        bids is not None
        and not state.is_chance_node()
        and str(state.current_game_phase()).endswith("BIDDING")
    ):
        legal = [action for action in legal if action < bids] or legal
    return rng.choice(legal)


def _spiel_games(game: Any, bids: int | None) -> Callable[[], int]:
    rng = random.Random(1)

    def once() -> int:
        state, n = game.new_initial_state(), 0
        while not state.is_terminal():
            n += not state.is_chance_node()
            state.apply_action(_spiel_choice(state, rng, bids))
        return n

    return once


# --- RLCard, PettingZoo, PokerKit ---------------------------------------------------------------------------


def rlcard() -> Iterator[Row]:
    """Random games through its `Env`, which encodes the observation at every step."""
    import rlcard as library

    for about, (name, players) in RLCARD.items():
        config = {"game_num_players": players} if name == "no-limit-holdem" else {}
        env = library.make(name, config={"seed": 1, **config})
        yield Row(about, "RLCard", f"{name}, Python, with observations", "decision", _rlcard_games(env))
        env.reset()
        yield Row(about, "RLCard", f"{name}: deepcopy", "copy", _deep_copy(env.game))


def _deep_copy(thing: Any) -> Callable[[], int]:
    def once() -> int:
        copy.deepcopy(thing)
        return 1

    return once


def _rlcard_games(env: Any) -> Callable[[], int]:
    rng = random.Random(1)

    def once() -> int:
        state, _ = env.reset()
        n = 0
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            n += 1
        return n

    return once


def pettingzoo() -> Iterator[Row]:
    """Random games through the agent iterator; its card games are RLCard's."""
    from importlib import import_module

    for about, name in PETTINGZOO.items():
        try:
            module = import_module(f"pettingzoo.classic.{name}")
            env = module.env()
        except (ImportError, AttributeError):
            if name == "gin_rummy_v4":  # only versions before 1.26 have it
                continue
            raise
        yield Row(about, "PettingZoo", f"{name}, Python", "decision", _agent_games(env))


def _agent_games(env: Any) -> Callable[[], int]:
    rng = random.Random(1)

    def once() -> int:
        env.reset(seed=rng.getrandbits(30))
        n = 0
        for _ in env.agent_iter():
            observation, _, ended, cut, info = env.last()
            if ended or cut:
                env.step(None)
                continue
            inside = isinstance(observation, dict) and "action_mask" in observation
            mask = observation["action_mask"] if inside else info["action_mask"]
            env.step(int(rng.choice(mask.nonzero()[0])))
            n += 1
        return n

    return once


def pokerkit() -> Iterator[Row]:
    """Random hands of pot-limit Omaha, four players: fold, check or call, the least raise, the most."""
    from pokerkit import Automation, PotLimitOmahaHoldem

    rng = random.Random(1)

    def start() -> Any:
        return PotLimitOmahaHoldem.create_state(tuple(Automation), True, 0, (50, 100), 100, 10_000, 4)

    def once() -> int:
        state, n = start(), 0
        while state.status:
            moves = [state.fold] if state.can_fold() else []
            if state.can_check_or_call():
                moves.append(state.check_or_call)
            if state.can_complete_bet_or_raise_to():
                for amount in (
                    state.min_completion_betting_or_raising_to_amount,
                    state.max_completion_betting_or_raising_to_amount,
                ):
                    moves.append(lambda amount=amount: state.complete_bet_or_raise_to(amount))
            rng.choice(moves)()
            n += 1
        return n

    hand = start()
    yield Row("tzogous37", "PokerKit", "pot-limit Omaha, Python", "decision", once)
    yield Row("tzogous37", "PokerKit", "deepcopy", "copy", _deep_copy(hand))


# --- kaggle-environments ------------------------------------------------------------------------------------


def kaggle() -> Iterator[Row]:
    """Its harness with trivial agents in process; games differ little in what it costs."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        from kaggle_environments import make

    def agent(observation: Any, configuration: Any) -> int:
        board = observation["board"]
        return next(column for column in range(configuration["columns"]) if board[column] == 0)

    def once() -> int:
        environment = make("connectx")
        environment.run([agent, agent])
        return len(environment.steps) - 1  # one agent acts in every step but the first

    what = "connectx, agents are functions in process"
    yield Row(HARNESS, "kaggle-environments", what, "decision of a trivial bot", once)


# --- ratings of the same games ------------------------------------------------------------------------------


def finishes() -> NDArray[np.int64]:
    """Random games as [game, place]: the players from first to last, by the model of Plackett & Luce."""
    rng = np.random.default_rng(1)
    strength = rng.normal(size=PLAYERS)
    seated = np.array([rng.choice(PLAYERS, SEATS, replace=False) for _ in range(GAMES)])
    order = np.argsort(-(strength[seated] + rng.gumbel(size=seated.shape)), axis=1)
    return np.take_along_axis(seated, order, axis=1)


def own_ratings() -> Iterator[Row]:
    """Bradley-Terry with error bars by block, every game a block of its own."""
    from leagues.ratings.elo import bradley_terry
    from leagues.ratings.results import Results

    ranked = finishes()
    scores = np.tile(np.arange(SEATS, 0, -1, dtype=np.float64), (GAMES, 1))
    results = Results(ranked, scores, np.arange(GAMES))

    def once() -> int:
        bradley_terry(results, PLAYERS)
        return GAMES

    yield Row(RATINGS, OURS, "Bradley-Terry, all games at once, with error bars", "game of four", once)


def choix() -> Iterator[Row]:
    """Plackett-Luce by two algorithms, without error bars."""
    import choix as library

    rankings = [tuple(map(int, game)) for game in finishes()]

    def lsr() -> int:
        library.lsr_rankings(PLAYERS, rankings, alpha=0.01)
        return GAMES

    def ilsr() -> int:
        library.ilsr_rankings(PLAYERS, rankings, alpha=0.01)
        return GAMES

    yield Row(RATINGS, "choix", "Plackett-Luce, one step (lsr)", "game of four", lsr)
    yield Row(RATINGS, "choix", "Plackett-Luce, converged (ilsr)", "game of four", ilsr)


def openskill() -> Iterator[Row]:
    """Plackett-Luce, game by game: what it gives depends on their order."""
    from openskill.models import PlackettLuce

    model, games = PlackettLuce(), finishes()[:500]

    def once() -> int:
        rated = [model.rating() for _ in range(PLAYERS)]
        for game in games:
            for player, team in zip(game, model.rate([[rated[player]] for player in game]), strict=True):
                rated[player] = team[0]
        return len(games)

    yield Row(RATINGS, "openskill", "Plackett-Luce, game by game", "game of four", once)


LIBRARIES = (
    (OURS, OURS, own),
    ("OpenSpiel", "open_spiel", openspiel),
    ("RLCard", "rlcard", rlcard),
    ("PettingZoo", "pettingzoo", pettingzoo),
    ("PokerKit", "pokerkit", pokerkit),
    ("kaggle-environments", "kaggle-environments", kaggle),
    (OURS, OURS, own_ratings),
    ("choix", "choix", choix),
    ("openskill", "openskill", openskill),
)
"""Name, package, and what makes its rows."""
