"""Julepe positions for tests: cards as text, deals by seat, moves in a row; the worked games of the rules page."""

import engines
from engines.julepe import state
from engines.position import Position
from tests.engines.julepe.facts import bits
from tests.models.julepe import D0

GAME = engines.load("julepe")
HOUSE = state.HOUSE


def cards(text: str) -> list[int]:
    return [GAME.card(card) for card in text.split()]


def mask(text: str) -> int:
    return sum(1 << card for card in cards(text))


def texts(card_mask: int) -> list[str]:
    return [GAME.cards[card] for card in bits(int(card_mask))]


def play_all(position: Position, moves: str) -> Position:
    """Play `out in done`, `discard 2o 4o` (two discards), `play 1b 4b` (two plays); `;` is for the eye."""
    word = ""
    for token in moves.replace(";", " ").split():
        if token in ("discard", "play"):
            word = token + " "
        else:
            position.play(token if token in ("out", "in", "done") else word + token)
    return position


def hand_of(seat: int, dealt: list[str] = D0, dealer: int = 0) -> list[str]:
    k = (seat - dealer - 1) % 5
    return dealt[5 * k : 5 * k + 5]


def pile(*seats: int, dealt: list[str] = D0, dealer: int = 0) -> list[str]:
    """P(1, 3, 4): the hands of these seats, one after the other."""
    return [card for seat in seats for card in hand_of(seat, dealt, dealer)]


G_DEAL = """5c 12b 1b 3b 6b 6o 12o 1c 5o 4b 1o 11o 7c 5b 10b 11c 12c 7o 4c 4o
            7b 3c 6c 2b 2o 10c 3o 10o 2c 11b"""
I_DEAL = [*D0[:20], *["2b", "12b", "5b", "6b", "1b", "10b", "11b", "4b", "3b", "7b"]]
BACKWARDS = D0[::-1]
B_MOVES = "out in out out; discard 10o 11o 12o; done; done; discard 2b; play 3b 4b 12b 5b 11b 6b 1o 7b 10b 3o"
VOID = "out out out out out"

GAMES = {
    "A, julepe 4-1": (
        {"rounds": 1},
        [D0, pile(1, 3, 4)],
        "out in out out; discard 10o 11o 12o 3o; done; done; discard 2b; "
        "play 1b 4b 3b 5b 12b 6b 11b 7b 1o 10b",
        [-250, 0, 250, 0, 0],
    ),
    "B, split of 2.50": ({"rounds": 1}, [D0, pile(1, 3, 4)], B_MOVES, [60, -40, 60, -40, -40]),
    "C, split of 3.00": (
        {"rounds": 2},
        [D0, D0, pile(2, 4, 0, dealer=1)],
        f"{VOID}; {B_MOVES}",
        [-50, 50, -50, 100, -50],
    ),
    "D, split of 3.50": (
        {"rounds": 3},
        [D0, D0, D0, pile(3, 0, 1, dealer=2)],
        f"{VOID}; {VOID}; {B_MOVES}",
        [-40, -90, 60, -40, 110],
    ),
    "E, three players 2-2-1": (
        {"rounds": 1},
        [D0, pile(1, 3)],
        """out in out in; discard 10o 11o 12o; done; discard 10c; done; done; discard 2b
           play 3b 1b 4b; 1c 5b 11b; 12b 3c 6b; 1o 12c 7b; 10b 3o 11c""",
        [110, 10, 110, 10, -240],
    ),
    "F, two losers, then a void round": (
        {"rounds": 2},
        [D0, pile(1, 3), D0],
        """out in out in; done done done; discard 2b
           play 10o 10c 4b; 5b 11o 11c; 6b 12o 12c; 7b 3o 3c; 10b 1o 1c;"""
        + VOID,
        [510, -40, -240, 10, -240],
    ),
    "H, lost to the house": (
        {"rounds": 1},
        [D0, pile(1, 2, 3, 4)],
        "out out out out in; done; discard 2b; play 4b 10b 5b 6b 7b",
        [-200, 50, 50, 50, 50],
    ),
    "I, half the pot": (
        {"rounds": 1},
        [I_DEAL, pile(1, 2, 3, 4)],
        "out out out out in; done; discard 1b; play 5b 12b 6b 10b 2b",
        [80, -20, -20, -20, -20],
    ),
    "J, the whole pot": (
        {"rounds": 2},
        [BACKWARDS, BACKWARDS[:20], D0],
        f"out out out out in; done; discard 7o; play 10o 1o 3o 12o 11o; {VOID}",
        [200, -50, -50, -50, -50],
    ),
}
