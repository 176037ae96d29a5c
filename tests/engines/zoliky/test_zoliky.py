"""Jolly Zoliky: worked examples of its rules, numbers of actions, and what random play draws."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from engines import core
from engines.position import Position
from engines.zoliky import GAME
from engines.zoliky.melds import is_pure, meld_points
from engines.zoliky.scene import best_run
from engines.zoliky.state import CARDS, shuffle_number
from engines.zoliky.text import ACTIONS, meld_cards
from tests.engines.zoliky.positions import meld_of, position

from .examples import TURNS
from .turns import random_turn, row_of

LISTING = [card for card in CARDS[:52] for _ in range(2)] + ["JK"] * 4
FEW = 1 if core.JIT else 10  # with the JIT off only every tenth of the random positions


@pytest.mark.parametrize(
    "hand, points",
    [("7s 8s 9s Kh Kd Kc JK 2c", 24), ("Ah 2h 3h Kh JK", 6), ("Qd Kd Ad 2c 3c", 30),
     ("4s 5s 6s 7s 9s Tc Jc Qc", 30), ("7s 8s JK 9h Tc", 0)],
)  # fmt: skip
def test_the_best_run_without_a_joker_is_worth_what_section_1_says(hand: str, points: int) -> None:
    assert best_run(hand.split()) == points


def at(**setup: Any) -> Position:
    return Position.of(GAME, position(**setup))


def legal_of(text: str, pos: Position) -> list[str]:
    """Complete legal sets as the rules page writes them: `D{5c 9d} + run Ah 2h 3h, lay 9h hi`; D{all}: every
    kind in hand.
    """
    found = []
    for part in text.replace("} + ", "}, ").split(", "):
        if part == "D{all}":
            found += [f"discard {card}" for card in dict.fromkeys(pos.view().hand)]
        elif part.startswith("D{"):
            found += [f"discard {card}" for card in part[2:-1].split()]
        elif part:
            found.append(part)
    return sorted(found, key=ACTIONS.index)


def play_through(pos: Position, script: str) -> None:
    """Legal set; action; legal set; action; ... A set may be left out as `-`."""
    for i, text in enumerate(script.split("; ")):
        if i % 2 == 1:
            pos.play(text)
        elif text != "-":
            assert pos.legal() == legal_of(text, pos), f"before step {i // 2}"


# --- the deal (rules 3, examples 1, 2, 20) ---


def test_all_jokers_at_the_bottom_go_to_the_cutter_and_the_fourth_stays() -> None:
    pos = GAME.position(players=4, shuffles=[LISTING])
    view = pos.view(2)
    assert (view.cutter, view.kept, view.jolly, view.stock_size) == (2, 3, "Kc", 58)
    hands = [
        "As As 2s 5s 6s 9s Ts Ks Ah 4h 5h 8h 8h",
        "2s 3s 6s 7s Ts Js Ah 2h 5h 6h 9h 9h",
        "3s 4s 7s 8s Js Qs 2h 3h 6h JK JK JK",
        "4s 5s 8s 9s Qs Ks 3h 4h 7h 7h Th Th",
    ]
    assert [" ".join(pos.view(seat).hand) for seat in range(4)] == hands
    row = core.plain(pos.states)[0]
    stock = [CARDS[row.stock[i]] for i in range(57, -1, -1)]
    assert (stock[0], stock[-2:]) == ("Jh", ["Kc", "JK"])
    assert pos.legal() == legal_of("D{all}", pos)


@pytest.mark.parametrize(
    ("option", "sizes", "stock"), [("instead", (13, 12, 12, 12), 58), ("extra", (13, 12, 13, 12), 57)]
)
def test_one_joker_at_the_bottom_is_kept_and_the_lowest_natural_is_the_jolly_card(
    option: str, sizes: tuple[int, ...], stock: int
) -> None:
    rest = list(LISTING)
    for card in ("7s", "JK", "9c"):
        rest.remove(card)
    pos = GAME.position(players=4, shuffles=[[*rest, "7s", "JK", "9c"]], cut_jokers=option)
    view = pos.view(2)
    assert (view.kept, view.jolly, view.stock_size, view.sizes) == (1, "9c", stock, sizes)
    assert view.seen == ("7s", "JK", "9c")
    assert CARDS[core.plain(pos.states)[0].stock[0]] == "7s"
    assert "JK" in view.hand


WHOLE_GAME = (
    "8c Ah 2h 2c 2d 3h Qs 4c 4d Ks As 6c 6s 9d Td 7h 7s Jd 5s 8h 8d 5d 5c Kc JK Th Qc Ts Qd 3d",
    "discard 8c, draw stock, discard Th, draw stock, discard Qc, draw stock, discard Ts, draw stock, run "
    "Qs Ks As, "
    "run Ah 2h 3h, run 9d Td Jd, set 5s 5d 5c, discard Qd",
)


def whole_game(players: int = 2, **options: Any) -> Position:
    first, last = WHOLE_GAME[0].split(), ["Jc", "Jh", "9s"]
    rest = list((Counter(LISTING) - Counter(first) - Counter(last)).elements())
    rest.sort(key=CARDS.index)
    return GAME.position(players=players, shuffles=[[*first, *rest, *last]], **options)


def test_a_whole_game_of_two_is_won_in_round_3() -> None:
    pos = whole_game()
    for action in WHOLE_GAME[1].split(", "):
        assert not pos.over
        pos.play(action)
    assert pos.over and pos.scores() == [0, -12]


# --- points (rules 1, example 3) ---

POINTS = [
    ("4h 5h JK(6h)", 15), ("As 2s 3s", 6), ("Qs Ks As", 30), ("As Ah Ad", 30), ("Ks Kh JK", 30),
    ("7h 7d 7c", 21), ("9c Tc Jc", 29), ("JK(Ah) 2h JK(3h)", 6), ("JK(Qh) Kh JK(Ah)", 30),
    ("Ad JK JK", 30), ("2s 2h 2d JK", 8),
]  # fmt: skip


@pytest.mark.parametrize(("meld", "points"), POINTS)
def test_a_joker_counts_as_the_card_it_stands_for(meld: str, points: int) -> None:
    assert meld_points(meld_of(meld)) == points
    assert " ".join(meld_cards(meld_of(meld))) == meld
    assert is_pure(meld_of(meld)) == ("JK" not in meld and meld[0] != meld[3])


# --- legal sets of whole turns (examples 4 - 16, 19) ---


@pytest.mark.parametrize("name", TURNS)
def test_the_legal_sets_of_a_turn_are_complete(name: str) -> None:
    setup, script = TURNS[name]
    play_through(at(**setup), script)


def test_an_empty_stock_is_replaced_by_the_whole_pile() -> None:
    states = position(hand="6s Kc", draw=True, rounds=2, pile="2d 9h 4c")
    lay_stock_under_pile(core.plain(states)[0])
    assert Position.of(GAME, states).legal() == ["draw stock"]
    rows, out, cards = core.rows(states), core.work(GAME.n_actions), core.work(GAME.deck_size)
    pile = sorted(Position.of(GAME, states).view().pile)
    assert core.play_row(rows, 0, 0, out, core.legal_row(rows, 0, out), True) == -2
    n = core.due_row(rows, 0, cards)
    assert sorted(CARDS[k] for k in cards[:n].tolist()) == pile
    top = [GAME.card(card) for card in ("9h", "4c", "2d")]
    cards[:n] = top + [kind for kind in cards[:n].tolist() if kind not in top] + top
    core.take_row(rows, 0, cards[:n])
    pos = Position.of(GAME, states)
    view = pos.view()
    assert sorted(view.hand) == ["6s", "9h", "Kc"] and view.pile == () and view.reshuffles == 1
    row = core.plain(states)[0]
    assert [CARDS[row.stock[row.n_stock - i]] for i in (1, 2)] == ["4c", "2d"]


def lay_stock_under_pile(s: Any) -> None:
    """Put all cards of the stock of a plain row under its pile."""
    cards = [s.stock[i] for i in range(s.n_stock)] + [s.pile[i] for i in range(s.n_pile)]
    for i, kind in enumerate(cards):
        s.pile[i], s.stock[i] = kind, -1
    s.n_stock, s.n_pile = 0, len(cards)


def test_every_reshuffle_of_a_game_has_a_number_of_its_own() -> None:
    states = position(hand="6s Kc", draw=True, rounds=2, pile="2d 9h 4c", deals=24)
    seen = set()
    for deal in range(24):
        for place in (0, 1, 63, 64, 65, 200, 1000):
            number = shuffle_number(deal, place)
            seen.add(int(number))
            states["deal_number"], states["shuffle"] = deal, number
            assert core.plain(states)[0].shuffle == number
            assert Position.of(GAME, states).view().reshuffles == place
    assert len(seen) == 24 * 7


PINNED = (
    "discard As 3, discard JK 55, run As 2s 3s 56, run JK 2s JK 60, run 4h 5h JK 134, run JK Kc JK 295, "
    "set Ah Ad Ac 296, "
    "set As Ah JK 300, set Kc JK JK 477, lay 4s hi 478, lay Ac hi 521, lay As lo 522, lay Jc lo 565, lay "
    "JK 4s hi 618, "
    "lay JK A set 706, swap As run 719, swap As set 771, swap Kc set 822"
)


@pytest.mark.parametrize("pinned", PINNED.split(", "))
def test_pinned_actions_have_their_numbers(pinned: str) -> None:
    action, number = pinned.rsplit(" ", 1)
    assert GAME.action(action) == int(number)


def test_a_sampled_action_is_legal_and_every_legal_action_is_equally_likely() -> None:
    """400 draws a legal action; the 99.99 % point of chi-square with k - 1 degrees of freedom is below k +
    5.5 sqrt(k) + 10.
    """
    out, rng = core.work(GAME.n_actions), np.array([5], np.uint64)
    turns = [row_of(random_turn(random.Random(f"sample {seed}"), 3, 9, 4)) for seed in range(0, 60, FEW)]
    draws = [position(**setup) for setup, _ in TURNS.values()]
    searched = 0
    for states in turns + draws:
        legal = Position.of(GAME, states).legal()
        if not legal:
            continue
        row = core.record(core.PlainRow(states[0]))
        n = 400 // FEW * len(legal)
        counts = Counter(ACTIONS[GAME.rules["sample"](row, out, rng)] for _ in range(n))
        assert set(counts) <= set(legal)
        expected = n / len(legal)
        chi_square = sum((counts[text] - expected) ** 2 / expected for text in legal)
        assert chi_square < len(legal) + 5.5 * len(legal) ** 0.5 + 10, (legal, counts)
        searched += any(text.split()[0] in ("run", "set", "swap") for text in legal)
    assert searched > 10 / FEW
