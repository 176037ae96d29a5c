"""Learn to play as one bot from exported decisions: a linear policy with a softmax over the legal actions.

arena db export flip7#1 --what decisions --out decisions
python examples/imitate.py
"""

from pathlib import Path

import numpy as np

columns = {name: [] for name in ("encoding", "mask", "action", "deal")}
for path in sorted(Path("decisions").glob("*.npz")):
    file = np.load(path)
    mine = file["bot"] == "racer@1"
    for name, parts in columns.items():
        parts.append(file[name][mine])
if not any(len(part) for part in columns["action"]):
    raise SystemExit("no decisions of racer@1 in decisions/*.npz; export a run of Flip 7 in which it plays")
seen, mask, action, deal = (np.concatenate(some) for some in columns.values())
seen = np.hstack([seen, np.ones((len(seen), 1), np.float32)])
held_back = deal % 5 == 0


def policy(seen, mask, weights):
    """Return the chance of every action in each row."""
    scores = np.where(mask, seen @ weights, -np.inf)
    chance = np.exp(scores - scores.max(axis=1, keepdims=True))
    return chance / chance.sum(axis=1, keepdims=True)


def loss(rows):
    """Return the cross-entropy of the bot's actions in these rows."""
    chance = policy(seen[rows], mask[rows], weights)
    return -np.log(chance[np.arange(len(chance)), action[rows]]).mean()


weights = np.zeros((seen.shape[1], mask.shape[1]), np.float32)
before, learned = loss(held_back), np.flatnonzero(~held_back)
for _ in range(300):
    error = policy(seen[learned], mask[learned], weights)
    error[np.arange(len(learned)), action[learned]] -= 1
    weights -= 0.3 * seen[learned].T @ error / len(learned)
print(f"cross-entropy of decisions that it has not seen: {before:.2f} before, {loss(held_back):.2f} after")
