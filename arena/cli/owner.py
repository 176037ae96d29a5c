"""`arena owner`: who may submit bots over the network, and the trials of what they sent."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Annotated

import typer

from arena.cli.group import group
from arena.cli.options import FormatOption, TrialsOption
from arena.cli.output import Format, note, open_store, organiser, put, table

app = group("Who may submit bots over the network.")
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The owner.")]


@app.command()
def invite(
    name: NameArgument,
    again: Annotated[bool, typer.Option("--again", help="One more token for who is an owner.")] = False,
    revoke: Annotated[
        str | None,
        typer.Option(metavar="MARK|all", help="End this token, or all; `arena owner list` has marks."),
    ] = None,
) -> None:
    """Let a person submit bots, and print a token for it; or end tokens. The token is shown this once.

    --revoke holds at once, also for a server that runs; with --again a new token is printed then.

    Examples:
        arena owner invite ada
        arena owner invite ada --again
        arena owner invite ada --revoke all
        arena owner invite ada --revoke 4f0c21d9
    """
    from arena.ladder import organising

    store = open_store(create=revoke is None, writes=True)
    if revoke is not None:
        put(organising.revoke(store, organiser(), name, None if revoke == "all" else revoke))
        if not again:
            return
    print(organising.invite(store, organiser(), name, again))
    note(f"give it to {name}, for the page Submit a bot, or for arena login URL (of the server's first page)")


@app.command()
def ban(
    name: NameArgument,
    reason: Annotated[str, typer.Option("--reason", help="The owner sees it.")] = "",
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete what the owner sent, too. Nothing brings it back.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Let the owner submit again.")] = False,
) -> None:
    """Retire all bots of an owner, refuse submissions that wait and that come.

    With --delete the files, notes and logs of the bots go, and submissions and tokens. The games stay, with
    the names of the bots, since the ratings of others depend on them.

    Examples:
        arena owner ban mallory --reason "copies of other bots"
        arena owner ban mallory --undo
        arena owner ban mallory --delete
    """
    from arena.ladder import organising

    store = open_store(writes=True)
    if undo:
        put(organising.unban(store, organiser(), name))
    elif delete:
        bots = store.owners.delete(name, organiser())
        put(f"deleted what {name} sent: {', '.join(bots) or 'no bot'}")
    else:
        put(organising.ban(store, organiser(), name, reason))


@app.command("list")
def list_(how: FormatOption = Format.TABLE) -> None:
    """List owners with the marks of their tokens; tried: what the sandbox refused their bots.

    Example:
        arena owner list
    """
    from arena.intake.sent import attempts_of

    rows, store = [], open_store()
    for one in store.owners.all():
        row = dataclasses.asdict(one) | {"tried": attempts_of(store, one.owner)}
        banned = one.banned and one.banned.isoformat(timespec="seconds")
        rows.append(row | {"invited": one.invited.isoformat(timespec="seconds"), "banned": banned})
    columns = ("owner", "invited", "tokens", "bots", "waiting", "tried", "banned", "reason")
    table(rows, columns, how, {
        "owner": lambda r: r["owner"],
        "invited": lambda r: r["invited"][:16].replace("T", " "),
        "tokens": lambda r: " ".join(r["tokens"]),
        ">bots": lambda r: r["bots"],
        ">waiting": lambda r: r["waiting"],
        "tried": lambda r: " ".join(r["tried"]),
        "banned": lambda r: r["reason"] or "yes" if r["banned"] else "",
    }, drop=("tried", "invited"))  # fmt: skip


@app.command("try")
def try_(
    league: TrialsOption = None,
    stay: Annotated[bool, typer.Option("--stay", help="Wait for more until it is stopped.")] = False,
    cpu_s: Annotated[
        float, typer.Option("--cpu-s", min=1, metavar="SECONDS", help="CPU time of a bot's whole trial.")
    ] = 300.0,
    again: Annotated[bool, typer.Option("--again", help="Try what failed too often, too.")] = False,
) -> None:
    """Try the bots that owners have sent.

    `arena ladder run` and `arena serve --allow-submissions` do this by themselves.

    Several may run at once, also on several machines with PostgreSQL. It can be stopped or killed at any
    time: what it was trying waits again.

    Examples:
        arena owner try
        arena owner try --again
        arena owner try --stay --league taroky
    """
    from arena.intake.conditions import Conditions
    from arena.intake.sent import try_sent

    conditions = {one.game: one for one in map(Conditions.of_league, league or ())}
    store = open_store(writes=True)
    if again:
        store.submissions.try_again()
    try_sent(store, conditions, partial(note, always=True), stay=stay, cpu_s=cpu_s)
