"""Lanes: games beside each other, each of which runs on by itself until a learner is to act, and begins anew
when it is over. Compiled.

A game is a function of its seed and of the actions that came from outside: the lane's random numbers begin
anew with every game. Nothing is checked here but `first_bad`: `engines.adapters.vector` does, before anything
is changed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core import below, entry, jit, legal, sample, score, settle, start, step, stream
from ..search.knowledge import policy
from .encoding import copy_words, encode_view

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
    rngs: Any  # uint64 [n, 1]
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


@entry
def first_bad(legal_actions: Any, counts: Any, rows: Any, actions: Any) -> int:
    """The first place in `rows` whose action (int64) is not legal; -1 if there is none."""
    for j in range(len(rows)):
        i, found = rows[j], False
        for k in range(counts[i]):
            found |= legal_actions[i, k] == actions[j]
        if not found:
            return j
    return -1


@entry
def play(
    states: Any, lanes: Lanes, rows: Any, actions: Any, stride: Any, by_round: bool, forced: bool
) -> None:
    """Apply an action in every row and go on until somebody from outside is to act.

    Args:
        states: the records, modified in place.
        lanes: modified in place.
        rows: int64 [m].
        actions: int64 [m], legal ones; NO_ACTION: begin a game.
        stride: uint64; what the next game's seed is above the last one's.
        by_round: rewards come as points are settled, else at the end of the game.
        forced: whether to wait also where only one action is legal.
    """
    counts, ended = lanes.counts, lanes.ended
    for j in range(len(rows)):
        i, action, empty = rows[j], actions[j], 0
        if action == NO_ACTION:
            begin(states, lanes, i)
        while True:
            if action != NO_ACTION:
                step(states[i], action)
            settle(states[i], lanes.cards)
            while states[i].seat < 0 and empty < MOST_EMPTY:
                finish(states, lanes, i)
                lanes.seeds[i] += stride
                begin(states, lanes, i)
                settle(states[i], lanes.cards)
                empty += 1
            if states[i].seat < 0:
                counts[i] = 0
                break
            action = own_action(states, lanes, i, forced)
            if action == NO_ACTION:
                break
        if by_round and not ended[i]:
            reward(states, lanes, i)
        if counts[i] > 0:
            observe(states, lanes, i)


@jit
def begin(states: Any, lanes: Lanes, i: int) -> None:
    """Put lane i to the start of the game of its seed, before the first shuffle."""
    copy_words(lanes.blank, 0, lanes.words, i)
    states[i].seed = lanes.seeds[i]
    stream(lanes.rngs[i], lanes.seeds[i], 0)
    for seat in range(lanes.given.shape[1]):
        lanes.given[i, seat] = 0
    start(states[i])


@jit
def own_action(states: Any, lanes: Lanes, i: int, forced: bool) -> int:
    """What lane i plays by itself; NO_ACTION, with the legal actions written down, if it waits."""
    s, rng = states[i], lanes.rngs[i]
    kind = lanes.kinds[i, s.seat]
    if kind == RANDOM:
        return sample(s, lanes.out, rng)
    if kind == RULE:
        return policy(s, lanes.out, rng)
    n = legal(s, lanes.legal[i])
    if n == 1 and not forced:
        return int(lanes.legal[i, 0])
    lanes.counts[i] = n
    return NO_ACTION


@jit
def finish(states: Any, lanes: Lanes, i: int) -> None:
    """A game is over: give the rewards and show its end. A second game in one step, in which nobody had
    anything to decide, counts for nothing.
    """
    if not lanes.ended[i]:
        reward(states, lanes, i)
        lanes.ended[i] = True
        encode_view(lanes.words, i, lanes.watched[i], lanes.seen, lanes.seen_words, lanes.last[i])


@jit
def reward(states: Any, lanes: Lanes, i: int) -> None:
    """Add the points that were settled since the last time to the rewards."""
    points, given, rewards = lanes.points, lanes.given, lanes.rewards
    score(states[i], points)
    watched = lanes.watched[i]
    for seat in range(given.shape[1]):
        if watched < 0:
            rewards[i, seat] += points[seat] - given[i, seat]
        elif watched == seat:
            rewards[i, 0] += points[seat] - given[i, seat]
        given[i, seat] = points[seat]


@jit
def observe(states: Any, lanes: Lanes, i: int) -> None:
    """Write what the seat that is waited for sees, and its legal actions."""
    mask = lanes.masks[i]
    for action in range(len(mask)):
        mask[action] = False
    for k in range(lanes.counts[i]):
        mask[lanes.legal[i, k]] = True
    seat = states[i].seat
    encode_view(lanes.words, i, seat, lanes.seen, lanes.seen_words, lanes.observations[i])


@entry
def draw_actions(legal_actions: Any, counts: Any, rng: Any, out: Any) -> None:
    """Write a random legal action for every lane into `out` (int64). `rng`: uint64[1]."""
    for i in range(len(counts)):
        out[i] = legal_actions[i, below(rng, counts[i])]
