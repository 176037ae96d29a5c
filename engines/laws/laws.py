"""The laws. Each takes a game, its facts and a source of chance, and raises AssertionError."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .. import core
from ..core import PlainRow, copy_states
from ..errors import GameError, IllegalAction, OptionError, TextError
from ..game import Game
from ..position import Position
from ..search.knowledge import shown
from ..seeds import MAX_SEED
from .models import compare
from .replay import replayed
from .setups import difference, hold, random_step, refused, same, setups_of, some_games, step_by_words

STEPS = 120
GAMES = 12
"""Games of an example of the law on models: such games are cheap, and much of what rules say is rare."""
OF_EVERY_VIEW = {"game", "seat", "players", "options", "legal", "texts", "rng", "log", "state"}


def a_game_is_played_as_its_model_plays_it(game: Game, facts: Any, rng: random.Random) -> None:
    """Compare legal actions, the seat to act and the scores with a second implementation."""
    hold(hasattr(facts, "Model"), "facts has no class Model: write the rules once more, slow and plain")
    for _ in range(getattr(facts, "GAMES", GAMES)):
        players, options = setups_of(game, facts, rng)
        compare(game, facts.Model, players, options, rng.randint(0, MAX_SEED))


def cards_are_conserved_and_legal_actions_ascend_until_a_bounded_end(
    game: Game, facts: Any, rng: random.Random
) -> None:
    """Play a game to its end."""
    players, options = setups_of(game, facts, rng)
    states = game.new(1, seed=rng.randint(0, MAX_SEED), players=players, **options)
    most = facts.most_decisions(players, game.options_of(states))
    out, decisions = core.work(game.n_actions), 0
    while not game.over(states).all():
        facts.conserved(PlainRow(states[0]))
        legal = out[: core.legal_row(core.rows(states), 0, out)].tolist()
        hold(legal, f"no legal action after {decisions} decisions")
        hold(legal == sorted(set(legal)), f"legal actions do not ascend: {legal}")
        hold(legal[0] >= 0 and legal[-1] < game.n_actions, f"there is no such action: {legal}")
        game.step(states, [rng.choice(legal)])
        decisions += 1
        hold(decisions <= most, f"a game has more than the {most} decisions of most_decisions")
    facts.conserved(PlainRow(states[0]))
    total = game.scores(states).sum()
    hold(not game.zero_sum or total == 0, f"the game is zero-sum, and its scores add up to {total}")


def a_determinized_view_redacts_to_the_same_view_and_can_be_played_on(
    game: Game, facts: Any, rng: random.Random
) -> None:
    """Draw worlds for every seat, and play those of the seat to act to their end."""
    states = some_games(game, facts, rng, 3, STEPS)
    states = copy_states(states[~game.over(states)])
    if not len(states):
        return
    for seat in range(int(states["players"][0])):
        views = game.views(states, seat)
        worlds = game.determinize(views, seed=rng.randint(0, MAX_SEED))
        again = game.views(worlds, seat)
        for i in range(len(views)):
            one, other = again[i : i + 1], views[i : i + 1]
            hold(same(one, other), f"seat {seat}: a world has another view: {difference(one, other)}")
    worlds = game.determinize(game.views(states), seed=rng.randint(0, MAX_SEED))
    hold((game.legal_mask(worlds) == game.legal_mask(states)).all(), "a world has other legal actions")
    for row in worlds:
        facts.conserved(PlainRow(row))
    game.playout(worlds, seed=1)
    hold(game.over(worlds).all(), "a world cannot be played to its end")


def a_world_could_have_happened(game: Game, facts: Any, rng: random.Random) -> None:
    """Play the past of true rows and of worlds again, from their shuffles."""
    players, options = setups_of(game, facts, rng)
    states = game.new(2, seed=rng.randint(0, MAX_SEED), players=players, **options)
    for _ in range(rng.randint(0, 150)):
        step_by_words(game, states, rng)
    for i in np.flatnonzero(~game.over(states)).tolist():
        state = copy_states(states[i : i + 1])
        for row in [state, *(game.determinize(game.views(state, seat), seed=i) for seat in range(players))]:
            again = replayed(game, facts, row)
            if again is not None and not same(again, row):
                raise AssertionError(f"its past leads elsewhere: {difference(again, row)}")


def a_view_does_not_depend_on_what_the_seat_cannot_know(game: Game, facts: Any, rng: random.Random) -> None:
    """Change what is hidden from each seat and from an onlooker."""
    states = some_games(game, facts, rng, 3, STEPS)
    for seat in range(-1, int(states["players"][0])):
        other = copy_states(states)
        for row in other:
            facts.redeal(PlainRow(row), seat, rng)
            row["seed"] = rng.randint(0, MAX_SEED)
        ours, theirs = game.views(states, seat), game.views(other, seat)
        for i in range(len(ours)):
            one, two = ours[i : i + 1], theirs[i : i + 1]
            hold(same(one, two), f"seat {seat} sees what it may not know: {difference(one, two)}")


@core.jit
def look(states: Any, action: int) -> int:
    """Return how an action of a one-row batch looks to the others."""
    return shown(states[0], action)


def actions_that_all_others_see_alike_look_alike(game: Game, facts: Any, rng: random.Random) -> None:
    """Try every legal action, and compare what the other seats see of it with `shown`."""
    states = some_games(game, facts, rng, 3, STEPS)
    for i in np.flatnonzero(~game.over(states)).tolist():
        position = Position.of(game, states[i : i + 1])
        others = [seat for seat in range(-1, position.players) if seat != position.seat]
        looks: dict[tuple[bytes, ...], dict[int, str]] = {}
        for action in position.legal_numbers():
            after = position.copy()
            after.play(action)
            seen = tuple(game.views(after.states, seat).tobytes() for seat in others)
            alike = looks.setdefault(seen, {})
            alike[look(core.rows(position.states), action)] = position.texts[action]
            secret = ", ".join(alike.values())
            hold(len(alike) == 1, f"nobody else sees which of these is played, and `shown` tells: {secret}")


def legal_actions_follow_from_the_view_of_the_seat_to_act(game: Game, facts: Any, rng: random.Random) -> None:
    """Ask for the legal actions of views."""
    states = some_games(game, facts, rng, 3, STEPS)
    seen = np.zeros((len(states), game.n_actions), np.bool_)
    core.legal_mask(core.rows(game.views(states)), seen, core.work(game.n_actions))
    hold((seen == game.legal_mask(states)).all(), "legal actions depend on what is hidden from the seat")


def a_view_has_no_seed_and_redacting_twice_changes_nothing(
    game: Game, facts: Any, rng: random.Random
) -> None:
    """Redact views."""
    states = some_games(game, facts, rng, 3, 60)
    views = game.views(states)
    hold((views["seed"] == 0).all(), "a view has a seed")
    hold(same(game.views(views, game.seats(states)), views), "to redact a view again changes it")


def a_batch_plays_as_its_rows_do_one_by_one(game: Game, facts: Any, rng: random.Random) -> None:
    """Play rows in a batch and alone."""
    states = some_games(game, facts, rng, 3, 60)
    alone = [copy_states(states[i : i + 1]) for i in range(len(states))]
    for _ in range(10):
        actions = random_step(game, states, rng)
        for i, row in enumerate(alone):
            game.step(row, actions[i : i + 1])
            hold(same(row, states[i : i + 1]), f"row {i} plays otherwise alone")


def seed_and_actions_decide_a_game_and_recorded_shuffles_replay_it(
    game: Game, facts: Any, rng: random.Random
) -> None:
    """Play a game twice, and once more from its shuffles."""
    players, options = setups_of(game, facts, rng)
    seed = rng.randint(0, MAX_SEED)
    first = game.position(seed=seed, players=players, record=True, **options)
    again = game.position(seed=seed, players=players, **options)
    actions: list[str] = []
    while not first.over and len(actions) < 400:
        actions.append(rng.choice(first.legal()))
        first.play(actions[-1])
        again.play(actions[-1])
        hold(same(first.states, again.states), "the same seed and actions lead to two games")
    from_shuffles = game.position(players=players, shuffles=first.shuffles, **options)
    for action in actions:
        from_shuffles.play(action)
    states = from_shuffles.states
    states["seed"] = seed
    hold(same(first.states, states), f"recorded shuffles lead elsewhere: {difference(first.states, states)}")


def a_bad_action_is_refused_with_the_row_and_nothing_changes(
    game: Game, facts: Any, rng: random.Random
) -> None:
    """Try illegal actions in a batch."""
    states = some_games(game, facts, rng, 3, 60)
    mask = game.legal_mask(states)
    actions, running = mask.argmax(axis=1), np.flatnonzero(mask.any(axis=1))
    if not len(running) or mask[running[-1]].all():
        return
    bad = int(running[-1])
    before = copy_states(states)
    for wrong in (int(np.flatnonzero(~mask[bad])[0]), -1, game.n_actions, 2**40):
        actions[bad] = wrong
        refused(IllegalAction, f"row {bad}", game.step, states, actions)
        hold(same(before, states), "a refused action has changed a row")


def game_i_of_a_batch_has_the_seed_plus_i(game: Game, facts: Any, rng: random.Random) -> None:
    """Compare a batch with games by themselves."""
    seed = rng.randint(0, MAX_SEED - 10)
    batch = game.new(3, seed=seed)
    for i in range(3):
        hold(same(batch[i : i + 1], game.new(1, seed=seed + i)), f"game {i} of seed {seed} differs")


# --- laws without chance ------------------------------------------------------------------------------------


def playing_on_after_the_end_or_scoring_before_it_is_refused(
    game: Game, facts: Any, rng: random.Random
) -> None:
    """Play a game to its end and go on."""
    states = game.new(1, seed=3)
    refused(GameError, "not over", game.scores, states)
    game.playout(states, seed=1)
    hold(not game.legal_mask(states).any(), "there are legal actions after the end")
    over = copy_states(states)
    game.step(states, [0])
    hold(same(over, states), "an action after the end has changed the row")
    position = game.position(seed=3)
    while not position.over:
        position.play(position.legal()[0])
    hold(position.legal() == [] and position.seat is None, "a seat is to act after the end")
    refused(IllegalAction, "end", position.play, position.texts[0])


def every_action_text_is_unique_and_reads_back(game: Game, facts: Any, rng: random.Random) -> None:
    """Read every text."""
    texts = game.actions()
    hold(game.n_actions == len(texts) == len(set(texts)), "two actions have one text")
    hold([game.action(text) for text in texts] == list(range(game.n_actions)), "a text is read otherwise")
    refused(TextError, "no such action", game.action, "no such action")


def every_field_of_a_view_can_be_read_and_printed_from_every_seat(
    game: Game, facts: Any, rng: random.Random
) -> None:
    """Read and print views of a game."""
    position = game.position(seed=5)
    for _ in range(40):
        if position.over:
            break
        for seat in range(-1, position.players):
            view = position.view(seat)
            for name in game.fields:
                getattr(view, name)
            hold(str(view), "a view has no text")
        hold(str(position), "a position has no text")
        position.play(position.legal()[-1])
    hold(not hasattr(position.view(0), "no_such_field"), "a view has fields that nobody declared")


def no_field_hides_a_name_that_every_view_has(game: Game, facts: Any, rng: random.Random) -> None:
    """Compare names."""
    hidden = OF_EVERY_VIEW & set(game.fields)
    hold(not hidden, f"every view has these names, so no field may: {', '.join(sorted(hidden))}")


def options_are_checked_and_named(game: Game, facts: Any, rng: random.Random) -> None:
    """Try players and options that are not allowed."""
    wrong: list[tuple[dict[str, Any], str]] = [({"no_such_option": 1}, "no option")]
    wrong += [({"players": p}, "player") for p in (0, game.max_players + 1, True, "4", 2.0)]
    for option in game.options.values():
        more = [1] if isinstance(option.default, bool | str) else [True, option.low - 1, option.high + 1]
        wrong += [({option.name: value}, option.name) for value in ("x", None, 1.5, *more)]
    for words, named in wrong:
        refused(OptionError, named, game.new, 1, **words)
