"""Random set-ups of a game, and random steps."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import States
from ..declaration import Option, Value
from ..errors import GameError, OptionError
from ..game import Game
from ..seeds import MAX_SEED

TRIES = 1000


def hold(fact: Any, message: str) -> None:
    """Raise AssertionError with a message if something that a law says is not so."""
    if not fact:
        raise AssertionError(message)


def refused(
    error: type[GameError], named: str, call: Callable[..., Any], *given: Any, **options: Any
) -> None:
    """Hold that a call is refused with an error of this kind, whose message names something."""
    try:
        call(*given, **options)
    except error as said:
        hold(named in str(said), f"the message for {given or options} does not say {named}: {said}")
    else:
        raise AssertionError(f"{call.__name__} takes {given or options}")


def setups_of(game: Game, facts: Any, rng: random.Random) -> tuple[int, dict[str, Any]]:
    """Draw a number of players and options that the game allows, by what its facts say."""
    if hasattr(facts, "setups"):
        return facts.setups(rng)
    drawn, sizes = getattr(facts, "DRAWN", {}), range(game.min_players, game.max_players + 1)
    for _ in range(TRIES):
        players = rng.choice(getattr(facts, "PLAYERS", sizes))
        options = {name: rng.choice(drawn.get(name, values_of(one))) for name, one in game.options.items()}
        try:
            return game.check_options(players, options)
        except OptionError as error:
            last = error
    raise GameError(f"no set-up drawn from DRAWN of the facts is allowed; the last: {last}")


def values_of(option: Option) -> list[Value] | range:
    """Return all values that an option can have."""
    if isinstance(option.default, bool):
        return [False, True]
    return list(option.choices) or range(option.low, option.high + 1)


def some_games(game: Game, facts: Any, rng: random.Random, n: int, most_steps: int) -> States:
    """Return `n` games of one random set-up, some random decisions on. Rows may be over."""
    players, options = setups_of(game, facts, rng)
    states = game.new(n, seed=rng.randint(0, MAX_SEED), players=players, **options)
    for _ in range(rng.randint(0, most_steps)):
        random_step(game, states, rng)
    return states


def random_step(game: Game, states: States, rng: random.Random) -> list[int]:
    """Play a random legal action in every row; 0 in rows that are over."""
    actions: list[int] = [rng.choice(np.flatnonzero(row).tolist() or [0]) for row in game.legal_mask(states)]
    game.step(states, actions)
    return actions


def step_by_words(game: Game, states: States, rng: random.Random) -> list[int]:
    """Play a random action whose kind, its text's first word, is drawn first: rare kinds come up, too."""
    texts, actions = game.actions(game.options_of(states)), []
    for row in game.legal_mask(states):
        legal = [(texts[a].split()[0], int(a)) for a in np.flatnonzero(row)] or [("", 0)]
        word = rng.choice(sorted({word for word, _ in legal}))
        actions.append(rng.choice([action for first, action in legal if first == word]))
    game.step(states, actions)
    return actions


def same(a: States, b: States) -> bool:
    """Whether two batches are equal byte for byte."""
    return bool((a.view(np.uint8) == b.view(np.uint8)).all())


def difference(a: States, b: States) -> str:
    """Return the fields of two one-row batches that differ, with their values."""
    names = [name for name in a.dtype.names or () if (a[name] != b[name]).any()]
    return "; ".join(f"{name}: {a[name][0].tolist()} and {b[name][0].tolist()}" for name in names)
