"""Counts cards, weighs who is on its side, keeps the I for the end, and calls what its hand is worth."""

from engines import core
from engines.taroky import state
from engines.taroky.state import ALL, KINGS, PAGAT, POINTS, SUIT, TRUMPS, Action, Phase

GAMES = ["taroky"]

SUITS = state.SUITS.tolist()
BEATEN_BY = state.BEATEN_BY.tolist()  # by option ace_high and card

# Found by trying them in 100 000 games against guessed ones: 2 to 3 chips a game better. The words of contra
# hardly matter: to say the first from 11 or never was as good.
HIGH_TRUMP, TOP_TRUMP, KING, MISSING_SUIT = 0.6, 2.25, 0.75, 0.6  # worth beside one for each trump
PREVER_STRENGTH = 11.8
CONTRA_STRENGTH = {
    False: (13, 13.5, 15),
    True: (10, 14.5, 14),
}  # partner round, Prever round: contra, rhea, supra
PAGAT_TRUMPS = 9
TRICK_WORTH, PLAY_ON_WORTH, CARD_SAFETY, LAST_WORTH = 4.5, 1.6, 0.5, 6.0
# what a King is worth in hand, being on lead, a trump that is led, and each card of a long suit
KEPT_KING, NEXT_LEAD, TRUMP_LEAD, LONG_LEAD = 2.5, 2.3, -4.0, 0.65
AGAINST_PREVER = 3.5, 0.0, 0.0, 0.3  # the same: whose trumps are to be drawn, and quickly


def strength(hand):
    """Return what a hand of 12 is worth.

    One for each trump, more for high ones, something for Kings and missing suits.
    """
    trumps = hand & TRUMPS
    missing = sum(not hand & suit for suit in SUITS[:4])
    top = trumps >> state.MOND  # XXI and Skyz
    return (
        trumps.bit_count()
        + HIGH_TRUMP * (trumps >> 46).bit_count()
        + TOP_TRUMP * top.bit_count()
        + KING * (hand & KINGS).bit_count()
        + MISSING_SUIT * missing
    )


class Trick:
    """What a seat that is to play a card can work out from its view."""

    def __init__(self, s, me):
        self.s, self.me, self.hand = s, me, s.hand[me]
        self.beaten_by = BEATEN_BY[s.ace_high]
        self.cards = [s.tricks[k] for k in range(s.played & ~3, s.played)]
        self.leader = s.leaders[s.played >> 2] if self.cards else me
        seen = self.hand | sum(1 << card for card in (*self.cards, *(card for card in s.talon if card >= 0)))
        for seat in range(4):
            seen |= s.won[seat] | s.discards[seat]
        self.unseen = ALL & ~seen
        self.n_unseen = max(1, self.unseen.bit_count())
        self.trumps = self.unseen & TRUMPS
        self.missing = self.missing_suits()
        self.friend = self.friends()
        against_prever = s.prever >= 0 and s.prever != me
        self.king, self.next_lead, self.trump_lead, self.long_lead = (
            AGAINST_PREVER if against_prever else (KEPT_KING, NEXT_LEAD, TRUMP_LEAD, LONG_LEAD)
        )

    def missing_suits(self):
        """Return the cards that each seat cannot have, since it once did not follow suit."""
        s, missing = self.s, [0, 0, 0, 0]
        for k in range(s.played):
            led, played = SUIT[s.tricks[k & ~3]], SUIT[s.tricks[k]]
            if played != led:
                missing[(s.leaders[k >> 2] + k) & 3] |= SUITS[led] | (TRUMPS if played != 4 else 0)
        return missing

    def friends(self):
        """Return the chance that each seat is on our side.

        Known with Prever or a shown partner, else equal over those who may be.
        """
        s, me = self.s, self.me
        if s.prever >= 0 or s.partner >= 0:
            side = (s.prever,) if s.prever >= 0 else (s.povinnost, s.partner)
            return [float((seat in side) == (me in side)) for seat in range(4)]
        maybe = [seat for seat in range(4) if seat not in (me, s.povinnost) and s.side[seat] < 0]
        declares = [1 / len(maybe) if seat in maybe else float(s.side[seat] == 1) for seat in range(4)]
        return declares if me == s.povinnost else [1 - chance for chance in declares]

    def can_beat(self, seat, best, led):
        """Return the chance that a seat still to play can beat the best card, with unseen cards at random."""
        without = 1 - self.s.hand_size[seat] / self.n_unseen  # chance that it has not one certain unseen card
        may = self.unseen & ~self.missing[seat]
        by_trump = 1 - without ** (may & TRUMPS & self.beaten_by[best]).bit_count()
        if led == 4:
            return by_trump
        has_none = without ** (may & SUITS[led]).bit_count()
        by_suit = 1 - without ** (may & SUITS[led] & self.beaten_by[best]).bit_count()
        return by_suit + has_none * by_trump

    def value(self, card):
        """Points that playing a card is expected to bring, less what it is worth in hand."""
        trick = [*self.cards, card]
        best = 0
        for k, other in enumerate(trick):
            if self.beaten_by[trick[best]] >> other & 1:
                best = k
        mine = float(best == len(self.cards))  # the chance that this card takes the trick, so leads the next
        ours = mine or self.friend[(self.leader + best) & 3]
        for k in range(len(trick), 4):
            seat = (self.leader + k) & 3
            beats, friend = 0.9 * self.can_beat(seat, trick[best], SUIT[trick[0]]), self.friend[seat]
            ours += beats * ((1 - ours) * friend - ours * (1 - friend))  # nobody beats its own side's card
            mine *= 1 - beats * (1 - friend)
        pot = sum(POINTS[c] for c in trick) + PLAY_ON_WORTH * (4 - len(trick))
        lead = 0.0 if self.cards else self.lead_worth(card)
        return ours * pot + self.next_lead * mine - self.kept(card) + lead

    def kept(self, card):
        """Return what a card is worth in hand: its safe points, and tricks that it may still take."""
        if SUIT[card] < 4:
            return self.king if KINGS >> card & 1 else POINTS[card] * CARD_SAFETY
        power = 1 - (self.trumps & self.beaten_by[card]).bit_count() / max(1, self.trumps.bit_count())
        worth = POINTS[card] * max(CARD_SAFETY, power) + TRICK_WORTH * power * power
        return worth + LAST_WORTH * self.lasts() if card == PAGAT else worth

    def lasts(self):
        """How good the chance is that the I comes home in the last trick, by who runs out of trumps first."""
        others, mine = self.trumps.bit_count(), (self.hand & TRUMPS).bit_count() - 1
        if self.s.pagat == self.me:
            return 3.0  # called
        if mine == 0:
            return -0.5 if others else 1.0
        return max(-0.5, min(1.0, (2 * mine - others) / 6))

    def lead_worth(self, card):
        """Return what a lead is worth: trumps pay with more than a share of them, others in a long suit."""
        mine = (self.hand & SUITS[SUIT[card]]).bit_count()
        if SUIT[card] == 4:
            return self.trump_lead + 0.5 * (mine - self.trumps.bit_count() / 3)
        return self.long_lead * mine


def discard_worth(hand, card):
    """Return what a discard is worth.

    Discards come from the suit that is soonest empty, Kings stay guarded, and points are safe among them.
    """
    suit = hand & SUITS[SUIT[card]]
    return (0 if suit & KINGS else 6) - 4 * (suit & ~KINGS).bit_count() + POINTS[card]


def surely_valat(hand):
    """Whether no card of a hand can lose: trumps from the top that outlast the others', and Kings."""
    trumps = hand & TRUMPS
    top = (~trumps & TRUMPS).bit_length() - 1  # highest trump elsewhere
    return trumps.bit_count() >= 10 and (trumps >> top).bit_count() >= 5 and not hand & ~TRUMPS & ~KINGS


def speaks(s, hand, word):
    """Whether the hand is worth the call that it may make besides `pass`."""
    if word == Action.PREVER:
        return strength(hand) >= PREVER_STRENGTH
    if word == Action.VALAT:
        return s.povinnost == s.seat and surely_valat(hand)
    if word == Action.PAGAT:
        return (hand & TRUMPS).bit_count() >= PAGAT_TRUMPS
    if s.phase == Phase.CONTRA and s.valat >= 0:
        return word == Action.CONTRA and hand >> state.SKYZ & 1  # a certain trick
    return s.phase == Phase.CONTRA and strength(hand) >= CONTRA_STRENGTH[s.prever >= 0][word - Action.CONTRA]


def act(view):
    """Return the card of most value, a discard that empties a suit, or a call that the hand is worth."""
    s, legal = core.plain(view.state)[0], view.legal.tolist()
    hand = s.hand[view.seat]
    if s.phase == Phase.PLAY:
        return max(legal, key=Trick(s, view.seat).value)
    if s.phase == Phase.DISCARD:
        return max(legal, key=lambda action: discard_worth(hand, action - Action.DISCARD))
    if len(legal) == 1:
        return legal[0]
    if legal[0] == Action.CALL:
        return legal[-1]  # the card that it does not hold itself
    return legal[-1] if legal[0] == Action.PASS and speaks(s, hand, legal[-1]) else legal[0]
