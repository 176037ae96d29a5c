"""The rollout policy, corrected by a small network that learnt from random worlds; one a game named here."""

from engines.learn.network import shipped

GAMES = ["flip7", "julepe", "taroky", "tzogous37"]


def act_batch(views):
    """Return the best action of each view, for all in one go."""
    return shipped(views[0].game).choose(views)
