"""Jolly Zoliky as text: actions, melds, what a view shows, a position for people. Never compiled."""

from __future__ import annotations

from typing import Any

from ..core import NOBODY, OVER
from ..core.text import card_text, listed
from ..declaration import Field
from . import state
from .melds import HIGH_AT, LOW_AT, SET, SUIT_AT
from .state import CARDS, JOKER, N_KINDS, PLACE, RANKS, SUITS, TWO_BYTES, Action, Phase
from .steps import RUN_JOKERS, SET_SUITS

# --- actions [7] --------------------------------------------------------------------------------------------


def card_at(suit: int, pos: int) -> str:
    """Return the card at a run position 1..14."""
    return RANKS[(pos - 1) % 13] + SUITS[suit]


def _action_texts() -> list[str]:
    """Return the text of every action, by number."""
    texts = ["draw stock", "draw discard", "draw jolly"] + [f"discard {c}" for c in CARDS]
    for suit in range(4):
        for low in range(1, 13):
            for jokers in RUN_JOKERS:
                texts.append(
                    "run " + " ".join("JK" if i in jokers else card_at(suit, low + i) for i in range(3))
                )
    for rank in range(13):
        for suits in SET_SUITS:
            naturals = [card_at(suit, rank + 1) for suit in range(4) if suits >> suit & 1]
            texts.append("set " + " ".join(naturals + ["JK"] * (3 - len(naturals))))
    hi = [card_at(suit, pos) for suit in range(4) for pos in range(4, 15)]
    lo = [card_at(suit, pos) for suit in range(4) for pos in range(1, 12)]
    for joker, of_set in (("", CARDS[:JOKER]), ("JK ", RANKS)):
        texts += [f"lay {joker}{c} hi" for c in hi] + [f"lay {joker}{c} lo" for c in lo]
        texts += [f"lay {joker}{c} set" for c in of_set]
    return texts + [f"swap {c} run" for c in CARDS[:JOKER]] + [f"swap {c} set" for c in CARDS[:JOKER]]


ACTIONS = tuple(_action_texts())

# --- melds --------------------------------------------------------------------------------------------------


def meld_cards(m: int) -> tuple[str, ...]:
    """Return a meld as text cards; a joker of a run with the card it stands for: `4h 5h JK(6h)`."""
    low, high = m >> LOW_AT & 15, m >> HIGH_AT & 15
    if m & SET:
        naturals = [card_at(suit, low) for suit in range(4) if m >> suit & 1]
        return (*naturals, *["JK"] * (high - len(naturals)))
    cards = [card_at(m >> SUIT_AT & 3, pos) for pos in range(low, high + 1)]
    return tuple(f"JK({card})" if m >> pos & 1 else card for pos, card in enumerate(cards, low))


# --- what a row holds, as text ------------------------------------------------------------------------------


def _in_python(function: Any) -> Any:
    """Return a compiled function of plain fields for rows that are read in Python."""
    return getattr(function, "py_func", function)


leader_of, cutter_of, reshuffles_of = (
    _in_python(function) for function in (state.leader, state.cutter, state.reshuffles)
)

BITS = tuple((CARDS[kind], 1 << int(PLACE[kind])) for kind in range(JOKER))


def cards_of(naturals: int, twice: int, jokers: int) -> tuple[str, ...]:
    """Naturals (masks of those there once or twice) and jokers as text, sorted by kind."""
    return (
        *(card for card, bit in BITS if naturals & bit for _ in range(2 if twice & bit else 1)),
        *["JK"] * jokers,
    )


def hand_of(s: Any, p: int) -> tuple[str, ...]:
    """Return the hand of a seat as text, as far as the row shows it; nothing for an onlooker (-1)."""
    return cards_of(s.hand[p], s.twice[p], s.jokers[p]) if p != NOBODY else ()


def table_of(s: Any) -> tuple[tuple[str, ...], ...]:
    """Return the melds as text, in the order of laying."""
    return tuple(meld_cards(s.melds[i]) for i in range(s.n_melds))


def noted(s: Any) -> list[int]:
    """Return the actions of the history, without the implied draws."""
    data, actions = iter(s.history.tolist()[: s.n_events]), []
    for byte in data:
        actions.append(byte + Action.DISCARD if byte < TWO_BYTES else (byte - TWO_BYTES) * 64 + next(data))
    return actions


def history_of(s: Any) -> tuple[tuple[int, str], ...]:
    """Return all actions of the deal with their seats."""
    seat, drawn, history = leader_of(s), True, []
    for action in noted(s):
        if not drawn and action not in (Action.DRAW_DISCARD, Action.DRAW_JOLLY):
            history.append((seat, ACTIONS[Action.DRAW_STOCK]))
        drawn = True
        history.append((seat, ACTIONS[action]))
        if Action.DISCARD <= action < Action.DISCARD + N_KINDS:
            seat, drawn = (seat + 1) % s.players, False
    if not drawn and s.phase in (Phase.MELDING, Phase.RESHUFFLING) and s.seat != OVER:
        history.append((seat, ACTIONS[Action.DRAW_STOCK]))
    return tuple(history)


def seen_of(s: Any, seat: int) -> tuple[str, ...]:
    """Return the cards seen at the cut as text, for the cutter."""
    return listed(s.seen, CARDS) if seat == cutter_of(s) else ()


def drawn_of(s: Any, seat: int) -> tuple[str, ...]:
    """Return the cards that a seat drew from the stock since it was made, as text."""
    return tuple(card_text(s.drawn[i], CARDS) for i in range(s.n_drawn) if s.drawer[i] == seat)


FIELDS = (
    Field("deal", "int", "number of the deal, 0-based", "deal_number"),
    Field("round", "int", "number of the round, 1-based", "round_number"),
    Field("phase", "text", "`drawing`, `melding` (meld steps and the discard) or `over`",
          lambda s: "over" if s.seat == OVER else Phase(s.phase).name.lower()),
    Field("to_act", "int", "whose turn it is; -1: over", "mover"),
    Field("leader", "int", "the seat that begins every round", leader_of),
    Field("dealer", "int", "the seat right of the leader",
          lambda s: (s.deal_number + s.players - 1) % s.players),
    Field("cutter", "int", "the seat right of the dealer", cutter_of),
    Field("kept", "int", "jokers that the cutter kept"),
    Field("hand", "cards", "your hand, by kind; empty for an onlooker", hand_of),
    Field("sizes", "int per seat", "cards in every hand", "held"),
    Field("opened", "int each", "the seats that are open",
          lambda s: tuple(p for p in range(s.players) if s.opened[p])),
    Field("table", "cards each", "the melds in the order of laying; a joker of a run as `JK(6h)`", table_of),
    Field("fresh", "int", "how many of the melds, the last ones, were laid in this turn"),
    Field("pile", "cards", "the discard pile, top card last", lambda s: listed(s.pile, CARDS)),
    Field("stock_size", "int", "cards in the stock", "n_stock"),
    Field("drawn", "cards", "the cards that you drew from this stock, oldest first", drawn_of),
    Field("reshuffles", "int", "how often the pile became the stock in this deal", reshuffles_of),
    Field("pool", "cards", "the cards of the last reshuffle, by kind",
          lambda s: cards_of(s.pool, s.pool_twice, s.pool_jokers)),
    Field("jolly", "card", "the Jolly card; empty when it is gone",
          lambda s: "" if s.jolly_turn else card_text(s.jolly, CARDS)),
    Field("jolly_turn", "bool", "whether the mover drew the Jolly card"),
    Field("owed", "cards", "cards that must be placed in this turn",
          lambda s: (*([CARDS[s.owed]] if s.owed != NOBODY else []), *["JK"] * s.owed_jokers)),
    Field("sure_jokers", "int", "jokers that the cutter holds for certain"),
    Field("seen", "cards", "the cutter's view alone: the cards looked at, in deck order", seen_of),
    Field("totals", "int per seat", "points of the deals that are over"),
    Field("history", "(seat, text) each", "the actions of this deal, oldest first", history_of),
)  # fmt: skip
