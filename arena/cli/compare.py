"""`arena compare`: is one bot better than another, played until it is known."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import completion
from arena.cli.output import DbOption, Format, FormatOption, note
from arena.cli.progress import Progress, ProgressOption, watching
from arena.cli.times import seconds_of
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.league.compare import Answer
    from arena.store.models import LeagueRun
    from leagues.definition import Question

EXIT_CODES = {"accepted": 0, "rejected": 3, "open": 4}


def compare(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A bot: my_bot@2, rule, ./draft.py.", autocompletion=completion.bot_names
        ),
    ],
    against: Annotated[
        str,
        typer.Argument(
            metavar="B", help="The bot that A should be better than.", autocompletion=completion.bot_names
        ),
    ],
    game: Annotated[
        str,
        typer.Option("--game", metavar="GAME", help="A game's name.", autocompletion=completion.game_names),
    ],
    players: Annotated[int | None, typer.Option(min=2, help="Seats at a table.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="An option of the game; repeat for more.")
    ] = None,
    field: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="field|C,D",
            help="Measure A and B against these bots.",
            autocompletion=completion.bot_lists,
        ),
    ] = None,
    elo0: Annotated[float, typer.Option(help="Rejected if A is no more than this above B.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Accepted if A is this much above B.")] = 10.0,
    effect: Annotated[
        float | None, typer.Option(help="Ask for points instead: mean / sd of a block, such as 0.1.")
    ] = None,
    alpha: Annotated[float, typer.Option(help="Chance to accept what is no better.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance to reject what is better.")] = 0.05,
    rare: Annotated[float, typer.Option(help="Losses in this share of blocks are waited for.")] = 0.02,
    blocks: Annotated[int, typer.Option(min=1, help="Most blocks (deals).")] = 10_000,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="10m",
            help="Stop after this time of play (the start is not counted); the same command goes on.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="A known seed, for a repeatable comparison.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Matches at a time (default: one per CPU core).")
    ] = None,
    address: Annotated[str | None, typer.Option(help="Address of a running Ray cluster.")] = None,
    progress: ProgressOption = Progress.AUTO,
    level: Annotated[
        str, typer.Option(help="How bots are separated: strict, strict+ns, strict+interpreters, trusted.")
    ] = "strict",
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Play two bots until it is known whether A is better. Exit code 0: yes, 3: no, 4:
    not known yet.

    The same command goes on where it stopped. Comparisons are in no rating.

    Examples:
        arena compare my_bot@2 my_bot@1 --game taroky
        arena compare ./draft.py my_bot --game flip7 --effect 0.2 --until 10m
        arena compare my_bot rule --game taroky --against field --elo1 50
    """
    import engines
    from arena.cli.game import options_of
    from arena.cluster.local import start_early
    from leagues.definition import Comparison, Question
    from leagues.ratings import SequentialTest

    seconds = seconds_of(until)
    low, high = (elo0, elo1) if effect is None else (0.0, effect)
    SequentialTest(low, high, alpha, beta, rare)  # says what is wrong with them
    comparison = Comparison.of(
        game=game,
        players=players,
        options=options_of(engines.load(game), option or []),
        deals=blocks,
        seed=seed,
        level=level,
        question=Question("elo" if effect is None else "effect", low, high, alpha, beta, rare),
    )
    names = [bot, against, *_field(field, game, (bot, against))]
    start_early(workers, address)
    from arena.api import PlayOptions, compare_bots, open_store

    options = PlayOptions(workers, address, seconds=seconds, say=note, watch=watching(progress))
    run, answer = compare_bots(open_store(db), comparison, names, options)
    raise typer.Exit(print_answer(run, answer, how))


def print_answer(run: LeagueRun, answer: Answer, how: Format) -> int:
    """Print where a comparison stands; returns the exit code that says it."""
    from arena.league.compare import comparison_of

    _print(answer, comparison_of(run).question, how)
    if answer.decision == "open":
        note(
            f"{run.label}: not known yet; the same command goes on"
            if run.state == "playing"
            else f"{run.label}: not known"
        )
    return EXIT_CODES[answer.decision]


def _field(text: str | None, game: str, compared: tuple[str, str]) -> list[str]:
    """The names of the other bots: none, those named, or the entrants of the game's own league but `random`
    and the two.
    """
    from leagues import definition

    if text is None:
        return []
    if text == "field":
        found = [name for name in definition.load(game).entrants if name not in ("random", *compared)]
        if not found:
            raise UsageError(f"league {game} has no other bots: name them, --against a,b")
        return found
    return [name.strip() for name in text.split(",")]


def _print(answer: Answer, question: Question, how: Format) -> None:
    """The answer: sentences, or the record as JSON or CSV."""
    record = asdict(answer)
    if how is Format.JSON:
        print(json.dumps(record, indent=2, ensure_ascii=False))
        return
    unit = {"elo": "Elo", "points": "points per game", "effect": "sd of a block"}[question.unit]
    two, low, high = f"{answer.bot} %s {answer.against}", f"{question.low:g}", f"{question.high:g}"
    verdict = {
        "accepted": two % "is better than" + f": {high} {unit} rather than {low}",
        "rejected": two % "is not better than" + f": {low} {unit} rather than {high}",
        "open": two % "against" + f": not known yet whether {low} or {high} {unit}",
    }
    print(verdict[answer.decision])
    span = f"between {answer.lower:.2f} and {answer.upper:.2f}"
    print(f"ratio {answer.llr:+.2f} {span} after {answer.blocks} blocks, {answer.games} games")
    counted, unit_name = (
        (answer.blocks, "blocks") if answer.stretches is None else (answer.stretches, "stretches")
    )
    if answer.stretches is not None:
        print(f"games of one match depend on each other: {answer.stretches} stretches count, not blocks")
    if counted < answer.least:
        print(f"nothing is decided before {answer.least} {unit_name}, so that rare losses are met")
    if answer.points is not None:
        interval = f"(95 %: {answer.points_low} .. {answer.points_high})"
        print(f"points per game {answer.points:+.3f} {interval}; Elo from places {answer.elo}")
        if answer.luck_saved is not None:
            gone = f"{answer.luck_saved:.0%} of the variance is gone"
            found = gone if answer.luck_saved > 0 else "here that makes nothing surer"
            print(f"luck is taken out: {found}; with luck {answer.raw_points:+.3f} points per game")
        adjusted = (
            f"; the lucky moment of the stop taken out: {answer.adjusted}"
            if answer.decision != "open"
            else ""
        )
        print(f"estimate {answer.estimate} {unit}{adjusted}")
        print("worst blocks: " + ", ".join(f"{points:+g} (block {block})" for block, points in answer.worst))
    for alarm in answer.alarms:
        print(alarm)
    if answer.forfeits:
        print(f"forfeits: {answer.forfeits}")
