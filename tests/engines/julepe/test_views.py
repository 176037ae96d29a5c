"""Julepe: what each seat may know."""

from engines import core
from tests.engines.julepe.facts import draws
from tests.models.julepe import D0

from .positions import GAME, HOUSE, VOID, hand_of, pile, play_all


def test_no_view_shows_the_stock_the_house_or_other_hands() -> None:
    position = play_all(
        GAME.position(shuffles=[D0, pile(1, 2, 3, 4)]), "out out out out in; discard 4b; done; discard 2b"
    )
    for seat in range(-1, 5):
        s = core.plain(position.view(seat).state)[0]
        assert s.hand[HOUSE] == s.thrown[HOUSE] == 0 and set(s.stock.tolist()) == {-1} and s.left == 17
        assert all(s.hand[p] == s.thrown[p] == 0 and not draws(s, p) for p in range(5) if p != seat)
    assert position.view(0).thrown == ("2b", "4b") and len(position.view(0).drawn) == 1
    assert position.view(1).given_up == tuple(hand_of(1)) and position.view(1).hand == ()
    assert position.view(3).tricks == ((("house", "4o"),),)


def test_the_number_of_exchanged_cards_is_public_at_done_and_not_before() -> None:
    position = play_all(GAME.position(shuffles=[D0, pile(1, 3, 4)]), "out in out out")
    before = position.view(0).state
    position.play("discard 10o")
    assert position.view(0).state.tobytes() == before.tobytes()
    position.play("done")
    assert position.view(0).exchanged == (-1, -1, 1, -1, -1) and position.view(0).leftovers == 3


def test_a_blind_dealer_sees_his_cards_only_after_all_statements() -> None:
    position = GAME.position(shuffles=[D0, pile(1, 3, 4)], village="vilalba")
    for word in ["out", "in", "out"]:
        assert position.view(0).hand == ("10b",)
        position.play(word)
    position.play("out")
    assert position.view(0).hand == ("2b", "4b", "5b", "6b", "7b", "10b")


def test_the_hands_of_a_void_round_are_never_seen() -> None:
    position = play_all(GAME.position(seed=11, rounds=3), "")
    while position.view(-1).round == 1:
        position.play("out" if "out" in position.legal() else position.legal()[0])
    record = position.view(-1).history[0]
    assert " ".join(record) == "round dealer face_up pot statements exchanged tricks winners"


def test_the_records_of_the_last_20_rounds_stay_public() -> None:
    position = play_all(GAME.position(shuffles=[D0] * 23, rounds=23), f"{VOID} " * 19)
    for first, last in ((1, 19), (2, 20), (3, 21), (4, 22), (4, 23)):  # 19 and the one in play; at the end 20
        history = position.view(-1).history
        assert [record["round"] for record in history] == list(range(first, last + 1))
        assert [record["dealer"] for record in history] == [(r - 1) % 5 for r in range(first, last + 1)]
        assert [record["pot"] for record in history] == [200 + 50 * r for r in range(first, last + 1)]
        if not position.over:
            play_all(position, VOID)
