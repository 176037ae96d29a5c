"""The `arena` program."""

from __future__ import annotations

from arena.cli.stopping import STOPPED

# isort: split
import atexit
import contextlib
import errno
import gc
import io
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import engines
from arena.cli import (
    analyse,
    bot,
    compare,
    db,
    doctor,
    duel,
    exploit,
    game,
    ladder,
    league,
    ratings,
    replay,
    tune,
    web,
)
from arena.cli import at_table as play
from arena.cli import owner as owners
from arena.cli.group import Group, finish
from arena.cli.output import Volume, in_words, log, note
from arena.errors import RunError, exit_code
from arena.printable import printable

PANELS = {  # whom commands are for: the order of the help
    "For authors of bots": (
        "bot",
        "duel",
        "compare",
        "tune",
        "games",
        "replay",
        "analyse",
        "exploit",
        "trace",
        "login",
        "push",
    ),
    "For authors of games": ("game",),
    "At the table": ("play",),
    "For organisers": ("league", "ladder", "ratings", "report", "serve", "owner", "db"),
    "This machine": ("doctor", "bench"),
}
CUT_S = 10.0  # for what ends with a command; a thread may wait for a frozen database for ever
LITTLE_GARBAGE = 50_000  # objects, from one look for garbage to the next: what a command loads stays
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")  # of NumPy: more wait for each other at matrices of 200 bots
PRINTING = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # errors of print; those of databases have other types
FIRST_STEPS = """\
There are no results yet, and no bots in this folder. First steps:
    arena play flip7                        # a game against the house bots
    arena bot new my_bot --game taroky      # a first bot of your own; then: arena bot check my_bot.py
    arena league run flip7 --deals 10       # a small league of the house bots
All commands: arena --help
"""


class Commands(Group):
    """Commands by whom they are for. Errors that a person can mend are one line on stderr and an exit code.

    In a folder where nothing is yet, `arena` alone says what to do first.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        if not args and not ctx.resilient_parsing and _nothing_yet():
            print(FIRST_STEPS, end="")
            raise typer.Exit()
        return super().parse_args(ctx, _in_front(args))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands into the help."""
        for panel, names in PANELS.items():
            self.write_section(formatter, panel, names)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        began = time.monotonic()
        try:
            given = super().invoke(ctx)
            log("ended")
            return given
        except Exception as error:
            stop = _stop_before(error)
            if isinstance(error, OSError) and error.errno not in (None, errno.EPIPE):
                error = RunError(_cannot_do(error))
            code = exit_code(error) if stop is None else _code_of(stop)
            if code is None:
                log(f"ended by {type(error).__name__}: {error}")
                raise
            if Volume.verbose:
                traceback.print_exception(error)
            told = printable(str(error)) if stop is None else "stopped"
            print(in_words(f"arena: {told}"), file=sys.stderr)
            log(told)
            raise typer.Exit(code) from None
        except KeyboardInterrupt as stop:
            print("arena: stopped", file=sys.stderr)
            log("stopped")
            raise typer.Exit(_code_of(stop)) from None
        finally:
            if (local := sys.modules.get("arena.cluster.local")) is not None:
                local.end_early()
            if Volume.verbose:
                note(f"took {time.monotonic() - began:.1f} s")


def _in_front(args: list[str]) -> list[str]:
    """Put the program's own options, which may stand anywhere, before the command."""
    own, rest = list[str](), list[str]()
    words = iter(args)
    for word in words:
        if re.fullmatch(r"-[qv]+|--quiet|--verbose|--db=.*", word):
            own.append(word)
        elif word == "--db":
            value = next(words, None)
            if value is None:
                return [word]  # which says that a value is missing
            own.append(f"--db={value}")
        else:
            rest += [word, *words] if word == "--" else [word]
    return own + rest


def _stop_before(error: BaseException | None) -> KeyboardInterrupt | None:
    """Ctrl-C or SIGTERM, if an error came while that was answered: a transaction, say, that was cut off."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


def _code_of(stop: KeyboardInterrupt) -> int:
    return int(getattr(stop, "exit_code", STOPPED))


def _nothing_yet() -> bool:
    """Whether there are no results, and no bots here."""
    from arena.errors import UsageError
    from arena.places import data_folder

    with contextlib.suppress(UsageError):  # whoever has no home folder has nothing there
        if os.environ.get("ARENA_DB") or (data_folder() / "arena.db").exists():
            return False
    return not any(any(Path(folder).glob("*.py")) for folder in (".", "my_bots"))


def _show(error: Any, file: Any = None) -> None:
    """Print what Typer finds wrong with a call as errors of ours are printed."""
    told, command = printable(error.format_message()).removesuffix("."), error.ctx and error.ctx.command_path
    if "show" in getattr(error.ctx and error.ctx.command, "commands", ()):
        told = told.replace("command 'list'", "command 'list': `show` without a name lists")
    stop = "" if told.endswith("?") else ";"
    told = f"{told[0].lower()}{told[1:]}{stop} {command or 'arena'} --help says how it is called"
    print(in_words(f"arena: {told}"), file=sys.stderr)


cast(Any, typer.BadParameter.__base__).show = _show
app = typer.Typer(
    name="arena",
    cls=Commands,
    help=f"Leagues of bots for card games: {', '.join(engines.names())}.",
    epilog="First steps: arena bot new my_bot --game taroky; arena bot check my_bot.py; "
    "arena bot submit my_bot.py; arena league run taroky",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)
app.add_typer(bot.app, name="bot")
app.add_typer(game.app, name="game")
app.add_typer(league.app, name="league")
app.add_typer(ladder.app, name="ladder")
app.add_typer(owners.app, name="owner")
app.add_typer(db.app, name="db")
app.command()(ratings.ratings)
app.command()(compare.compare)
app.command()(tune.tune)
app.command()(duel.duel)
app.command()(replay.replay)
app.command()(analyse.analyse)
app.command()(exploit.exploit)
app.command()(play.play)
app.command()(web.report)
app.command()(web.serve)
app.command()(web.login)
app.command()(web.push)
app.command()(game.trace)
app.command()(game.games)
app.command()(game.bench)
app.command()(doctor.doctor)
finish(app)


def _version(wanted: bool) -> None:
    if wanted:
        import arena

        print(f"card-arena {arena.__version__}")
        raise typer.Exit()


@app.callback()
def program(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and end.")
    ] = False,
    db: Annotated[
        str | None,
        typer.Option(
            "--db", metavar="URL", help="Database: a file or URL (default: ARENA_DB, else see arena db info)."
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print results and errors, and no notes.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say which database, how long, an error's traceback.")
    ] = False,
) -> None:
    """Read the program's own options."""
    Volume.quiet, Volume.verbose, Volume.log = quiet, verbose, None
    if db is not None:
        ctx.with_resource(_database(db))


@contextlib.contextmanager
def _database(url: str) -> Iterator[None]:
    """Have all that opens a store, child processes too, open this one."""
    before = os.environ.get("ARENA_DB")
    os.environ["ARENA_DB"] = url
    try:
        yield
    finally:
        os.environ.pop("ARENA_DB")
        if before is not None:
            os.environ["ARENA_DB"] = before


def _open_what_was_closed() -> None:
    """Open a file for nobody in place of each closed standard stream.

    If the caller has closed a stream (`>&-`), the next file that is opened would have its number, and get
    what is meant for it. Python has None for such a stream, and would print on stdout what is for stderr.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115  # open until the end
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):  # a suit may lack in its encoding
        sys.stdout.reconfigure(errors="replace")
    coding = sys.stderr.encoding if sys.stderr else None
    loses = io.BufferedWriter(_Unheard())
    sys.stderr = io.TextIOWrapper(loses, coding, "backslashreplace", line_buffering=True)


class _Unheard(io.RawIOBase):
    """Standard error that loses what cannot be written, as on a full disk: no note is worth a league."""

    def fileno(self) -> int:
        """Return the descriptor."""
        return 2

    def isatty(self) -> bool:
        """Tell whether somebody looks at it."""
        return os.isatty(2)

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """Write what can be written, and say that it was all."""
        with contextlib.suppress(OSError):
            os.write(2, data)
        return len(data)


def _flushed() -> bool:
    """Write what is left to print; false if that fails."""
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BrokenPipeError:  # who reads has seen enough
        return False
    except OSError as error:
        print(f"arena: {_cannot_do(error)}", file=sys.stderr)
        return False
    return True


def _cannot_do(error: OSError) -> str:
    """Say what the system refused: to print, or something else, of which it mostly names the file."""
    if error.filename is None and error.errno in PRINTING:
        return f"the output cannot be written: {error.strerror}; what was stored is safe"
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
    return what + "; ulimit -n 1024 allows more" * (error.errno == errno.EMFILE)


def main() -> None:
    """Run the command line.

    The process ends as soon as all that was registered for its end is done: to take Python and its libraries
    apart would take half a second more, for nobody.
    """
    code: int | None = None
    gc.set_threshold(LITTLE_GARBAGE)
    os.environ.setdefault(*ONE_THREAD)
    os.environ["PYTHONSAFEPATH"] = "1"  # no Python that is started imports files of this folder
    _open_what_was_closed()

    def leave() -> None:
        if code is not None:
            os._exit(code if _flushed() else 1)

    atexit.register(leave)  # what is registered later is done before
    here = os.path.realpath("/proc/self/cwd")  # removed, or closed to this user, as after sudo -u USER
    if os.path.lexists("/proc/self") and not os.access(here, os.X_OK):
        print(f"{here} cannot be entered: files are looked for in /", file=sys.stderr)
        os.chdir("/")
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # its terminal was closed; nohup has it ignored
        signal.signal(signal.SIGHUP, lambda number, frame: signal.raise_signal(signal.SIGTERM))
    try:
        app()
    except SystemExit as end:
        for one in (signal.SIGINT, signal.SIGTERM):  # they would cut off what ends here
            signal.signal(one, signal.SIG_IGN)
        code = end.code if isinstance(end.code, int) else None
        cut = threading.Timer(CUT_S, leave)
        cut.daemon = True
        cut.start()
        raise


if __name__ == "__main__":
    main()
