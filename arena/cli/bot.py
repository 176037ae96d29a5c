"""`arena bot`: bots are written, checked and sent in; those that are stored are listed, shown, retired."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options
from arena.cli.group import group
from arena.cli.league import answer_line
from arena.cli.options import BotArgument, FormatOption, GameOption
from arena.cli.output import Format, count, kin, note, open_store, organiser, print_json, put, table
from arena.cli.progress import Progress, watching
from arena.errors import ArenaError, BotError, UsageError

if TYPE_CHECKING:
    from arena.intake.conditions import Conditions
    from arena.intake.entering import Checked, GameCheck
    from arena.intake.trial import Trial, TrialFault
    from arena.replay.recorded import Recorded

BotPath = Annotated[Path, typer.Argument(help="A .py file, or a folder with __init__.py or bot.toml.")]
app = group("Write, check and submit bots.")


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The bot's name: small letters, digits and _.")],
    game: Annotated[str, typer.Option("--game", help="A game's name.")],
) -> None:
    """Write a first bot, NAME.py, into this folder.

    Example:
        arena bot new my_bot --game taroky
    """
    from arena.intake.entering import new_bot

    path = new_bot(name, game)
    put(f"wrote {path}; next: arena bot check {path}")


@app.command()
def check(
    path: BotPath,
    league: options.LeagueOption = None,
    deals: options.DealsOption = None,
    seed: options.SeedOption = 1,
    players: options.PlayersOption = None,
    option: options.OptionOption = None,
    level: options.LevelOption = None,
    interpreter: options.InterpreterOption = None,
    bots: Annotated[
        str,
        typer.Option("--bots", metavar="A,B,...", help="Who sits beside it: house bots, paths, stored bots."),
    ] = "random",
) -> None:
    """Check a bot: read it, then play some games under a league's limits.

    Exit code 1 if it breaks a rule, or would use more CPU time than a match allows.

    Plays 4 deals from every seat; with --league the deals of a match. Without --league, --players and
    --option also at every other size of the table and under some other options.

    Examples:
        arena bot check my_bot.py
        arena bot check my_bot.py --league taroky
        arena bot check my_bot.py --players 3 --option targeting=any --seed 7 --bots banker,racer
    """
    from arena.intake import entering

    number = 1 if seed is None else seed
    checked = entering.check(
        path,
        league=league,
        deals=deals,
        seed=number,
        players=players,
        options=options.pairs(option),
        level=level,
        interpreters=interpreter or (),
        bots=options.names(bots),
        say=note,
        watch=watching(Progress.AUTO),
    )
    print_checked(checked, number, bots)
    if not checked.fine:
        raise BotError(checked.wrong)
    with_league = f" --league {league}" if league else ""
    but = " but has warnings" if any(game.first.warnings for game in checked.games) else ""
    put(f"{path} is fine{but}; next: arena bot submit {path}{with_league}")


PathsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="PATH...", help="A .py file, or a folder with __init__.py or bot.toml."),
]
OwnerOption = Annotated[
    str, typer.Option("--owner", envvar="ARENA_OWNER", help="Whose bot it is (default: your login name).")
]
AboutOption = Annotated[str, typer.Option("--note", help="What is new in this version.")]


@app.command()
def submit(
    paths: PathsArgument,
    owner: OwnerOption = "",
    about: AboutOption = "",
    league: options.LeagueOption = None,
    deals: options.DealsOption = None,
    level: options.LevelOption = None,
    interpreter: options.InterpreterOption = None,
) -> None:
    """Try bots and store them; each enters the next league of its game. The same name again is a new version.

    The trial is short: 4 deals at the usual table. `arena bot check` tries every table and some options.
    What --league allows is kept with the version: the bot enters the leagues that allow it.
    A name belongs to the owner of its newest version: nobody else can submit under it.

    Examples:
        arena bot submit my_bot.py
        arena bot submit my_bot.py other_bot.py --owner ada --note "counts trumps"
        arena bot submit torch_bot.py --league big.toml
    """
    from arena.intake import entering, sent

    store = open_store(writes=True)
    failed = []
    for path in paths:
        try:
            submitted = entering.submit(
                store,
                path,
                owner=owner,
                note=about,
                league=league,
                deals=deals or entering.CHECK_DEALS,
                level=level,
                interpreters=interpreter or (),
                say=note,
                watch=watching(Progress.AUTO),
            )
        except ArenaError as error:
            if isinstance(error, entering.Refused):
                print_checked(error.checked, None, "random")
            if len(paths) == 1 or isinstance(error, UsageError):
                raise
            note(f"{path}: {error}", always=True)
            failed.append(str(path))
            continue
        if submitted.checked is not None:
            print_checked(submitted.checked, None, "random")
        if submitted.new:
            put(f"submitted {submitted.bot.label}; it enters {sent.entered(store, submitted.bot)}")
        else:
            put(f"{submitted.bot.label} is this very source already; nothing to do")
    for waiting in store.runs.commitments():
        note(f"the next run of {waiting.league} has a secret with the blake2b-256 {waiting.secret_hash}")
    if failed:
        raise BotError(f"not submitted: {', '.join(failed)}")


TITLE_WIDTH = 80  # of a table for people; other formats have the whole title
COLUMNS = (
    "bot",
    "version",
    "kind",
    "games",
    "title",
    "owner",
    "note",
    "conditions",
    "created",
    "retired",
    "hash",
)


@app.command()
def show(
    name: BotArgument = "",
    game: GameOption = None,
    versions: Annotated[bool, typer.Option("--versions", help="All versions, not only the newest.")] = False,
    how: FormatOption = Format.TABLE,
) -> None:
    """Show a stored bot, or list the house bots and the submitted ones.

    Of a bot: whose it is, since when, what it needs, its files, and runs that left it out. The list, without
    a bot, may be of one game or of all versions.

    Examples:
        arena bot show my_bot@2
        arena bot show --game taroky
        arena bot show --versions --format json
    """
    if not name:
        _list(game, versions, how)
        return
    if game is not None or versions:
        raise UsageError("--game and --versions are for the list of bots: leave out the bot")
    _show(name, how)


def _list(game: str | None, versions: bool, how: Format) -> None:
    """Print the house bots and the submitted ones."""
    from arena.intake.registry import list_bots

    table(
        list_bots(open_store(), game, versions),
        COLUMNS,
        how,
        {
            "bot": lambda r: f"{r['bot']}@{r['version']}" if r["version"] else r["bot"],
            "kind": lambda r: "retired" if r["retired"] else r["kind"],
            "games": lambda r: ", ".join(r["games"]) if len(r["games"]) < 3 else f"{len(r['games'])} games",
            "owner": lambda r: r["owner"],
            "what it does": lambda r: shorten(r["title"], TITLE_WIDTH, placeholder="..."),
        },
    )


def _show(name: str, how: Format) -> None:
    """Print what is known of one bot."""
    from arena.intake.registry import facts_of, find_bot
    from arena.intake.source import tuned_values, unpack

    store = open_store()
    bot = find_bot(name, store)
    program = unpack(bot.name, store.bots.source(bot.hash))
    files, tuned = {path: len(data) for path, data in program.files.items()}, tuned_values(program)
    missed = [
        {"run": one.run.label, "kind": one.kind, "text": one.text} for one in store.runs.left_out(bot=bot)
    ]
    otherwise = store.runs.audits_of(bot)
    if how is Format.JSON:
        answers = [{"run": run.label} | one.model_dump(exclude={"run_id"}) for run, one in otherwise]
        print_json(
            facts_of(bot)
            | {"parameters": tuned, "files": files, "left_out": missed, "answered_otherwise": answers}
        )
        return
    needs = ", ".join(f"{key} = {value}" for key, value in bot.conditions.get("limits", {}).items())
    facts = facts_of(bot) | {
        "games": ", ".join(bot.games),
        "conditions": f"{bot.conditions['level']}; {needs}" if bot.conditions else "",
        "parameters": ", ".join(f"{name} = {value}" for name, value in tuned.items()),
        "files": ", ".join(f"{p} ({n} bytes)" for p, n in files.items()),
    }
    rows = [{"what": key, "value": value} for key, value in facts.items() if value not in ("", None)]
    table(rows, ("what", "value"), how, {"what": lambda r: r["what"], "value": lambda r: str(r["value"])})
    for one in missed:
        note(f"left out of {one['run']}, it could not be loaded, {one['kind']}: {one['text']}")
    for run, answer in otherwise:
        note(f"asked again about {answer_line(run, answer)}; it was shown:\n{answer.view}")


@app.command()
def export(
    name: BotArgument,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Write to this folder.")] = Path(),
) -> None:
    """Write the files of a stored bot, as they were submitted.

    Example:
        arena bot export my_bot@2 --out old
    """
    from arena.intake.registry import export_bot

    print(f"wrote {export_bot(open_store(), name, out)}")


@app.command()
def retire(
    name: BotArgument,
    undo: Annotated[bool, typer.Option("--undo", help="Let it enter leagues again.")] = False,
) -> None:
    """Take a submitted bot out of leagues to come; what it played stays.

    A name stands for all its versions. With @N only that version is taken out, and the one before it enters.

    Examples:
        arena bot retire my_bot
        arena bot retire my_bot@1
        arena bot retire my_bot --undo
    """
    from arena.ladder import organising

    print(organising.retire(open_store(writes=True), organiser(), name, undo))


FAULTS, GAMES = 3, 3  # that are shown: faults that differ, and games of those like one
BANKS = {"cpu": "cpu_s_bank", "wall": "sleep_s_bank"}  # by the fault that an empty one is
RECORDS = "arena-check-"  # folders with the games that a bot lost
KEPT_S = 24 * 3600  # how long they are kept


def print_checked(checked: Checked, seed: int | None, bots: str) -> None:
    """Print what a check showed, game by game."""
    for game in checked.games:
        _print_game(game, seed, bots)
        _say_faults(game.faults, checked)


def _print_game(game: GameCheck, seed: int | None, bots: str) -> None:
    """Print the figures of a game, against what is allowed."""
    shown, conditions = game.first, game.first.conditions
    others = sum(one.games for one in game.others)
    more = f" and {others} at other tables and under other options" if others else ""
    lost = len({(id(fault.result), fault.game) for _, fault in game.faults})  # several seats lose one game
    put(
        f"{conditions.game}, {conditions.changed}: {count(shown.games, 'game')}{more}, "
        f"{count(shown.decisions, 'decision')}, {count(len(game.faults), 'fault')}"
        f"{' in ' + count(lost, 'game') if lost else ''}; "
        f"{'fresh seeds' if seed is None else f'seed {seed}'}, against {bots}"
    )
    if shown.stopped:
        _say_stopped(shown)
    else:
        _print_use(shown)
    for line in (*shown.losses, *shown.warnings):
        note(f"{conditions.game}: {line}", always=line in shown.losses)
    for (name, kind), lost in game.others_lost.items():
        note(f"{conditions.game}: games that its opponent {name} forfeited: {lost} ({kind})")


def _print_use(shown: Trial) -> None:
    """CPU time and memory, and what part of the limits they are."""
    conditions = shown.conditions
    part = shown.match_cpu_s / shown.allowed_cpu_s
    put(
        f"  CPU time a decision: {shown.cpu_us:.0f} us on average, loading included; "
        f"99 % took at most {shown.p99_us:.0f} us, the slowest {shown.worst_us:.0f} us"
    )
    limits = conditions.limits
    put(
        f"  CPU time a match of {count(conditions.match_deals, 'deal')}: {shown.match_cpu_s:.1f} s of "
        f"{shown.allowed_cpu_s:.1f} s ({part:.0%}): {limits.cpu_s_bank:g} s and "
        f"{limits.cpu_ms_per_decision:g} ms a decision, at most {limits.cpu_s_match:g} s"
    )
    memory = f"{shown.memory_mib:.0f}" if shown.memory_mib >= 1 else "less than 1"
    put(f"  memory: {memory} MiB of the {conditions.limits.memory_mib} MiB that are allowed")


def _say_stopped(shown: Trial) -> None:
    """Why there are no figures: it was ended in the midst of a decision, or before the first."""
    conditions = shown.conditions
    asked = f"in {count(shown.decisions, 'decision')}" if shown.decisions else "before its first decision"
    put(f"  CPU time: {shown.cpu_s:.1f} s {asked}; then the check stopped it and skipped the rest")
    banks = {fault.kind: BANKS[fault.kind] for fault in shown.faults if fault.kind in BANKS}
    for name in banks.values() if shown.bank_share < 1 else ():
        from arena.intake.trial import trial_limits

        had, whole = (
            getattr(trial_limits(conditions, shown.bank_share), name),
            getattr(conditions.limits, name),
        )
        note(
            f"{conditions.game}: a short check has {had:g} s of a match's {name} of {whole:g} s; "
            f"--deals {conditions.match_deals} has all of it"
        )


def _say_faults(faults: list[tuple[Conditions, TrialFault]], checked: Checked) -> None:
    """Print the first faults that differ, each with what repeats it; also with `-q`."""
    from arena.intake.entering import advice

    groups: dict[tuple[str, ...], list[tuple[Conditions, TrialFault]]] = {}
    for one in faults:
        groups.setdefault(kin(one[1].kind, one[1].text), []).append(one)
    lines, folder = list[str](), _new_folder() if set(groups) - {("import",)} else None
    for at, ((conditions, fault), *others) in enumerate(list(groups.values())[:FAULTS], 1):
        lines.append(f"{fault.kind} ({fault.where}; {conditions.changed})")
        lines += [f"    {line}" for line in fault.text.strip().splitlines()]
        lines += [f"    | {line}" for line in fault.printed.strip().splitlines()[-10:]]
        if hint := advice(checked.path, fault):
            lines.append(f"    {hint}")
        if folder and fault.kind != "import":
            record = folder / f"{at}-{fault.kind}.jsonl"
            played = _write_record(fault, record)
            lines.append(f"    again, for a day: {_again(checked, fault, record, played)}")
        if others:
            games = list(dict.fromkeys(other.where.split(", seat")[0] for _, other in others))
            named = "; ".join(games[:GAMES]) + ("; ..." if len(games) > GAMES else "")
            lines.append(f"    and {len(others)} more like it ({named})")
    if len(groups) > FAULTS:
        lines.append(f"... and faults of {len(groups) - FAULTS} more kinds")
    for line in lines:
        note(line, always=True)


def _again(checked: Checked, fault: TrialFault, record: Path, played: Recorded) -> str:
    """Return the command that repeats a fault; a program in another language can only be looked at."""
    if checked.source.program.is_foreign:
        return f"arena replay {shlex.quote(str(record))} --seat {fault.seat} --format text"
    bot = shlex.quote(str(checked.path))
    words = f"arena replay {shlex.quote(str(record))} --debug {bot} --seat {fault.seat}"
    own = fault.decision < len(played.moves) and played.at(fault.decision).seat == fault.seat
    return f"{words} --at {fault.decision}" if own else words


def _new_folder() -> Path:
    """Return a folder for records; those of earlier checks end after a day."""
    from arena.intake.sent import tidy

    tidy(RECORDS, KEPT_S)
    return Path(tempfile.mkdtemp(prefix=RECORDS))


def _write_record(fault: TrialFault, path: Path) -> Recorded:
    """Write the game of a fault; returns it."""
    from arena.match import records
    from arena.replay.recorded import Recorded

    setup, at = fault.setup, fault.game
    game = Recorded(
        label=path.name,
        game=setup.game,
        players=setup.players,
        options=setup.options,
        seed=int(setup.seeds[at]),
        shuffles=None,
        moves=tuple(fault.result.moves[at].tolist()),
        names=fault.names,
        scores=(),
        bot_seeds=tuple((setup.bot_seeds[place], at) for place in setup.places[at]),
    )
    lines = (records.line(event) + "\n" for event in game.events(legal=False))
    path.write_text("".join(lines), encoding="utf-8")
    return game
