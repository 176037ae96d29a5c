"""`arena tune`: search for better values of the parameters that a bot names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import options
from arena.cli.compare import EffectOption, Elo0Option, Elo1Option, print_answer
from arena.cli.output import Format, note, open_store
from arena.cli.progress import Progress, watching
from arena.places import write_text

NO_BETTER = 3  # the exit code of `arena compare`


def tune(
    bot: Annotated[Path, typer.Argument(metavar="PATH", help="A .py file, or a folder with __init__.py.")],
    game: options.GameOption = None,
    players: options.PlayersOption = None,
    option: options.OptionOption = None,
    league: options.LeagueOption = None,
    level: options.LevelOption = None,
    bots: Annotated[
        str | None,
        typer.Option("--bots", metavar="field|C,D", help="Measure it against these (default: itself)."),
    ] = None,
    elo0: Elo0Option = 0.0,
    elo1: Elo1Option = 10.0,
    effect: EffectOption = None,
    deals: Annotated[int, typer.Option("--deals", min=1, help="Deals (blocks) of the search.")] = 4_000,
    seed: options.SeedOption = 1,
    workers: options.WorkersOption = None,
    address: options.AddressOption = None,
    progress: options.ProgressOption = Progress.AUTO,
    out: options.OutOption = None,
) -> None:
    """Search for better values of the numbers that a bot names.

    The best values are then compared with the bot as it is on fresh deals, as by `arena compare`. If they are
    better, they are written beside the bot, to NAME.tuned.json, which every command reads with the bot.

    Exit code 0: better values, 3: no better ones, 4: not known.

    The same command goes on where it stopped; another --seed searches again. --out draws the search (SVG).

    Examples:
        arena tune my_bot.py --game flip7
        arena tune my_bot.py --league taroky --bots field --deals 8000 --out tuned.svg
    """
    from arena.cluster.local import start_early
    from arena.intake.conditions import Conditions
    from arena.runs.comparing import DEALS, comparison_from, field_of_game

    conditions = Conditions.of(game, league, players=players, options=options.pairs(option), level=level)
    asked = comparison_from(conditions, elo0, elo1, effect, deals=DEALS, seed=seed).changed(deals=deals)
    others = field_of_game(conditions, (bot.stem,)) if bots == "field" else options.names(bots)
    from arena.runs.tuning import picture_of, read_tunable

    read_tunable(bot, conditions.game)  # what is wrong with it is told before anything starts
    start_early(workers, address)
    from arena.api import PlayOptions, tune_bot

    driven = PlayOptions(workers, address, say=note, watch=watching(progress))
    tuned = tune_bot(open_store(create=True), asked, bot, others, driven)
    if out is not None:
        write_text(out, picture_of(tuned))
        print(f"wrote {out}")
    code = NO_BETTER
    if tuned.run is not None and tuned.answer is not None:
        name = tuned.bot.name
        named = replace(tuned.answer, bot=f"{name}, tuned,", against=f"{name} as it was")
        code = print_answer(tuned.run, named, Format.TABLE)
    if not tuned.better:
        print("no better: nothing is written" if code == NO_BETTER else "not known: nothing is written")
        raise typer.Exit(code)
    for before, after in zip(tuned.bot.tune, tuned.best.tune, strict=True):
        print(f"{before.name}: {before.value} -> {after.value}")
    print(f"better: wrote {tuned.write(bot)}")
