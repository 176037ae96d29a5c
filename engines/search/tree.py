"""Information-set Monte Carlo tree search with multiple observers.

Cowling, Powley & Whitehouse 2012, "Information set Monte Carlo tree search" (IEEE Transactions on
Computational Intelligence and AI in Games 4), there called MO-ISMCTS. Compiled.

Every iteration deals a new world, walks down the tree by UCB1 over the actions that are available in this
world, adds one node, plays out, and adds what came of it to the nodes on the way. A seat's tree branches by
the actions as this seat sees them; the trees of all seats lie in one pool of nodes, where seats that have
seen the same are at the same node, so that without hidden actions all trees are one. Chance has no nodes:
worlds differ in what is drawn and dealt. Where the others are taken as known players, they are chance, too.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import NOBODY, Row, below, fill, jit, kernel, legal, step
from .beliefs import Past, believe
from .knowledge import candidates, shown
from .playouts import (
    DEEPEST,
    TRIAL,
    VIEW,
    WORLD,
    Rollout,
    Space,
    deal_world,
    goes_on,
    play_out,
    quick_action,
    rewards,
)

ROOT = 0
NO_NODE = 0
"""No child, no sibling: the root is neither."""
OUTSIDE = -1
"""Where a seat is that has left its tree since the pool of nodes is full."""
KEY_BITS = 20  # an action, or HIDDEN plus a small number


class Tree(NamedTuple):
    """A pool of nodes; 0 is the root. A node is an action that was seen after all those before it."""

    size: NDArray[np.int64]  # [1] nodes in use
    child: NDArray[np.int32]  # first child
    sibling: NDArray[np.int32]  # next child of the same parent
    key: NDArray[np.int64]  # who acted and how it looked, see `node_key`
    visits: NDArray[np.int64]  # iterations that came through
    available: NDArray[np.int64]  # iterations at the parent in whose world it was legal
    total: NDArray[np.float64]  # rewards of these visits, to the seat that acted
    # [4, seats] rewards of all iterations: how many, mean, sum of squared differences, scale
    seats: NDArray[np.float64]


def new_tree(nodes: int, seats: int) -> Tree:
    """Make an empty tree of so many nodes of 40 bytes, which the system gives only when they are used."""
    return Tree(
        size=np.ones(1, np.int64),
        child=np.zeros(nodes, np.int32),
        sibling=np.zeros(nodes, np.int32),
        key=np.zeros(nodes, np.int64),
        visits=np.zeros(nodes, np.int64),
        available=np.zeros(nodes, np.int64),
        total=np.zeros(nodes),
        seats=np.zeros((4, seats)),
    )


def clear_tree(tree: Tree) -> None:
    """Make a tree empty again: only what was in use is written."""
    used = int(tree.size[0])
    for column in (tree.child, tree.sibling, tree.key, tree.visits, tree.available, tree.total):
        column[:used] = 0
    tree.seats[:] = 0
    tree.size[0] = 1


@jit
def node_key(seat: int, action: int) -> int:
    """Seat and action as one number."""
    return (seat << KEY_BITS) + action


@jit
def child_of(tree: Tree, parent: int, key: int) -> int:
    """Return the child of a node with this key; NO_NODE if there is none."""
    node = int(tree.child[parent])
    while node != NO_NODE and tree.key[node] != key:
        node = int(tree.sibling[node])
    return node


@jit
def is_full(tree: Tree) -> bool:
    """Whether the pool has no node left."""
    return bool(tree.size[0] == len(tree.key))


@jit
def child_or_new(tree: Tree, parent: int, key: int) -> int:
    """Return the child of a node with this key, added if there is none; OUTSIDE if that cannot be."""
    if parent == OUTSIDE:
        return OUTSIDE
    node = child_of(tree, parent, key)
    if node == NO_NODE:
        if is_full(tree):
            return OUTSIDE
        node = int(tree.size[0])
        tree.size[0] += 1
        tree.key[node] = key
        tree.sibling[node] = tree.child[parent]
        tree.child[parent] = node
    return node


@jit
def scaled(tree: Tree, node: int, seat: int) -> float:
    """Mean reward of a node, in scales of its seat above the seat's mean reward over the whole search.

    So one exploration constant does for cents and for places, and for a seat far ahead as for one behind.
    """
    mean, scale = tree.seats[1, seat], tree.seats[3, seat]
    return (tree.total[node] / tree.visits[node] - mean) / scale if scale > 0 else 0.0


@jit
def note_reward(tree: Tree, seat: int, reward: float) -> None:
    """Add a reward to the running mean and squared differences of a seat (Welford 1962).

    The scale is the largest that the running standard deviation has been: where one action's reward is
    certain and the search comes back to it, the deviation itself goes to 0, and the others would never be
    tried again.
    """
    n = tree.seats[0, seat] + 1
    gap = reward - tree.seats[1, seat]
    tree.seats[0, seat] = n
    tree.seats[1, seat] += gap / n
    tree.seats[2, seat] += gap * (reward - tree.seats[1, seat])
    tree.seats[3, seat] = max(tree.seats[3, seat], sqrt(tree.seats[2, seat] / n))


@jit
def look_up(tree: Tree, parent: int, seat: int, children: Any, forget: bool) -> None:
    """Write the children of a node that are this seat's actions into `children`, until `forget`."""
    node = int(tree.child[parent])
    while node != NO_NODE:
        action = tree.key[node] - node_key(seat, 0)
        if 0 <= action < len(children):
            children[action] = NO_NODE if forget else node
        node = int(tree.sibling[node])


@jit
def untried(out: Any, n: int, children: Any, rng: Any) -> int:
    """Return a random one of the first `n` actions that has no child yet; -1 if all have."""
    chosen, seen = -1, 0
    for k in range(n):
        if children[out[k]] == NO_NODE:
            seen += 1
            if below(rng, seen) == 0:
                chosen = int(out[k])
    return chosen


@jit
def best_known(tree: Tree, seat: int, out: Any, n: int, children: Any, exploration: float) -> int:
    """Choose the action of highest UCB1 value, its availability for trials; -1: none has a child."""
    best, most = -1, -np.inf
    for k in range(n):
        node = int(children[out[k]])
        if node == NO_NODE:
            continue
        bound = scaled(tree, node, seat) + exploration * sqrt(log(tree.available[node]) / tree.visits[node])
        if bound > most:
            best, most = int(out[k]), bound
    return best


@jit
def choose(tree: Tree, node: int, s: Row, n: int, exploration: float, space: Space) -> int:
    """Return the action to try at a node, of the first `n` in `space.out`.

    It is one without a child first, else the choice of UCB1.

    Counts that they were available. -1 if a child is wanted and cannot be.
    """
    seat = int(s.seat)
    look_up(tree, node, seat, space.children, False)
    for k in range(n):
        # of those without a child the root keeps the count, for nobody
        tree.available[space.children[space.out[k]]] += 1
    action = -1 if is_full(tree) else untried(space.out, n, space.children, space.rng)
    if action < 0:
        action = best_known(tree, seat, space.out, n, space.children, exploration)
    look_up(tree, node, seat, space.children, True)
    return action


@jit
def follow(tree: Tree, s: Row, action: int, at: Any) -> None:
    """Move every seat in its tree by an action as it sees it; nodes are added where there are none."""
    actor, looks = int(s.seat), shown(s, action)
    source, source_key, target = -1, -1, NO_NODE
    for seat in range(s.players):
        key = node_key(actor, action if seat == actor else looks)
        if at[seat] != source or key != source_key:  # else it is where the last seat was, and saw the same
            source, source_key = int(at[seat]), key
            target = child_or_new(tree, source, key)
        at[seat] = target


@jit
def descend(
    tree: Tree, s: Row, prune: bool, only: int, rollout: Rollout, exploration: float, space: Space
) -> int:
    """Play a world down the tree, and one step out of it, in place; return how many steps are on the path.

    A forced step out of the tree does not count, nor one of a seat that is not searched: the descent goes on
    behind it.
    """
    until = rollout.until
    fill(space.at, ROOT)
    depth = 0
    while depth < DEEPEST and goes_on(s, until, space.cards) and space.at[s.seat] != OUTSIDE:
        actor, size, n = int(s.seat), tree.size[0], 1
        if only in (NOBODY, actor):
            n = candidates(s, space.out, space.rng) if prune else legal(s, space.out)
            action = choose(tree, int(space.at[actor]), s, n, exploration, space)
        else:
            action = quick_action(s, rollout.noise, space.out, space.rng)
        if action < 0:
            break
        follow(tree, s, action, space.at)
        step(s, action)
        node = space.at[actor]
        if node == OUTSIDE:
            break
        space.path[depth, 0], space.path[depth, 1] = node, actor
        depth += 1
        if node >= size:
            tree.available[node] = 1
            if n > 1:
                break
    return depth


@jit
def back_up(tree: Tree, depth: int, space: Space) -> None:
    """Add the rewards of an iteration to the nodes on its path, each that of the seat that acted."""
    for seat in range(len(space.worth)):
        note_reward(tree, seat, space.worth[seat])
    for k in range(depth):
        node, actor = space.path[k, 0], space.path[k, 1]
        tree.visits[node] += 1
        tree.total[node] += space.worth[actor]


@kernel
def iterate(
    states: Any,
    words: Any,
    first: int,
    iterations: int,
    seed: Any,
    tree: Tree,
    prune: bool,
    only: int,
    exploration: float,
    rollout: Rollout,
    past: Past,
    space: Space,
) -> int:
    """Run the iterations `first`, `first + 1`, ... of a search.

    Return the number of decisions made.

    Args:
        states, words: the rows (see `playouts`), as records and as words.
        first, iterations: which, how many.
        prune: try the game's candidates only, not all legal actions.
        only: the one seat that chooses by the tree, the others play as in playouts; NOBODY: all choose by it.
        exploration: weight of UCB1's second term, in standard deviations of the rewards.
        past: earlier decisions of others, which the worlds are to fit (see `beliefs`).
    """
    decisions, world = 0, states[WORLD]
    out, cards, rng = space.out, space.cards, space.rng
    for i in range(first, first + iterations):
        deal_world(states, words, seed, i, rng)
        believe(states, words, VIEW, WORLD, TRIAL, past, rng)
        depth = descend(tree, world, prune, only, rollout, exploration, space)
        decisions += depth + play_out(world, rollout, out, cards, rng)
        rewards(world, rollout, space)
        back_up(tree, depth, space)
    return decisions
