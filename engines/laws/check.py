"""Try all laws on a game."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..game import Game
from . import laws
from .compiler import compiler_words, innermost
from .damage import a_damaged_row_is_refused_or_shown_and_played_to_its_end
from .twins import worlds_are_as_likely_as_the_true_row

Law: TypeAlias = Callable[[Game, Any, random.Random], None]
EXAMPLES = 30
DRAWN: tuple[Law, ...] = (
    laws.a_game_is_played_as_its_model_plays_it,
    laws.a_view_does_not_depend_on_what_the_seat_cannot_know,
    laws.cards_are_conserved_and_legal_actions_ascend_until_a_bounded_end,
    laws.a_determinized_view_redacts_to_the_same_view_and_can_be_played_on,
    laws.a_world_could_have_happened,
    laws.actions_that_all_others_see_alike_look_alike,
    laws.legal_actions_follow_from_the_view_of_the_seat_to_act,
    laws.a_view_has_no_seed_and_redacting_twice_changes_nothing,
    laws.a_batch_plays_as_its_rows_do_one_by_one,
    laws.seed_and_actions_decide_a_game_and_recorded_shuffles_replay_it,
    laws.a_bad_action_is_refused_with_the_row_and_nothing_changes,
    a_damaged_row_is_refused_or_shown_and_played_to_its_end,
    laws.game_i_of_a_batch_has_the_seed_plus_i,
)
"""Laws that are tried with many random games."""
ONCE: tuple[Law, ...] = (
    worlds_are_as_likely_as_the_true_row,
    laws.playing_on_after_the_end_or_scoring_before_it_is_refused,
    laws.every_action_text_is_unique_and_reads_back,
    laws.every_field_of_a_view_can_be_read_and_printed_from_every_seat,
    laws.no_field_hides_a_name_that_every_view_has,
    laws.options_are_checked_and_named,
)
"""Laws that are tried once. The first has games of its own."""
LAWS: tuple[Law, ...] = DRAWN + ONCE


@dataclass(frozen=True)
class LawVerdict:
    """What became of a law: the error that broke it, if any, and the random game in which it came."""

    law: str
    examples: int
    error: str | None = None
    example: int = 0


def law_words(law: Law) -> str:
    """Return a law as a sentence without its full stop."""
    return law.__name__.replace("_", " ").capitalize()


def hold_law(law: Law, game: Game, facts: Any, examples: int = EXAMPLES, seed: int = 0) -> None:
    """Try a law with random games.

    Raises:
        AssertionError: the law does not hold; has a note that says in which example.
    """
    for example in range(examples if law in DRAWN else 1):
        rng = random.Random(f"{law.__name__} {seed} {example}")
        try:
            law(game, facts, rng)
        except Exception as error:
            error.add_note(f"example {example} of seed {seed}")
            raise


def check(
    game: Game, facts: Any, examples: int = EXAMPLES, seed: int = 0, laws: Sequence[Law] = LAWS
) -> Iterator[LawVerdict]:
    """Try laws, and yield what became of each. A law that is broken ends only its own games."""
    for law in laws:
        n = examples if law in DRAWN else 1
        try:
            hold_law(law, game, facts, examples, seed)
            yield LawVerdict(law_words(law), n)
        except Exception as error:
            what = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
            what = compiler_words(error) or what
            yield LawVerdict(law_words(law), n, what or _line_of(error), _example_of(error))


def _example_of(error: Exception) -> int:
    return next((int(note.split()[1]) for note in error.__notes__ if note.startswith("example ")), 0)


def _line_of(error: Exception) -> str:
    """Return the place of an assertion without words: the file, its line and the function."""
    at = innermost(error)
    if at is None:
        return "an assertion without words"
    code = at.tb_frame.f_code
    return f"an assertion fails in {code.co_name} ({code.co_filename}:{at.tb_lineno})"
