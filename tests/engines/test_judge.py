"""The price of a decision: costs known by hand, verdicts, what decided, and no blame for what is best."""

import random
from collections.abc import Sequence
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np
import pytest
from numpy.lib.recfunctions import repack_fields
from numpy.typing import NDArray

import engines
from engines import GameError, core
from engines.core import States, rows
from engines.record import words_of
from engines.search import Settings, Verdict, judge, preset
from engines.search.beliefs import STEPS, Past, past_of, recall, remembered
from engines.search.flat import deal_worlds
from engines.search.judge import FIRST, events_of, trifle
from engines.search.playouts import policy_row, stages, worth_of
from engines.search.run import _Search
from engines.taroky.state import Phase
from engines.view import View

from .test_search import SIX, THREE_CARDS, decision, flip7

RANDOM = Settings(noise=1.0)
GAMES = list(engines.names())
MANY = [("flip7", 100), ("taroky", 150)]  # later cards of Zoliky follow from no listing


def likely_worlds(
    view: View, past: tuple[States, Sequence[int]] | Past, n: int, seed: int = 0, steps: int = STEPS
) -> tuple[States, NDArray[np.float64]]:
    """Draw n worlds of a view that fit what the others did; and the logarithms of how likely that is in them.

    `past`: all decisions of this stage so far, as whole rows, and the actions; `steps` = 0: as in a search.
    """
    search = _Search(view, seed, Settings())
    seen = past if isinstance(past, Past) else past_of(view.game_rules, *past, view.seat, steps)
    worlds, weights = np.zeros(n, view.state.dtype), np.zeros(n)
    deal_worlds(search.rows, search.words, search.seed, seen, search.space.rng, words_of(worlds), weights)
    search.free()
    return worlds, weights


def test_the_cost_of_an_action_is_the_one_enumerated_by_hand() -> None:
    """A hit is worth 19.75 on average, a stay 15 (`test_search`): the stay costs 4.75."""
    view = flip7(SIX, THREE_CARDS)
    found = [judge(view, view.legal[1], seed, worlds=8_192, settings=RANDOM) for seed in range(100)]
    assert sum(one.verdict == Verdict.COSTLY and one.best == view.legal[0] for one in found) >= 97
    assert all(abs(one.cost - 4.75) <= 3.5 * one.error for one in found)
    mean, error = np.mean([one.cost for one in found]), np.mean([one.error for one in found]) / 10
    assert abs(mean - 4.75) < 4 * error  # a search that ends with a high price would be above


def test_the_best_action_is_seldom_blamed() -> None:
    view = flip7(SIX, THREE_CARDS)
    found = [judge(view, view.legal[0], seed, settings=RANDOM) for seed in range(200)]
    assert sum(one.verdict == Verdict.COSTLY for one in found) <= 10
    assert np.mean([one.cost for one in found]) <= 0


def test_a_decision_in_which_all_actions_are_equal_costs_nothing_and_little_time() -> None:
    """In the last round, 150 points behind, every action leaves nobody behind."""
    view = flip7("5", "5 5 5", totals=(0, 150), max_rounds=1)
    for action in view.legal:
        found = judge(view, action, 1, settings=Settings(noise=0.0, places=True))
        assert (found.verdict, found.cost, found.error) == (Verdict.LEVEL, 0, 0)
        assert found.worlds == FIRST


def test_what_decides_is_counted_in_the_same_worlds() -> None:
    """Of three cards one busts; whoever hits again with the +4 busts half the time: 1/3 + 1/3 * 1/2 * 1/2."""
    view = flip7(SIX, THREE_CARDS)
    found = judge(view, view.legal[1], 1, worlds=8_192, settings=RANDOM)
    event, stay, hit = found.deciding() or (-1, 0.0, 0.0)
    assert events_of("flip7")[event] in (
        "the row makes no points",
        "the row makes 30 points or more",
    )  # equally often
    assert stay == 0 and hit == pytest.approx(1 / 3 + 1 / 12, abs=0.05)
    busts = found.events[:, events_of("flip7").index("the row makes no points")]
    assert busts[0] == 0 and busts[1] == pytest.approx(1 / 3 + 1 / 12, abs=0.05)


def test_an_event_of_flip7_holds_for_a_row_that_stays_with_no_points() -> None:
    view = flip7("SC", THREE_CARDS)
    stay = next(action for action, text in zip(view.legal, view.texts, strict=True) if text == "stay")
    found = judge(view, stay, 1, settings=RANDOM)
    shares = dict(zip(events_of("flip7"), found.events[0], strict=True))
    assert shares["the row makes no points"] == 1 and "the row busts" not in shares


def test_wrong_calls_are_refused() -> None:
    view = flip7(SIX, THREE_CARDS)
    with pytest.raises(GameError, match="worlds = 3: allowed is 64 or more"):
        judge(view, view.legal[0], worlds=3)
    with pytest.raises(GameError, match="action 99 is not legal here"):
        judge(view, 99)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_judged_by_seed(game: str) -> None:
    view = decision(engines.load(game), 11, 9)
    found = judge(view, view.legal[-1], 5)
    assert repr(judge(view, view.legal[-1], 5)) == repr(found)
    assert found.given[view.seat] == -found.cost and found.given_errors[view.seat] == found.error
    if preset(game)[1].places or game == "taroky":  # what one loses the others win
        assert found.given.sum() == pytest.approx(0, abs=1e-9)
    assert trifle(game) > 0 and len(events_of(game)) == found.events.shape[1]
    assert ((found.events >= 0) & (found.events <= 1)).all()


@pytest.mark.parametrize(
    "name, n", [("flip7", 8), *(pytest.param(*one, marks=pytest.mark.soak) for one in MANY)]
)
def test_costs_in_small_endings_are_those_of_all_worlds_by_their_listed_chances(name: str, n: int) -> None:
    game, compared = engines.load(name), 0
    listed = import_module(f"tests.engines.{name}.endings").endings(1)
    for seed, (row, chances, key) in enumerate(islice(listed, n)):
        seat, found = int(game.seats(row)[0]), dict[Any, list[int]]()
        worlds = game.determinize(np.repeat(row, max(500, 25 * len(chances))), seed=seed)
        legal = np.flatnonzero(game.legal_mask(worlds[:1])[0]).astype(np.int16)
        if len(legal) < 2 or (game.views(row, seat) != row).any():
            continue
        for at, world in enumerate(worlds):
            found.setdefault(key(world), []).append(at)
        view = View(game, row, seat, legal)
        for played in map(int, legal[[0, -1]]):
            one, values = judge(view, played, seed), dict[int, float]()
            for action in map(int, one.actions):
                worth = played_out(view, worlds, action)
                values[action] = sum(chance * worth[found[world]].mean() for world, chance in chances.items())
            true = max(values.values()) - values[played]
            assert abs(one.cost - true) <= 3 * one.error + trifle(name), (seed, played, true, one)
            compared += true > trifle(name)
    assert compared > 0


def played_out(view: View, worlds: States, action: int) -> Any:
    """What worlds are worth to the seat after an action, played on by the game's policy."""
    game, worlds, settings = view.game_rules, worlds.copy(), preset(view.game)[1]
    search, start = _Search(view, 0, settings), stages(worlds)[0]
    game.step(worlds, np.full(len(worlds), action))
    while len(on := np.flatnonzero((game.seats(worlds) >= 0) & (stages(worlds) == start))):
        part = worlds[on]
        game.step(
            part, [policy_row(rows(part[at : at + 1]), search.seed, search.space) for at in range(len(on))]
        )
        worlds[on] = part
    search.free()
    return worth_of(worlds, settings.places)[:, view.seat]


@pytest.mark.parametrize("game", ["julepe", "taroky", "tzogous37"])
def test_walks_lead_to_worlds_as_likely_as_what_the_others_did_in_them(game: str) -> None:
    """Hands of Julepe and Taroky are those of all worlds, weighed; in Tzogous 37 not all start equally likely."""
    rules, rng, compared = engines.load(game), random.Random(1), 0
    for seed in range(30):
        position, rows, moves = rules.position(seed=seed), list[States](), list[int]()
        for _ in range(rng.randrange(6, 30)):
            rows.append(position.states)
            moves.append(rng.choice(position.legal_numbers()))
            position.play(moves[-1])
        if position.seat is None or len(set(stages(np.concatenate([*rows, position.states])))) > 1:
            continue
        view, past = position.view(), (np.concatenate(rows), moves)
        worlds, logs = likely_worlds(view, past, 3_000, 1, steps=0)
        walked, found = likely_worlds(view, past, 1_000, 2, steps=60)
        assert (rules.views(walked, view.seat) == view.state).all()
        weights = np.exp(logs - logs.max())
        many = weights.sum() ** 2 / (weights**2).sum()
        if logs.min() < logs.max() and many > 400:
            compared += 1
            assert found.mean() > logs.mean()
            if game != "tzogous37":
                expected = np.minimum(np.average(hands(worlds), axis=0, weights=weights), 1.0)
                shares = hands(walked).mean(axis=0)
                error = np.sqrt(expected * (1 - expected) * (1 / many + 1 / 1_000))
                assert (np.abs(shares - expected) <= 5 * error + 0.002).all()
    assert compared >= 3


@pytest.mark.parametrize(
    ("game", "options"),
    [("julepe", {"village": "urones"}), ("julepe", {"village": "vilalba"}), ("taroky", {})],
)
def test_a_search_sees_in_a_view_what_the_others_did_in_the_round(game: str, options: dict[str, Any]) -> None:
    """Of Taroky the discards and cards; worlds are as likely by it as by the record of the whole round."""
    rules, rng, compared = engines.load(game), random.Random(1), 0
    for seed in range(30):
        position, rows, moves = rules.position(seed=seed, rounds=2, **options), list[States](), list[int]()
        while position.seat is not None:
            if rows and stages(rows[-1]) != stages(position.states):
                rows, moves = [], []
            if rows and rng.random() < 0.1:
                view, past, done = position.view(), np.concatenate(rows), np.array(moves)
                if game == "taroky":
                    told = np.isin(past["phase"], (Phase.DISCARD, Phase.PLAY))
                    past, done = past[told], done[told]
                _, expected = likely_worlds(view, (past, done.tolist()), 5, seed, steps=0)
                _, found = likely_worlds(view, remembered(rules, view.state, 0), 5, seed)
                assert found == pytest.approx(expected), (seed, view.texts, moves)
                compared += bool(expected.any())
            rows.append(position.states)
            legal = position.legal()
            likely = [one for one in ("in", "pass") if one in legal and rng.random() < 0.7]
            moves.append(position.legal_numbers()[legal.index((likely or [rng.choice(legal)])[0])])
            position.play(moves[-1])
    assert compared > 50


@pytest.mark.parametrize(
    ("game", "options", "share"),
    [
        ("julepe", {"village": "urones", "rounds": 2}, 0.5),
        ("julepe", {"village": "vilalba", "rounds": 2}, 0.5),
        ("taroky", {"rounds": 1}, 0.7),
        ("tzogous37", {"hands": 2}, 0.95),
        ("tzogous37", {"hands": 2, "joker_use": "lay", "decks": 2, "jokers": 4}, 0.95),
    ],
)
def test_the_true_world_puts_back_what_a_seat_saw_and_did(
    game: str, options: dict[str, Any], share: float
) -> None:
    """Every decision of the deal, by random players; of earlier hands of Tzogous 37 no cards are known."""
    rules, rng, known, made = engines.load(game), np.random.default_rng(1), 0, 0
    for seed in range(4):
        now, before = rules.new(1, seed, **options), list[tuple[States, int]]()
        while now["seat"][0] != core.OVER:
            seat, actions = int(now["seat"][0]), np.flatnonzero(rules.legal_mask(now)[0])
            for state, action in before:
                if state["seat"][0] == seat or rng.random() < 0.8:
                    continue
                then, done = np.array(rules.views(state, seat)), np.array([action])
                legal, counts = np.zeros((1, rules.n_actions), np.int16), np.zeros(1, np.int64)
                recall(core.rows(then), core.rows(now), done, legal, counts)
                made += 1
                if done[0] == core.NO_ACTION:
                    continue
                known += 1
                saw = rules.views(state, int(state["seat"][0]))
                then["seed"] = saw["seed"]
                if game == "tzogous37":
                    dealt = np.flatnonzero(saw["move_kind"][0, : int(saw["moves"][0])] == 0)
                    then["move_card"][0, : dealt[-1]] = saw["move_card"][0, : dealt[-1]]
                assert repack_fields(then).tobytes() == repack_fields(saw).tobytes()
                assert done[0] == action
                assert legal[0, : counts[0]].tolist() == np.flatnonzero(rules.legal_mask(state)[0]).tolist()
            action = int(rng.choice(actions))
            if len(actions) > 1:
                before.append((now.copy(), action))
            deal = now["shuffle"][0] // core.HAND_SHUFFLES
            rules.step(now, [action])
            if now["shuffle"][0] // core.HAND_SHUFFLES != deal:
                before.clear()
    assert known >= share * made > 100


def hands(worlds: States) -> Any:
    """Whether each seat has each card, [worlds, seats, cards]."""
    return worlds["hand"][:, :, None] >> np.arange(54) & 1
