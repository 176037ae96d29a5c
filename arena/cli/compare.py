"""`arena compare`: is one bot better than another, played until it is known."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options
from arena.cli.output import Format, count, note, open_store, print_json, put
from arena.cli.progress import Progress, watching
from arena.printable import number, span

if TYPE_CHECKING:
    from arena.runs.comparing import Answer
    from arena.store.models import LeagueRun
    from leagues.definition import Question

EXIT_CODES = {"accepted": 0, "rejected": 3, "open": 4}


BotArgument = Annotated[str, typer.Argument(metavar="A", help="A bot: my_bot@2, rule, ./draft.py.")]
AgainstArgument = Annotated[str, typer.Argument(metavar="B", help="The bot that A should be better than.")]
BotsOption = Annotated[
    str | None,
    typer.Option("--bots", metavar="field|C,D", help="Measure both against these (default: each other)."),
]
Elo0Option = Annotated[float, typer.Option("--elo0", help="Rejected if A is no more than this above B.")]
Elo1Option = Annotated[float, typer.Option("--elo1", help="Accepted if A is this much above B.")]
EffectOption = Annotated[
    float | None, typer.Option("--effect", help="Ask for points instead: mean / sd of a block, such as 0.1.")
]
DealsOption = Annotated[int, typer.Option("--deals", min=1, help="Most deals (blocks).")]
UntilOption = Annotated[
    str | None,
    typer.Option("--until", metavar="10m", help="Stop after this time of play; the same command goes on."),
]


def compare(
    bot: BotArgument,
    against: AgainstArgument,
    game: options.GameOption = None,
    players: options.PlayersOption = None,
    option: options.OptionOption = None,
    league: options.LeagueOption = None,
    level: options.LevelOption = None,
    interpreter: options.InterpreterOption = None,
    bots: BotsOption = None,
    elo0: Elo0Option = 0.0,
    elo1: Elo1Option = 10.0,
    effect: EffectOption = None,
    deals: DealsOption = 10_000,
    until: UntilOption = None,
    seed: options.SeedOption = None,
    workers: options.WorkersOption = None,
    address: options.AddressOption = None,
    progress: options.ProgressOption = Progress.AUTO,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """Play two bots until it is known whether A is better.

    Exit code 0: yes, 3: no, 4: not known yet.

    The same command goes on where it stopped. Comparisons are in no rating.

    Examples:
        arena compare my_bot@2 my_bot@1 --game taroky
        arena compare ./draft.py my_bot --game flip7 --effect 0.2 --until 10m
        arena compare my_bot rule --league taroky --bots field --elo1 50
    """
    seconds = options.seconds_of(until)  # before the imports, which take a second
    from arena.cluster.local import start_early
    from arena.intake.conditions import Conditions
    from arena.runs.comparing import comparison_from, field_of_game

    conditions = Conditions.of(
        game,
        league,
        players=players,
        options=options.pairs(option),
        level=level,
        interpreters=interpreter or (),
    )
    comparison = comparison_from(conditions, elo0, elo1, effect, deals=deals, seed=seed)
    others = field_of_game(conditions, (bot, against)) if bots == "field" else options.names(bots)
    start_early(workers, address)  # the arguments are right: Ray starts while the rest is imported
    from arena.api import PlayOptions, compare_bots

    driven = PlayOptions(workers, address, seconds=seconds, say=note, watch=watching(progress))
    run, answer = compare_bots(open_store(create=True), comparison, [bot, against, *others], driven)
    raise typer.Exit(print_answer(run, answer, how))


def print_answer(run: LeagueRun, answer: Answer, how: Format) -> int:
    """Print where a comparison stands; returns the exit code that says it."""
    from arena.runs.comparing import comparison_of

    _print(answer, comparison_of(run).question, how)
    if answer.decision == "open":
        note(f"{run.label}: not known" + " yet; the same command goes on" * (run.state == "playing"))
    return EXIT_CODES[answer.decision]


def _print(answer: Answer, question: Question, how: Format) -> None:
    """Print the answer: sentences, or the record as JSON or CSV."""
    if how is Format.JSON:
        print_json(asdict(answer))
        return
    unit = {"elo": "Elo", "points": "points per game", "effect": "sd of a block"}[question.unit]
    two, low, high = f"{answer.bot} %s {answer.against}", f"{question.low:g}", f"{question.high:g}"
    worse = answer.points_high is not None and answer.points_high < 0
    verdict = {
        "accepted": two % "is better than" + f": a lead of {high} {unit} fits better than {low}",
        "rejected": two % ("is worse than" if worse else "is not better than")
        + f": a lead of {low} {unit} fits better than {high}",
        "open": two % "against" + f": not known yet whether a lead of {low} or {high} {unit} fits better",
    }
    put(verdict[answer.decision])
    played = f"{count(answer.blocks, 'block')}, {count(answer.games, 'game')}"
    if answer.alike:  # copies: there is no spread to weigh with
        put(f"they play alike: no difference in any of {played}")
    else:
        known = f"known at {answer.lower:.2f} (not better) or {answer.upper:+.2f} (better)"
        put(f"evidence {answer.llr:+.2f}, {known}, after {played} (a block: one deal from all seats)")
    if more := answer.stored - answer.games:
        put(f"{more} of all {answer.stored} games do not count: blocks that are not whole, or came later")
    unit_name = "blocks" if answer.stretches is None else "stretches"
    if answer.stretches is not None:
        put(f"games of one match depend on each other: {answer.stretches} stretches count, not blocks")
    if (answer.stretches or answer.blocks) < answer.least:
        put(f"nothing is decided before {answer.least} {unit_name}, so that rare losses are met")
    if answer.points is not None and not answer.alike:
        _print_estimates(answer, question, unit)
    for alarm in answer.alarms:
        put(alarm)
    if answer.forfeits:
        put(f"forfeits: {answer.forfeits}")


def _print_estimates(answer: Answer, question: Question, unit: str) -> None:
    """Print by how much the one is ahead: in points, in Elo, and in the unit of the question."""
    interval = f"(95 %: {span(answer.points_low, answer.points_high, 2)})"
    elo = "too far apart to tell" if answer.elo is None else number(answer.elo, sign=True)
    put(f"points per game {number(answer.points, 2, sign=True)} {interval}; Elo from places: {elo}")
    if answer.luck_saved is not None:
        gone = f"{answer.luck_saved:.0%} of the variance is gone"
        effect = gone if answer.luck_saved > 0 else "here that makes nothing surer"
        raw = number(answer.raw_points, 2, sign=True)
        put(f"luck is taken out: {effect}; with luck {raw} points per game")
    if question.unit == "effect":
        put(f"estimate {number(answer.estimate, 2)} {unit}")
    worst = ", ".join(f"{points:+.2f} (block {block})" for block, points in answer.worst)
    put(f"worst blocks, points per game: {worst}")
