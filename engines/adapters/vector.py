"""Many games at once for a learner, in Gymnasium's vector conventions: `env("taroky", n=1024, seat=0)`.

One seat learns against policies, or all seats learn (`seat=None`). A game that is over begins anew within the
same step, with a fresh seed. Not here: how lanes run (`engines.learn.lanes`, compiled).
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import core, load
from ..errors import GameError, IllegalAction, OptionError
from ..game import Game
from ..learn import lanes
from ..record import words_of
from ..seeds import seeds_of

try:  # wrappers of Gymnasium ask for its class; nothing else here needs it
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as _Base

    _MODE: Any = AutoresetMode.SAME_STEP
except ImportError:
    _Base, _MODE = object, "SameStep"

BatchPolicy: TypeAlias = Callable[
    [NDArray[np.float32], NDArray[np.bool_], NDArray[np.int64]], NDArray[np.integer[Any]]
]
"""`policy(observations, masks, seats)` gives an action for every row."""
Opponent: TypeAlias = "str | BatchPolicy"
OPPONENTS = {"random": lanes.RANDOM, "rule": lanes.RULE}
REWARDS = ("game", "round")


def env(
    game: str | Game,
    n: int = 1024,
    seat: int | Sequence[int] | None = 0,
    opponents: Opponent | Sequence[Opponent] = "random",
    *,
    players: int | None = None,
    rewards: str = "game",
    forced: bool = False,
    **options: Any,
) -> VectorGames:
    """`n` games at once.

    Args:
        game: its name.
        n: number of games (lanes).
        seat: the seat that learns, one for all lanes or one a lane; None: every seat, each lane waits for
            whichever is to act (`infos["seat"]`), and rewards are [n, players].
        opponents: "random", "rule" (the game's quick player), or a function of `(observations, masks, seats)`
            that gives actions; one for all other seats, or a list, one a seat (the learner's is not used).
        players: number of seats.
        rewards: "game": the final score at its end; "round": points as soon as they are settled. Both sum to
            the final score.
        forced: whether the learner is asked also where only one action is legal.
        options: of the game.

    Raises:
        GameError, OptionError: an argument does not fit; says which.
    """
    rules = load(game) if isinstance(game, str) else game
    return VectorGames(rules, n, seat, opponents, players, rewards, forced, options)


def own(value: Any) -> Any:
    """Return the same with copies of its arrays."""
    if isinstance(value, dict):
        return {key: own(one) for key, one in value.items()}
    return core.copy_states(value) if isinstance(value, np.ndarray) else value


def box(game: Game, times: int = 1) -> Any:
    """Return the range of every column as Gymnasium's space, for so many observations in a row."""
    from gymnasium.spaces import Box

    widths = [column.width for column in game.columns * times]
    low = np.repeat([column.low for column in game.columns * times], widths)
    high = np.repeat([column.high for column in game.columns * times], widths)
    return Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


class VectorGames(_Base):  # type: ignore[misc]
    """What `env` makes: `reset`, `step`, `sample`; arrays are written in place by every step."""

    def __init__(
        self,
        game: Game,
        n: int,
        seat: int | Sequence[int] | None,
        opponents: Opponent | Sequence[Opponent],
        players: int | None,
        rewards: str,
        forced: bool,
        options: Mapping[str, Any],
    ) -> None:
        if rewards not in REWARDS:
            raise OptionError(f"rewards = {rewards!r}: allowed is {' or '.join(map(repr, REWARDS))}")
        if n == 0:
            raise OptionError(f"{game.name}: n = 0: allowed is a whole number of games, from 1")
        if not game.columns:
            raise GameError(f"{game.name} has no encoding")
        self.game = game
        self.num_envs = n
        self.metadata = {"render_modes": [], "autoreset_mode": _MODE}
        self.render_mode = None
        self._blank = game.blank(1, players, **options)
        self.players = int(self._blank["players"][0])
        self._states = game.blank(n, players, **options)
        self._by_round, self._forced = rewards == "round", bool(forced)
        self._all = np.arange(n)
        watched = self._watched(seat)
        self.arrays = self._arrays(1 if seat is not None else self.players)
        self._policies: list[BatchPolicy | None] = [None] * self.players
        self._lanes = self._new_lanes(watched, self._kinds(watched, seat is None, opponents))
        self._truncations = np.zeros(n, np.bool_)
        self._rng = np.zeros(1, np.uint64)
        self.seats = np.zeros(n, np.int64)
        self._started = False

    # --- what the learner calls -----------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin `n` games; game i has the seed `seed + i`, later ones the seeds after these.

        Args:
            seed: 0 to 2**64 - 1; default: 0 at first, later the seeds after those that were used.
            options: not used; Gymnasium's.

        Returns:
            Observations and infos (see `step`).
        """
        state = self._lanes
        if seed is not None or not self._started:
            state.seeds[:] = seeds_of(0 if seed is None else seed, self.num_envs)
            self._rng[0] = state.seeds[0]
        else:
            state.seeds[:] = state.seeds.max() + np.uint64(1) + self._all.astype(np.uint64)
        self._started = True
        state.ended[:] = True  # games in which nothing is to be decided pass by unnoticed
        self._play(self._all, np.full(self.num_envs, lanes.NO_ACTION))
        state.ended[:] = False
        state.rewards[:] = 0
        return state.observations, self._infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Apply an action in every lane, and go on until the learner is to act again.

        Args:
            actions: a legal one for each lane.

        Returns:
            Observations, rewards, terminations, truncations (none), infos: `action_mask`; `seat` to act in
            every lane; where a game ended `final_obs`, what the learner saw last (`_final_obs` says where).
            The same arrays every time.

        Raises:
            IllegalAction: names the first bad lane; nothing is changed.
            GameError: before `reset`.
        """
        self._check_started()
        numbers = self._checked(self._all, actions, "")
        self._lanes.rewards[:] = 0
        self._lanes.ended[:] = False
        self._play(self._all, numbers)
        arrays = self.arrays
        return (
            arrays["observations"], arrays["rewards"], arrays["terminations"], self._truncations,
            self._infos(),
        )  # fmt: skip

    def sample(self) -> NDArray[np.int64]:
        """Return a random legal action for every lane, from a stream that begins with `reset(seed=...)`."""
        self._check_started()
        actions = np.empty(self.num_envs, np.int64)
        lanes.draw_actions(self._lanes.legal, self._lanes.counts, self._rng, actions)
        return actions

    def rule(self) -> NDArray[np.int64]:
        """Return what the game's quick player would do in every lane: an example to learn from.

        It knows what the seat to act knows. Where it draws, it draws from the stream of `sample`.
        """
        self._check_started()
        actions = np.empty(self.num_envs, np.int64)
        lanes.rule_actions(core.rows(self._states), self._lanes.out, self._rng, actions)
        return actions

    def states(self) -> core.States:
        """Return a copy of the games' records, whole: not for the learner."""
        return core.copy_states(self._states)

    def close(self, **kwargs: Any) -> None:
        """Nothing is to be freed."""

    # --- copies: they play on by themselves, in arrays of their own -----------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> VectorGames:
        twin: VectorGames = object.__new__(type(self))
        memo[id(self)] = twin
        twin.__setstate__(copy.deepcopy(self._kept(), memo))
        return twin

    def __getstate__(self) -> dict[str, Any]:
        for policy in filter(None, self._policies):
            try:
                pickle.dumps(policy)
            except Exception as error:  # whatever a policy of the caller raises
                raise GameError(
                    f"{self.game.name}: the opponent {policy!r} cannot be pickled ({error}): make it a "
                    "function of a module, or use copy.deepcopy, which takes it"
                ) from error
        return self._kept()

    def __setstate__(self, kept: dict[str, Any]) -> None:
        kept = own(kept)  # arrays of a pickle may be read-only
        played = kept.pop("_lanes")
        self.__dict__.update(kept)
        self._lanes = self._new_lanes(played["watched"], played["kinds"])._replace(**played)

    def _kept(self) -> dict[str, Any]:
        """Return what a copy is made of; of the lanes what is not a view of other arrays."""
        return self.__dict__ | {"_lanes": {name: getattr(self._lanes, name) for name in lanes.PLAYED}}

    # --- Gymnasium's spaces, made when asked for ------------------------------------------------------------

    @property
    def single_observation_space(self) -> Any:
        """The range of every column."""
        return box(self.game)

    @property
    def single_action_space(self) -> Any:
        """All actions of the game; which are legal is in `infos["action_mask"]`."""
        from gymnasium.spaces import Discrete

        return Discrete(self.game.n_actions)

    @property
    def observation_space(self) -> Any:
        """That of all lanes."""
        from gymnasium.vector.utils import batch_space

        return batch_space(self.single_observation_space, self.num_envs)

    @property
    def action_space(self) -> Any:
        """That of all lanes."""
        from gymnasium.vector.utils import batch_space

        return batch_space(self.single_action_space, self.num_envs)

    # --- set-up ---------------------------------------------------------------------------------------------

    def _watched(self, seat: int | Sequence[int] | None) -> NDArray[np.int64]:
        watched = np.full(self.num_envs, -1)
        if seat is None:
            return watched
        wanted = np.asarray(seat)
        if wanted.shape not in ((), watched.shape) or wanted.dtype.kind not in "iu":
            raise GameError(
                f"{self.game.name}: seat must be one whole number, {self.num_envs} of them, or None"
            )
        if wanted.size and not (wanted.min() >= 0 and wanted.max() < self.players):
            raise GameError(f"{self.game.name}: seat = {seat}: allowed is 0 to {self.players - 1}")
        watched[:] = wanted
        return watched

    def _kinds(
        self, watched: NDArray[np.int64], all_learn: bool, opponents: Opponent | Sequence[Opponent]
    ) -> NDArray[np.int64]:
        """Who plays each seat of each lane; functions go to `_policies`."""
        one = isinstance(opponents, str) or not isinstance(opponents, Sequence)
        each: Any = [opponents] * self.players if one else opponents
        if len(each) != self.players:
            raise GameError(f"{self.game.name}: {self.players} opponents, one a seat, or one for all")
        kinds = np.full((self.num_envs, self.players), lanes.LEARNER)
        if all_learn:
            return kinds
        for seat, opponent in enumerate(each):
            if callable(opponent):
                self._policies[seat] = opponent
                kinds[:, seat] = lanes.OUTSIDE
            elif isinstance(opponent, str) and opponent in OPPONENTS:
                kinds[:, seat] = OPPONENTS[opponent]
            else:
                raise GameError(f"opponent {opponent!r}: allowed is 'random', 'rule' or a function")
        kinds[self._all, watched] = lanes.LEARNER
        return kinds

    def _arrays(self, columns: int) -> dict[str, NDArray[Any]]:
        """Return the arrays that every step writes into."""
        n, k = self.num_envs, self.game.encoding_size
        return {
            "observations": np.zeros((n, k), np.float32),
            "masks": np.zeros((n, self.game.n_actions), np.bool_),
            "rewards": np.zeros((n,) if columns == 1 else (n, columns), np.float32),
            "terminations": np.zeros(n, np.bool_),
            "final_obs": np.zeros((n, k), np.float32),
        }

    def _new_lanes(self, watched: NDArray[np.int64], kinds: NDArray[np.int64]) -> lanes.Lanes:
        n, game, arrays = self.num_envs, self.game, self.arrays
        view = np.zeros(1, game.state)
        return lanes.Lanes(
            words=words_of(self._states), blank=words_of(self._blank),
            seeds=np.zeros(n, np.uint64), rngs=np.zeros(n, np.uint64), kinds=kinds,
            legal=np.zeros((n, game.n_actions), np.int16), counts=np.zeros(n, np.int64),
            given=np.zeros((n, self.players), np.int64), watched=watched,
            observations=arrays["observations"], masks=arrays["masks"],
            rewards=arrays["rewards"].reshape(n, -1), ended=arrays["terminations"], last=arrays["final_obs"],
            seen=core.rows(view), seen_words=words_of(view), points=np.zeros(self.players, np.int64),
            out=core.work(game.n_actions), cards=core.work(game.deck_size), rng=np.zeros(1, np.uint64),
        )  # fmt: skip

    # --- a step ---------------------------------------------------------------------------------------------

    def _play(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Play on in these lanes, functions in the other seats too, until the learner is to act."""
        state, stride = self._lanes, np.uint64(self.num_envs)
        lanes.play(core.rows(self._states), state, rows, actions, stride, self._by_round, self._forced)
        while any(self._policies):
            waiting = self._waiting()
            if not waiting:
                break
            for policy, some in waiting:
                seats = self._states["seat"][some].astype(np.int64)
                answers = policy(state.observations[some], state.masks[some], seats)
                chosen = self._checked(some, answers, "an opponent's ")
                lanes.play(core.rows(self._states), state, some, chosen, stride, self._by_round, self._forced)
        if not state.counts.all():
            lane = int(np.flatnonzero(state.counts == 0)[0])
            raise GameError(
                f"{self.game.name}: lane {lane}: {lanes.MOST_EMPTY} games in a row in which the learner had "
                "nothing to decide"
            )
        self.seats[:] = self._states["seat"]

    def _waiting(self) -> list[tuple[BatchPolicy, NDArray[np.int64]]]:
        """Return the functions that are to act now, each with its lanes."""
        seats = self._states["seat"]
        outside = (self._lanes.kinds[self._all, seats] == lanes.OUTSIDE) & (self._lanes.counts > 0)
        waiting = []
        for policy in dict.fromkeys(filter(None, self._policies)):
            plays = np.array([one is policy for one in self._policies])
            rows = np.flatnonzero(outside & plays[seats])
            if rows.size:
                waiting.append((policy, rows))
        return waiting

    def _check_started(self) -> None:
        if not self._started:
            raise GameError(f"{self.game.name}: reset the environment before the first step")

    def _checked(self, rows: NDArray[np.int64], actions: ArrayLike, whose: str) -> NDArray[np.int64]:
        """Return an action for each of these lanes, as int64, if all are legal."""
        given = np.asarray(actions)
        if given.shape != rows.shape or given.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self.game.name}: {whose}actions must be {len(rows)} whole numbers, got {given.dtype} "
                f"{given.shape}"
            )
        numbers = np.ascontiguousarray(given, np.int64)
        bad = lanes.first_bad(self._lanes.legal, self._lanes.counts, rows, numbers)
        if bad >= 0:
            row, action = int(rows[bad]), int(given[bad])
            raise IllegalAction(
                f"lane {row}: {whose}{self.game.illegal_text(self._states[row : row + 1], action)}"
            )
        return numbers

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = {"action_mask": self.arrays["masks"], "seat": self.seats}
        if self.arrays["terminations"].any():
            infos |= {"final_obs": self.arrays["final_obs"], "_final_obs": self.arrays["terminations"]}
        return infos
