"""Kuhn and Leduc poker as text: the fields of a view."""

from engines.declaration import Field

from .state import ACTIONS, CARDS


def _card(number: int) -> str:
    return CARDS[number] if number >= 0 else ""


FIELDS = (
    Field("phase", "str", "`bet` or `over`", lambda s: "bet" if s.seat >= 0 else "over"),
    Field("card", "str", "own card", lambda s, seat: _card(s.hand[seat]) if seat >= 0 else ""),
    Field("table_card", "str", "the card on the table", lambda s: _card(s.table_card)),
    Field("paid", "tuple[int]", "chips of both seats in the pot", lambda s: tuple(s.paid)),
    Field("moves", "tuple[str]", "actions so far", lambda s: tuple(ACTIONS[m] for m in s.moves if m >= 0)),
)
