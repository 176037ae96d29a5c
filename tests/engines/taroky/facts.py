"""What the laws in `test_laws.py` must know of Taroky. Nothing here asks the engine what a seat may know."""

import random
from typing import Any

from engines import core
from tests.models.taroky import Model as Model

SHORT = {"rounds": 1}  # a random game is soon over
DECK = (1 << 54) - 1
TRUMPS = DECK ^ ((1 << 32) - 1)
KINGS = 1 << 7 | 1 << 15 | 1 << 23 | 1 << 31
PLAIN = DECK & ~TRUMPS & ~KINGS
II, XIX = 33, 50
CUT, PILE, BID, TALON, DRAW, OFFER, DISCARD, CALL, MONEY, VALAT, CONTRA, PAGAT, PLAY = range(13)


DRAWN = {"rounds": range(1, 6), "pagat_fail": range(4, 21)}


def conserved(s: Any) -> None:
    """Every card is at exactly one place, the public counts are true, chips add up to 0."""
    assert sum(s.totals) == 0
    if s.phase < 0:
        assert not any(s.hand) and not any(s.won) and not any(s.hand_size)
        return
    if s.phase in (CUT, PILE):
        assert sorted(s.order) == list(range(54))
        return
    trick = [s.tricks[k] for k in range(s.played // 4 * 4, s.played)]
    talon = [card for card in s.talon if card >= 0]
    places = [*s.hand, *s.discards, *s.won, *(1 << card for card in trick + talon)]
    assert sum(places) == DECK and sum(mask.bit_count() for mask in places) == 54
    for seat in range(4):
        assert s.hand_size[seat] == s.hand[seat].bit_count()
        assert s.discard_count[seat] == s.discards[seat].bit_count()
    assert all(card == -1 for card in s.order)


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Exchange cards that `seat` cannot see, in place; and, as long as nothing tells, who the partner is."""
    if s.phase < 0:
        return
    if s.phase in (CUT, PILE):
        s.order = rng.sample(list(s.order), 54)
        return
    _swap_hidden(s, seat, rng)
    if s.phase == CALL or s.called < 0:
        return
    _hide_partner_elsewhere(s, seat, rng)


def _swap_hidden(s: Any, seat: int, rng: random.Random) -> None:
    """Deal the unseen cards anew: talon, other hands, and others' secret (plain) discards.

    Where all know who must have a card, or who may, it stays: the called card, the deciding card and the
    trumps below it, the half of the talon that Prever took after it was shown.
    """
    fixed = 1 << s.called if s.called >= 0 else 0
    if s.deciding >= 0:
        fixed |= (2 << s.deciding) - (1 << II)
    if s.rejections == 2:
        fixed |= s.shown
    others = [p for p in range(4) if p != seat]
    places = [
        i for i in range(6) if s.talon[i] >= 0 and not _sees_talon(s, seat, i) and not fixed >> s.talon[i] & 1
    ]
    plain, loose = 0, 0
    for p in others:
        plain |= s.discards[p] & PLAIN & ~fixed
        loose |= s.hand[p] & ~fixed
    for i in places:
        loose |= 1 << s.talon[i]
    pool_plain = _cards((plain | loose) & PLAIN)
    rng.shuffle(pool_plain)
    counts = {p: (s.discards[p] & PLAIN & ~fixed).bit_count() for p in others}
    for p in others:
        s.discards[p] = (s.discards[p] & (~PLAIN | fixed)) | _mask(pool_plain.pop() for _ in range(counts[p]))
    pool = pool_plain + _cards(loose & ~PLAIN)
    rng.shuffle(pool)
    for i in places:
        s.talon[i] = pool.pop()
    for p in others:
        kept = s.hand[p] & fixed
        s.hand[p] = kept | _mask(pool.pop() for _ in range(s.hand_size[p] - kept.bit_count()))
    assert not pool


def _sees_talon(s: Any, seat: int, place: int) -> bool:
    """Prever sees the half that it decides on; a refused half is seen by all."""
    shown = {0: (), 1: (0, 1, 2), 2: range(6)}[s.rejections]
    half = {0: (0, 1, 2), 1: (3, 4, 5), 2: ()}[s.rejections]
    return place in shown or (s.phase == TALON and seat == s.prever and place in half)


def _hide_partner_elsewhere(s: Any, seat: int, rng: random.Random) -> None:
    """If no call shows a side and the viewer does not see the card, any hidden hand may have it."""
    holders = [p for p in range(4) if s.hand[p] >> s.called & 1]
    if s.valat >= 0 or s.contras[0] >= 0 or not holders or holders[0] == seat:
        return
    choices = [p for p in range(4) if p != seat and s.hand_size[p] and (p != s.povinnost or s.called == XIX)]
    if len(choices) < 2:
        return
    old, new = holders[0], rng.choice(choices)
    if new != old:
        given = 1 << rng.choice(_cards(s.hand[new]))
        s.hand[old] = s.hand[old] & ~(1 << s.called) | given
        s.hand[new] = s.hand[new] & ~given | 1 << s.called
    s.partner = new


def _cards(mask: int) -> list[int]:
    return [card for card in range(54) if mask >> card & 1]


def _mask(cards: Any) -> int:
    return sum(1 << card for card in cards)


def most_decisions(players: int, options: dict[str, Any]) -> int:
    return 85 * int(options["rounds"])


# --- the past of a row: the shuffle of its round and the actions since ----------------------------------

PACKETS = ((6, 6), (1,) * 12, (2,) * 6, (3,) * 4, (4,) * 3, (6, 6), (12,), (3, 4, 5), (12,))  # by style
DISCARD_0, CUT_0, PILE_0 = 54, 108, 117
PASS, PREVER, KEEP, REJECT, DRAW_IT, OFFER_IT, ACCEPT = range(121, 128)
ANNOUNCE, CONCEAL, CALL_XIX, VALAT_IT, CONTRA_0, PAGAT_IT = 128, 129, 130, 135, 136, 139
MONEY_CHIPS = (4, 2, 2, 4, 2, 2, 4, 6)


def opening(game: Any, world: Any) -> Any:
    """The row before a later round: the record keeps the results of rounds, not their cards."""
    s = core.PlainRow(world[0])
    if s.finished == 0:
        return None
    states = game.blank(1, 4, **game.options_of(world))
    core.start_rows(core.rows(states))
    kept = "finished dealer povinnost drawn declarers points kind bonus pay money_won"
    for name in kept.split():
        states[name] = world[name]
    chips = [sum(n for k, n in enumerate(MONEY_CHIPS) if money >> k & 1) for money in s.money]
    states["totals"][0] = [s.totals[p] - 4 * chips[p] + sum(chips) for p in range(4)]
    states["shuffle"], states["seat"] = 64 * s.finished, core.SHUFFLE
    return states


def past(
    game: Any, world: Any, seat: int = -1, earlier: list[Any] | None = None
) -> tuple[list[list[int]], list[int]]:
    """The shuffle and the actions of a row's round; in round 1 also the draw for the dealer.

    `earlier`: views of this round that the seat has had; they tell more of the talon than the row does.
    """
    s = core.PlainRow(world[0])
    known = _talon_seen(s, seat, [core.PlainRow(view[0]) for view in earlier or []])
    shuffles = [list(s.order) if s.phase in (CUT, PILE) else _shuffled(s, known)]
    if s.first_dealer < 0 and s.finished == 0:
        shuffles.insert(0, [*s.drawn, *(card for card in range(54) if card not in list(s.drawn))])
    actions = [CUT_0 + s.style] if s.style >= 0 else []
    actions += [PILE_0 + list(s.piles).index(p) for p in _from(s.dealer + 1, 3) if p in list(s.piles)]
    actions += [
        PREVER if s.bids[p] else PASS for p in _from(s.povinnost, 4) if s.povinnost >= 0 and s.bids[p] >= 0
    ]
    parts = (_talon_words, _discards, _call_and_money, _valats, _contras, _pagats)
    actions += [action for part in parts for action in part(s)]
    return shuffles, actions + list(s.tricks[: s.played])


def _from(seat: int, n: int) -> list[int]:
    return [(seat + k) % 4 for k in range(n)]


def _played(s: Any) -> list[list[int]]:
    """The cards that each seat has played, in order."""
    cards: list[list[int]] = [[], [], [], []]
    for k in range(s.played):
        cards[(s.leaders[k // 4] + k) % 4].append(s.tricks[k])
    return cards


def _takers(s: Any) -> list[int]:
    """Who took the card at each place of the talon, -1 where it still lies."""
    if s.prever >= 0 and s.phase > TALON:
        return 3 * [-1] + 3 * [s.prever] if s.rejections == 1 else 3 * [s.prever] + 3 * [-1]
    if s.prever >= 0 or s.phase < DRAW:
        return 6 * [-1]
    who = {DRAW_IT: 0, REJECT: 0, ACCEPT: 1}
    fourth = (s.povinnost + 3) % 4
    last = [
        (fourth if who[s.offers[k]] else (s.povinnost + 1 + k) % 4) if s.offers[k] in who else -1
        for k in range(2)
    ]
    return 4 * [s.povinnost] + last


def _talon_seen(s: Any, seat: int, views: list[Any]) -> dict[int, int]:
    """Cards of the talon by place: those that a seat saw there, and those that it must have taken."""
    known = {place: card for view in views for place, card in enumerate(view.talon) if card >= 0}
    dealt = [
        view.hand[seat] for view in views if view.hand_size[seat] == 12 and view.discard_count[seat] == 0
    ]
    if dealt and s.phase >= BID:
        own = s.hand[seat] | s.discards[seat] | _mask(_played(s)[seat])
        taken = [card for card in _cards(own & ~dealt[0]) if card not in known.values()]
        free = [place for place, taker in enumerate(_takers(s)) if taker == seat and place not in known]
        known.update(zip(free, taken, strict=True))
    return known


def _shuffled(s: Any, known: dict[int, int]) -> list[int]:
    """A shuffle that gives this round; what came from the talon is chosen where nothing says it."""
    own = [_cards(s.hand[p] | s.discards[p]) + _played(s)[p] for p in range(4)]
    low = range(II, s.deciding) if s.deciding >= 0 else ()
    shown = s.shown & ~_mask(card for card in s.talon if card >= 0)
    talon = list(s.talon)
    for place, taker in enumerate(_takers(s)):
        if taker >= 0:
            surely = [card for card in own[taker] if card in low or shown >> card & 1]
            surely = [card for card in surely if card not in known.values()]
            free = [card for card in own[taker] if card != s.deciding and card not in known.values()]
            talon[place] = known[place] if place in known else (surely or free)[0]
            own[taker].remove(talon[place])
    dealt = []
    owners = list(s.piles) if s.style == 8 else _from(s.dealer + 1, 4)
    for size in PACKETS[s.style]:
        for p in owners:
            dealt += [own[p].pop() for _ in range(size)]
    assert not any(own)
    cards = talon + dealt
    return cards[27:] + cards[:27] if s.style == 0 else cards


def _talon_words(s: Any) -> list[int]:
    if s.prever >= 0:
        return s.rejections * [REJECT] + ([KEEP] if s.phase > TALON and s.rejections < 2 else [])
    said = {-1: [], ACCEPT: [OFFER_IT, ACCEPT], REJECT: [OFFER_IT, REJECT]}
    return [word for offer in s.offers for word in said.get(offer, [offer])]


def _discards(s: Any) -> list[int]:
    """Plain cards go first: as long as there is one, no trump may."""
    return [DISCARD_0 + card for p in _from(s.povinnost, 4) for card in _cards(s.discards[p])]


def _call_and_money(s: Any) -> list[int]:
    actions = [CALL_XIX + XIX - s.called] if s.called >= 0 else []
    if s.phase > MONEY:
        hand = s.hand[s.povinnost] | _mask(_played(s)[s.povinnost])
        hidden = (hand & TRUMPS).bit_count() <= 2 and not s.money[s.povinnost] & 3
        actions.append(CONCEAL if hidden else ANNOUNCE)
    return actions


def _asked(s: Any, seats: list[int], caller: int, word: int, open_now: bool) -> list[int]:
    """What was said in turn: passes up to the caller's word, else up to the seat to act or to the end."""
    if caller >= 0:
        return seats.index(caller) * [PASS] + [word]
    return (seats.index(s.seat) if open_now else len(seats)) * [PASS]


def _valats(s: Any) -> list[int]:
    return _asked(s, _from(s.povinnost, 4), s.valat, VALAT_IT, s.phase == VALAT) if s.phase >= VALAT else []


def _contras(s: Any) -> list[int]:
    """Three words at most; with Prever only the seats of the right side are asked."""
    if s.phase < CONTRA:
        return []
    claimant = next(p for p in (s.valat, s.prever, s.povinnost) if p >= 0)
    actions, before = [], claimant
    for level, caller in enumerate(s.contras):
        seats = _from(before + 1, 3)
        if s.prever >= 0:
            seats = [p for p in seats if (s.side[p] == s.side[claimant]) == (level == 1)]
        actions += _asked(s, seats, caller, CONTRA_0 + level, s.phase == CONTRA)
        if caller < 0:
            break
        before = caller
    return actions


def _pagats(s: Any) -> list[int]:
    if s.phase < PAGAT or (s.valat >= 0 and not s.pagat_with_valat):
        return []
    return _asked(s, _from(s.povinnost, 4), s.pagat, PAGAT_IT, s.phase == PAGAT)
