"""Flip 7: counts the cards, and hits or stays by what it makes of the race against every other seat."""

from math import erf, exp, sqrt
from typing import Any

GAMES = ["flip7"]
# what the rows of seats that count cards come to: measured over 400 games of four of them
ROUND = 21.0  # mean points of a round
SPREAD = 24.0  # how far a round moves a seat: its deviation is 17; of 12, 17, 24, 34 this did best, just
BUST = (
    (20, 0.25),
    (25, 0.15),
    (30, 0.05),
    (999, 0.03),
)  # (below these points, chance of an active row to bust in the end)
CLOSED, NOISE = 31.0, 12.0  # points of a row that did not bust, and their standard deviation
RARE = 0.0003  # outcomes of a hit less likely than this are left out
HOPE = 10.0  # points that a row can well catch up: one so far behind comes true once in 2.7 times


def act(view: Any) -> str:
    """Return the action after which more of the others are expected to be behind at the end."""
    if view.phase == "save":
        return "save"
    race = Race(view)
    if view.phase == "give":
        return race.give([int(text.split()[1]) for text in view.texts])
    if "stay" not in view.texts:
        return "hit"
    bust, chances = view.odds
    hit = bust * race.beaten(0) + sum(
        chance * race.beaten(points, True) for points, chance in chances.items() if chance > RARE
    )
    return "hit" if hit > race.beaten(view.points[view.seat]) else "stay"


def below(gap: float, spread: float) -> float:
    """Return the chance that a normal deviate is below `gap`; without a spread a step, with a half at 0."""
    return 0.5 * (1 + erf(gap / spread / sqrt(2))) if spread > 0 else (gap > 0) + 0.5 * (gap == 0)


class Race:
    """Totals and rows of all seats at one decision."""

    def __init__(self, view: Any) -> None:
        self.seat, self.card, self.goal = view.seat, view.card, view.options["goal"]
        self.totals, self.points = view.totals, view.points
        self.ends = view.round == view.options["max_rounds"]
        self.now = [total + points for total, points in zip(view.totals, view.points)]
        others = [seat for seat in range(view.players) if seat != view.seat]
        status = view.status
        self.active = [self.outlook(seat) for seat in others if status[seat] == "active"]
        self.closed = [self.now[seat] for seat in others if status[seat] != "active"]

        on = 1.0
        for _, bust, usual in self.active:
            on *= 1 - (1 - bust) * below(usual - self.goal, NOISE)
        self.last = 1 - on  # the chance that one of the open rows ends the game

    def outlook(self, seat: int) -> tuple[int, float, float]:
        """Total of a seat whose row is open, the chance that it busts, and its usual total if it does not."""
        points = self.points[seat]
        bust = next(chance for limit, chance in BUST if points < limit)
        return self.totals[seat], bust, self.totals[seat] + max(CLOSED, points + 3.0)

    def beaten(self, points: int, going: bool = False) -> float:
        """How many seats will end behind this one if its row comes to these points (and may go on)."""
        mine = self.totals[self.seat] + points
        best = max([mine, *self.closed])
        if best >= self.goal or self.ends:
            return self.ahead(mine, 0.0, going)
        later = self.ahead(mine, SPREAD * sqrt(2 * max(0.5, (self.goal - best) / ROUND)), False)
        return (
            later if self.last < 0.01 else (1 - self.last) * later + self.last * self.ahead(mine, 0.0, going)
        )

    def ahead(self, mine: int, spread: float, going: bool) -> float:
        """How many seats end behind this total, if the rest of the game spreads the differences so."""
        score = 0.0
        for other in self.closed:
            score += self.hope(mine - other) if going and mine <= other else below(mine - other, spread)
        wide = sqrt(spread**2 + NOISE**2)
        for total, bust, usual in self.active:
            score += bust * below(mine - total, spread) + (1 - bust) * below(mine - usual, wide)
        return score

    def hope(self, gap: int) -> float:
        """Return the chance to make good a gap (not above 0) by drawing on."""
        return exp((gap - 1) / HOPE)

    def give(self, seats: list[int]) -> str:
        """Return a Freeze or Flip Three to the best of the others, a Second Chance to the last."""
        others = [seat for seat in seats if seat != self.seat] or seats
        seat = (
            min(others, key=self.now.__getitem__)
            if self.card == "SC"
            else max(others, key=self.now.__getitem__)
        )
        return f"give {seat}"
