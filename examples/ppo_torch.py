"""Proximal policy optimisation with PyTorch in one file: one seat learns against the game's rollout policy.

    pip install torch
    python examples/ppo_torch.py flip7 --steps 1000000
    python examples/ppo_torch.py taroky --opponents random --option rounds=1 --scale 20

Prints a line of CSV an update: decisions so far, seconds, mean score of the games that ended, entropy, and
the loss of the value.

Schulman et al. 2017, "Proximal Policy Optimization Algorithms"; advantages as in Schulman et al. 2016,
"High-Dimensional Continuous Control Using Generalized Advantage Estimation". Actions that are not legal get
the logit -1e9: Huang & Ontanon 2022, "A Closer Look at Invalid Action Masking in Policy Gradient Algorithms".
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from engines.adapters import vector

GAMMA, TRACE, CLIP, EPOCHS, BATCHES, ENTROPY, VALUE, NORM = 1.0, 0.95, 0.2, 3, 8, 0.01, 0.5, 0.5


class Agent(nn.Module):
    """Two hidden layers for the policy, two for the value."""

    def __init__(self, inputs: int, actions: int, hidden: int = 128) -> None:
        super().__init__()

        def layers(out: int, gain: float) -> nn.Sequential:
            last = nn.Linear(hidden, out)
            nn.init.orthogonal_(last.weight, gain)
            return nn.Sequential(
                nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), last
            )

        self.actor, self.critic = layers(actions, 0.01), layers(1, 1.0)

    def policy(self, seen: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """Chance of every legal action."""
        return Categorical(logits=self.actor(seen).masked_fill(~mask, -1e9))

    def value(self, seen: torch.Tensor) -> torch.Tensor:
        """Return what positions are worth, in scaled points."""
        return self.critic(seen).squeeze(-1)


def words_given() -> argparse.Namespace:
    """Read the command line; `options` are the game's."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("game")
    words.add_argument("--opponents", default="rule", choices=("rule", "random"))
    words.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    words.add_argument("--steps", type=int, default=1_000_000, help="decisions to learn from")
    words.add_argument("--lanes", type=int, default=256)
    words.add_argument("--length", type=int, default=64, help="decisions of a lane between two updates")
    words.add_argument("--rate", type=float, default=1e-3)
    words.add_argument("--scale", type=float, default=100.0, help="points that count as 1")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--out", type=Path, default=Path("agent.pt"))
    given = words.parse_args()
    pairs = [one.split("=") for one in given.option]
    given.options = {key: int(text) if text.isdecimal() else text for key, text in pairs}
    return given


def learn(agent: Agent, adam: torch.optim.Adam, played: list[torch.Tensor]) -> tuple[float, float]:
    """Update the agent by decisions: views, masks, actions, their log chances, advantages, values aimed at.

    Returns:
        Entropy and loss of the value in the last batch.
    """
    for _ in range(EPOCHS):
        for part in torch.randperm(len(played[0])).chunk(BATCHES):
            view, mask, action, chance, gain, target = (one[part] for one in played)
            policy = agent.policy(view, mask)
            ratio = (policy.log_prob(action) - chance).exp()
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            better = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            entropy, wrong = policy.entropy().mean(), (agent.value(view) - target).square().mean()
            adam.zero_grad()
            (VALUE * wrong - better - ENTROPY * entropy).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), NORM)
            adam.step()
    return entropy.item(), wrong.item()


def main() -> None:
    """Train, and write the weights."""
    given = words_given()
    torch.manual_seed(given.seed)

    env = vector.env(given.game, given.lanes, seat=0, opponents=given.opponents, **given.options)
    seen, infos = env.reset(seed=given.seed)
    length, lanes = given.length, given.lanes
    agent = Agent(seen.shape[1], env.game.n_actions)
    adam = torch.optim.Adam(agent.parameters(), lr=given.rate, eps=1e-5)
    views = torch.zeros(length, lanes, seen.shape[1])
    masks = torch.zeros(length, lanes, env.game.n_actions, dtype=torch.bool)
    actions = torch.zeros(length, lanes, dtype=torch.long)
    chances, rewards, ends, values = (torch.zeros(length, lanes) for _ in range(4))
    began, updates = time.monotonic(), max(1, given.steps // (length * lanes))
    print("decisions,seconds,score,entropy,value_loss")

    for update in range(1, updates + 1):
        adam.param_groups[0]["lr"] = given.rate * (1 - (update - 1) / updates)
        scores: list[np.ndarray] = []
        with torch.no_grad():
            for t in range(length):
                views[t] = torch.from_numpy(seen)  # copies: the environment writes into the same arrays again
                masks[t] = torch.from_numpy(infos["action_mask"].astype(bool))
                policy = agent.policy(views[t], masks[t])
                actions[t] = policy.sample()
                chances[t], values[t] = policy.log_prob(actions[t]), agent.value(views[t])
                seen, reward, over, _, infos = env.step(actions[t].numpy())
                rewards[t], ends[t] = torch.from_numpy(reward) / given.scale, torch.from_numpy(over).float()
                scores.append(reward[over])
            later, trace = agent.value(torch.from_numpy(seen)), torch.zeros(lanes)
            gains = torch.zeros(length, lanes)
            for t in reversed(range(length)):
                goes_on = 1 - ends[t]
                error = rewards[t] + GAMMA * goes_on * later - values[t]
                gains[t] = trace = error + GAMMA * TRACE * goes_on * trace
                later = values[t]
            targets = gains + values

        flat = [one.flatten(0, 1) for one in (views, masks, actions, chances, gains, targets)]
        entropy, wrong = learn(agent, adam, flat)
        ended = np.concatenate(scores)
        mean = ended.mean() if len(ended) else float("nan")
        done, since = update * length * lanes, time.monotonic() - began
        print(f"{done},{since:.1f},{mean:.2f},{entropy:.3f},{wrong:.4f}", flush=True)
    torch.save(agent.state_dict(), given.out)


if __name__ == "__main__":
    main()
