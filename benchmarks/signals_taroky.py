"""A pair in Taroky that sees each other's hands: for `benchmarks.signals`.

Both play as `rule`. `master` knows its partner's cards, so it knows sooner who is on its side and who can
beat a card. `servant` plays for the master's side, also where it is on the other one. It then loses tricks
and says contra, so that its own side pays double. The master doubles that again, and the servant once more.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from engines import core
from engines.taroky.state import POINTS, SUIT, TRUMPS, Action, Phase

rule: Any = import_module("bots.rule")  # house bots are written as strangers' are, without types

PREVER, CONTRA = (
    10.5,
    (9.0, 9.5, 10.0),
)  # of `rule.strength` of the master, if its servant plays against itself


class Trick(rule.Trick):  # type: ignore[misc]  # as above
    """As `rule.Trick`, for the side of one seat, with the partner's hand open.

    Args:
        s: the record of a view.
        me: whose turn it is.
        other: the partner.
        its_hand: the partner's cards, 0 if nothing is known.
        master: the seat whose side both play for.
    """

    def __init__(self, s: Any, me: int, other: int, its_hand: int, master: int) -> None:
        self.other, self.its_hand, self.master = other, its_hand, master
        super().__init__(s, me)

    def friends(self) -> list[float]:
        """Return the chance that each seat is on the master's side."""
        declares = sides(self.s, self.me, self.other, self.its_hand)
        ours = declares[self.master]
        chances = [chance * ours + (1 - chance) * (1 - ours) for chance in declares]
        chances[self.master] = 1.0
        return chances

    def can_beat(self, seat: int, best: int, led: int) -> float:
        """Return the chance that a seat still to play can beat the best card."""
        if seat != self.other or not self.its_hand:
            return float(super().can_beat(seat, best, led))
        suit = self.its_hand & rule.SUITS[led]
        return float(bool((suit or self.its_hand & TRUMPS) & self.beaten_by[best]))

    def value(self, card: int) -> float:
        """As `rule.Trick.value`, but a trick of its own is worth nothing on the other side."""
        trick = [*self.cards, card]
        best = 0
        for k, one in enumerate(trick):
            if self.beaten_by[trick[best]] >> one & 1:
                best = k
        mine, ours = float(best == len(self.cards)), self.friend[(self.leader + best) & 3]
        for k in range(len(trick), 4):
            seat = (self.leader + k) & 3
            beats, friend = 0.9 * self.can_beat(seat, trick[best], SUIT[trick[0]]), self.friend[seat]
            ours += beats * ((1 - ours) * friend - ours * (1 - friend))
            mine *= 1 - beats * (1 - friend)
        pot = sum(POINTS[one] for one in trick) + rule.PLAY_ON_WORTH * (4 - len(trick))
        keeps = 2 * self.friend[self.me] - 1  # what it keeps, its own side has at the end
        lead = 0.0 if self.cards else self.lead_worth(card)
        return float(ours * pot + keeps * (self.next_lead * mine - self.kept(card)) + lead)


def sides(s: Any, me: int, other: int, its_hand: int) -> list[float]:
    """Return the chance that each seat is a declarer, as two seats know it that see each other's cards."""
    if s.prever >= 0 or s.partner >= 0:
        return [
            float(seat in ((s.prever,) if s.prever >= 0 else (s.povinnost, s.partner))) for seat in range(4)
        ]
    held = its_hand or s.hand[me]
    if s.called >= 0 and its_hand >> s.called & 1:
        return [float(seat in (s.povinnost, other)) for seat in range(4)]
    out = {me, s.povinnost, *((other,) if its_hand else ())} if held else {me, s.povinnost}
    maybe = [seat for seat in range(4) if seat not in out and s.side[seat] < 0]
    return [
        1.0 if seat == s.povinnost else 1 / len(maybe) if seat in maybe else float(s.side[seat] == 1)
        for seat in range(4)
    ]


def act(view: Any, other: int, its_hand: int, serves: bool) -> int:
    """Return the action of one of the pair.

    Args:
        view: its view.
        other: the partner's seat.
        its_hand: the partner's cards; 0 if nothing is known.
        serves: whether it is the servant.
    """
    s, legal = core.plain(view.state)[0], view.legal.tolist()
    me, hand = view.seat, s.hand[view.seat]
    master = other if serves else me
    if s.phase == Phase.PLAY:
        return int(max(legal, key=Trick(s, me, other, its_hand, master).value))
    if legal[0] != Action.PASS or len(legal) == 1 or not its_hand:
        return int(rule.act(view))
    word = legal[-1]
    best = its_hand if serves else hand
    if word == Action.PREVER and not serves:
        return int(word if rule.strength(hand) >= PREVER else legal[0])
    if s.phase != Phase.CONTRA or s.valat >= 0:
        return int(rule.act(view))
    declares = sides(s, me, other, its_hand)
    apart = abs(declares[me] - declares[other]) > 0.5
    claims = declares[master] > 0.5
    if apart and claims:  # the servant doubles against itself, the master doubles again
        return int(word if rule.strength(best) >= CONTRA[word - Action.CONTRA] else legal[0])
    return int(legal[0] if serves and apart else rule.act(view))
