"""Run games beside each other, each until a learner is to act. Compiled.

Each lane runs on by itself, and begins a new game when one is over.

A game is a function of its seed and of the actions that came from outside: the lane's random numbers begin
anew with every game. Nothing is checked here but `first_bad`: `engines.adapters.vector` does, before anything
is changed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core import Row, below, copy_words, entry, jit, legal, sample, score, settle, start, step, stream
from ..search.knowledge import policy
from .encoding import encode_view

LEARNER, OUTSIDE, RANDOM, RULE = 0, 1, 2, 3
"""Who plays a seat: the learner, a policy in Python, random legal actions, the game's rule policy."""
NO_ACTION = -1
MOST_EMPTY = 1000
"""Games in a row in which nobody from outside has anything to decide; then the lane stops."""


class Lanes(NamedTuple):
    """What the lanes are made of beside their records; the arrays are modified in place.

    The records come as an argument of their own, so that compiled code is kept with their game's.
    """

    words: Any  # int64 [n, words]: the records
    blank: Any  # int64 [1, words]: a row with players and options, nothing else
    seeds: Any  # uint64 [n]: of the game that is played
    rngs: Any  # uint64 [n]
    kinds: Any  # int64 [n, seats]: who plays each seat
    legal: Any  # int16 [n, actions]: legal actions of the seat that is waited for
    counts: Any  # int64 [n]: how many
    given: Any  # int64 [n, seats]: points that were given as rewards in this game
    watched: Any  # int64 [n]: the seat whose rewards are given; -1: all seats
    # what the caller gets
    observations: Any  # float32 [n, columns]
    masks: Any  # bool [n, actions]
    rewards: Any  # float32 [n, 1 or seats]
    ended: Any  # bool [n]: a game ended in this step
    last: Any  # float32 [n, columns]: how the learner saw its end
    # work space
    seen: Any  # [1] record: a view
    seen_words: Any  # int64 [1, words]: the same
    points: Any  # int64 [seats]
    out: Any  # int16 [actions]
    cards: Any  # int16
    rng: Any  # uint64 [1]


PLAYED = ("seeds", "rngs", "kinds", "legal", "counts", "given", "watched")
"""What lanes hold of their games that is neither in the records nor in the caller's arrays."""


@entry
def first_bad(legal_actions: Any, counts: Any, rows: Any, actions: Any) -> int:
    """Return the first place in `rows` whose action (int64) is not legal; -1 if there is none."""
    for j in range(len(rows)):
        i, is_legal = rows[j], False
        for k in range(counts[i]):
            is_legal |= legal_actions[i, k] == actions[j]
        if not is_legal:
            return j
    return -1


@entry
def play(
    states: Any, lanes: Lanes, rows: Any, actions: Any, stride: Any, by_round: bool, forced: bool
) -> None:
    """Apply an action in every row and go on until somebody from outside is to act.

    Args:
        actions: int64 [m], legal ones; NO_ACTION: begin a game.
        stride: uint64; what the next game's seed is above the last one's.
        by_round: rewards come as points are settled, else at the end of the game.
        forced: whether to wait also where only one action is legal.
    """
    # arrays one by one: to pass the tuple on would count references of them all at every call
    words, blank, seeds, rngs, kinds, legal_actions, counts, given, watched = lanes[:9]
    observations, masks, rewards, ended, last, seen, seen_words, points, out, cards, rng = lanes[9:]
    for j in range(len(rows)):
        i, action, empty = rows[j], actions[j], 0
        rng[0] = rngs[i]
        if action == NO_ACTION:
            begin(states, words, blank, i, seeds[i], given, rng)
        while True:
            if action != NO_ACTION:
                step(states[i], action)
            settle(states[i], cards)
            while states[i].seat < 0 and empty < MOST_EMPTY:
                if not ended[i]:
                    ended[i] = True
                    reward(states[i], i, watched[i], points, given, rewards)
                    encode_view(words, i, watched[i], seen, seen_words, last[i])
                seeds[i] += stride
                begin(states, words, blank, i, seeds[i], given, rng)
                settle(states[i], cards)
                empty += 1
            action, counts[i] = own_action(states[i], kinds, i, out, rng, forced)
            if action == NO_ACTION:
                break
        rngs[i] = rng[0]
        if by_round and not ended[i]:
            reward(states[i], i, watched[i], points, given, rewards)
        for k in range(counts[i]):
            legal_actions[i, k] = out[k]
        if counts[i] > 0:
            mark(masks, i, out, counts[i])
            encode_view(words, i, states[i].seat, seen, seen_words, observations[i])


@jit
def begin(states: Any, words: Any, blank: Any, i: int, seed: Any, given: Any, rng: Any) -> None:
    """Put lane i to the start of the game of a seed, before the first shuffle."""
    copy_words(blank, 0, words, i)
    states[i].seed = seed
    stream(rng, seed, 0)
    for seat in range(given.shape[1]):
        given[i, seat] = 0
    start(states[i])


@jit
def own_action(s: Row, kinds: Any, i: int, out: Any, rng: Any, forced: bool) -> tuple[int, int]:
    """Return what lane i plays by itself; NO_ACTION and how many actions are legal (in `out`), if it waits.

    0 are legal where the game is over: the lane has stopped.
    """
    if s.seat < 0:
        return NO_ACTION, 0
    kind = kinds[i, s.seat]
    if kind == RANDOM:
        return sample(s, out, rng), 0
    if kind == RULE:
        return policy(s, out, rng), 0
    n = legal(s, out)
    return (int(out[0]) if n == 1 and not forced else NO_ACTION), n


@jit
def reward(s: Row, i: int, watched: int, points: Any, given: Any, rewards: Any) -> None:
    """Add the points that were settled since the last time to the rewards."""
    score(s, points)
    for seat in range(given.shape[1]):
        if watched < 0:
            rewards[i, seat] += points[seat] - given[i, seat]
        elif watched == seat:
            rewards[i, 0] += points[seat] - given[i, seat]
        given[i, seat] = points[seat]


@jit
def mark(masks: Any, i: int, out: Any, n: int) -> None:
    """Set the mask of lane i to the first `n` actions of `out`."""
    for action in range(masks.shape[1]):
        masks[i, action] = False
    for k in range(n):
        masks[i, out[k]] = True


@entry
def draw_actions(legal_actions: Any, counts: Any, rng: Any, out: Any) -> None:
    """Write a random legal action for every lane into `out` (int64). `rng`: uint64[1]."""
    for i in range(len(counts)):
        out[i] = legal_actions[i, below(rng, counts[i])]


@entry
def rule_actions(states: Any, out: Any, rng: Any, actions: Any) -> None:
    """Write what the game's rule policy would do in every lane into `actions` (int64).

    A lane that has stopped gets NO_ACTION. `out`: int16 [actions] work space; `rng`: uint64[1].
    """
    for i in range(len(actions)):
        actions[i] = policy(states[i], out, rng) if states[i].seat >= 0 else NO_ACTION
