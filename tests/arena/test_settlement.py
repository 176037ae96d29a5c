"""The lines of a settlement add up to what the engine booked, over whole games."""

import random
import re
from typing import Any

import pytest

import engines
from arena.replay.scenes import in_words, scene, settlement
from engines import core, registry
from tests.models.tzogous37 import score

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "flip7": [{"goal": 60}, {"goal": 40, "players": 2, "flip_three": "after", "second_chance": "ask"}],
    "julepe": [{"rounds": 6}, {"rounds": 4, "nobody_safe": "pay", "stake": 20}],
    "zoliky": [{"max_rounds": 6}, {"max_rounds": 9, "joker_penalty": 5, "winner_pot": True}],
}


NAMES = [name for name in engines.names() if hasattr(registry.home(name).room("scene"), "settlement")]


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_of_every_part_add_up_to_the_change_of_the_totals(name: str) -> None:
    game, rng, labels = engines.load(name), random.Random(4), set()
    for seed in range(12):
        options = OPTIONS.get(name, [{}, {}])[seed % 2]
        position = game.position(seed, **options)
        before, said = [0] * position.players, in_words(settlement(game, core.PlainRow(position.states[0])))
        last = None
        assert name == "julepe" or not said
        while not position.over:
            position.play(rng.choice(position.legal_numbers()))
            row = core.PlainRow(position.states[0])
            view = position.view()
            part = (getattr(view, "round", 0), getattr(view, "hand_number", 0), getattr(view, "deal", 0))
            if (part == last and not position.over) or (name == "zoliky" and not position.over):
                continue
            if last is not None or name == "zoliky":
                lines = settlement(game, row)
                for seat in range(position.players):
                    assert settlement(game, core.PlainRow(game.views(position.states, seat)[0])) == lines
                totals = list(view.totals)
                changes = [now - old for now, old in zip(totals, before, strict=True)]
                assert [sum(column) for column in zip(*(c for _, c in lines))] == changes or (
                    not lines and not any(changes)
                ), (seed, last, lines, changes)
                labels |= {label.partition(",")[0] for label, _ in lines}
                before = totals
            last = part
        assert before == position.scores()
    assert len(labels) > 1, labels


def test_the_end_of_a_round_of_betting_is_told_with_the_cards_that_were_shown_and_who_won() -> None:
    game, rng, heads = engines.load("tzogous37"), random.Random(3), set()
    for seed in range(6):
        position = game.position(seed, 3, hands=2, joker_use=("swap", "lay")[seed % 2])
        told, totals = "", position.view().totals
        while not position.over:
            legal = [text for text in position.legal() if text != "fold" or rng.random() < 0.3]
            position.play(rng.choice(legal))
            now = scene(game, game.views(position.states, 0), 0)
            if (said := now.get("table/text/settled", "")) == told:
                continue
            cards = re.findall(r"seat (\d) showed (\S+) (\S+) for (\d+)", said)
            shown, won = {p: int(n) for p, *_, n in cards}, re.findall(r"(\d)[^;]* won \d", said)
            assert all(score(first, second) == shown[p] for p, first, second, _ in cards)
            assert not shown or {shown[p] for p in won} == {max(shown.values())}
            assert bool(shown) != ("as all others folded" in said)
            gained = [new - old for new, old in zip(position.view().totals, totals, strict=True)]
            assert {str(p) for p, change in enumerate(gained) if change > 0} <= {*won}
            told, totals = said, position.view().totals
            heads.add((now["head"], len(shown)))
    assert {"hand 2, round 4, over"} <= {head for head, _ in heads} and {0, 2, 3} <= {n for _, n in heads}
