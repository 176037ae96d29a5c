"""Taroky: what each seat may know, and when."""

import pytest

from engines import core
from tests.engines.taroky.positions import cards_of_talon, deck, filled, position, trumps, until


def test_secret_discards_are_seen_by_their_seat_only_and_counted_by_all() -> None:
    pos = until("call", deck(7, 3))
    for seat in range(4):
        view = pos.view(seat)
        assert [len(cards) for cards in view.discards] == [
            view.discard_counts[p] if p == seat else 0 for p in range(4)
        ]
    assert sum(pos.view(-1).discard_counts) == 6


def test_prever_alone_looks_at_the_talon_and_a_refused_half_is_shown_to_all() -> None:
    pos = until("talon", deck(7, 47), "0 prever")
    talon = tuple(cards_of_talon(core.PlainRow(pos.states[0])))
    blank = ("", "", "")
    assert [pos.view(seat).talon for seat in (0, 1)] == [talon[:3] + blank, 2 * blank]
    pos.play("reject")
    assert [pos.view(seat).talon for seat in (0, 1)] == [talon, talon[:3] + blank]
    pos.play("keep")
    assert [pos.view(seat).talon for seat in (0, 1)] == 2 * [talon[:3] + blank]
    assert set(talon[3:]) < set(pos.view(0).hand) and set(pos.view(2).shown) == set(talon[:3])


def test_a_half_that_prever_did_not_take_stays_unseen() -> None:
    pos = until("discard", deck(7, 47), "0 prever, 0 keep")
    assert all(pos.view(seat).talon == 6 * ("",) for seat in range(-1, 4))


def test_after_two_refusals_prever_holds_the_shown_top_half_and_the_bottom_half_lies_open() -> None:
    pos = until("discard", deck(7, 47), "0 prever, 0 reject, 0 reject")
    assert (
        len(pos.view(3).shown) == 6
        and pos.view(3).talon[:3] == ("", "", "")
        and "" not in pos.view(3).talon[3:]
    )
    assert set(pos.view(3).shown) - set(pos.view(3).talon) < set(pos.view(0).hand)


def test_an_offered_card_is_seen_only_by_the_seat_that_takes_it() -> None:
    pos = until("draw", deck(5, 0))
    pos.play("offer")
    assert all("XVI" not in (*pos.view(seat).talon, *pos.view(seat).hand) for seat in range(4))
    pos.play("accept")
    assert [seat for seat in range(4) if "XVI" in pos.view(seat).hand] == [1] and pos.seat == 0
    pos.play("offer")
    pos.play("reject")
    assert [seat for seat in range(4) if "XXI" in pos.view(seat).hand] == [0]
    assert pos.view(2).offers == ("accept", "reject") and pos.view(2).hand_sizes == (13, 13, 16, 12)


def test_only_the_partner_knows_the_partner_until_the_called_card_is_played() -> None:
    pos = until("play", deck(7, 3))
    assert [pos.view(seat).partner for seat in range(-1, 4)] == [-1, 0, -1, -1, -1]
    assert pos.view(1).sides == ("", "opponent", "declarer", "")
    while "play XIX" not in pos.legal():
        pos.play(pos.legal()[0])
    pos.play("play XIX")
    assert [pos.view(seat).partner for seat in range(-1, 4)] == 5 * [0]


def test_povinnost_alone_knows_that_it_is_alone() -> None:
    pos = until("play", deck(5, 0))
    assert [pos.view(seat).partner for seat in range(-1, 4)] == [-1, -1, -1, 2, -1]


@pytest.mark.parametrize(
    ("script", "known"),
    [("", [-1, 0, -1, -1, -1]), ("3 contra", [-1, 0, -1, -1, -1]), ("3 contra, 0 rhea", 5 * [0])],
)
def test_a_call_that_only_one_side_may_make_shows_the_side(script: str, known: list[int]) -> None:
    pos = until("play", deck(7, 3), script)
    assert [pos.view(seat).partner for seat in range(-1, 4)] == known
    assert pos.view(1).sides[3] == ("opponent" if "contra" in script else "")


def test_calling_valat_shows_the_callers_side() -> None:
    pos = until("contra", deck(7, 3), "0 valat")
    assert pos.view(1).sides == ("declarer", "opponent", "declarer", "opponent") and pos.view(1).partner == 0
    pos = until("contra", deck(7, 3), "1 valat")
    assert pos.view(2).sides == ("", "opponent", "declarer", "") and pos.view(2).partner == -1


def test_seats_of_the_wrong_side_are_asked_in_a_partner_round_but_can_only_pass() -> None:
    pos = until("contra", deck(7, 3), "2 valat")
    asked = []
    while pos.view(-1).phase == "contra":
        asked.append((pos.seat, pos.legal()))
        pos.play("pass")
    assert asked == [(3, ["pass", "contra"]), (0, ["pass"]), (1, ["pass", "contra"])]


def test_povinnost_may_hide_uni_and_bida_and_nobody_sees_the_word() -> None:
    hands = filled("Ks Kc Kh Kd I V 7s 8s 7c 8c 1h 2h")
    pos = position("money", hands)
    assert pos.legal() == ["announce", "conceal"]
    pos.play("conceal")
    assert pos.view(1).money[0] == ("rosa-pane+",) and pos.view(1).totals == (18, -6, -6, -6)
    assert position("money", filled(trumps("II", "IV") + " 7s 8s 9s 7c 8c 9c 1h 2h 3h")).legal() == [
        "announce"
    ]


def test_a_silent_holder_of_the_pagat_stays_unknown() -> None:
    pos = until("pagat", deck(5, 0))
    holder = next(seat for seat in range(4) if "I" in pos.view(seat).hand)
    asked = {}
    while pos.view(-1).phase == "pagat":
        asked[pos.seat] = pos.legal()
        pos.play("pass")
    assert asked == {seat: ["pass", "pagat"] if seat == holder else ["pass"] for seat in range(4)}
