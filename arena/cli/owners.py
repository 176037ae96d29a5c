"""`arena owner`: who may submit bots over the network, and the trials of what they sent."""

from __future__ import annotations

import dataclasses
from operator import itemgetter
from typing import Annotated

import typer

from arena.cli import completion
from arena.cli.group import Group
from arena.cli.options import FormatOption, LimitOption
from arena.cli.output import Format, count, note, open_store, organiser, table

app = typer.Typer(
    cls=Group, no_args_is_help=True, help="Who may submit bots over the network.", rich_markup_mode=None
)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The owner.")]


@app.command()
def invite(name: NameArgument) -> None:
    """Let a person submit bots, and print a token for it. The token is shown this once.

    Example:
        arena owner invite ada
    """
    print(open_store(create=True).invite(name, organiser()))


@app.command()
def token(name: NameArgument) -> None:
    """Print one more token for an owner. Older ones stay valid until they are revoked.

    Example:
        arena owner token ada
    """
    print(open_store(writes=True).new_token(name, organiser()))


@app.command()
def revoke(
    name: NameArgument,
    mark: Annotated[
        str | None, typer.Argument(metavar="MARK", help="Of one token; see `arena owner list`.")
    ] = None,
) -> None:
    """End one token of an owner, or all. It holds at once, also for a server that runs.

    Examples:
        arena owner revoke ada
        arena owner revoke ada 4f0c21d9
    """
    ended = open_store(writes=True).revoke(name, mark, organiser())
    print(f"revoked {', '.join(ended)}")


@app.command()
def ban(
    name: NameArgument,
    reason: Annotated[str, typer.Option("--reason", help="The owner sees it.")] = "",
) -> None:
    """Retire all bots of an owner, refuse submissions that wait and that come.

    Example:
        arena owner ban mallory --reason "copies of other bots"
    """
    retired, refused = open_store(writes=True).ban(name, reason, organiser())
    print(f"retired {', '.join(retired) or 'no bot'}; refused {count(refused, 'submission')}")


@app.command()
def unban(name: NameArgument) -> None:
    """Let an owner submit again. The bots stay retired: `arena bot restore` brings one back.

    Example:
        arena owner unban mallory
    """
    open_store(writes=True).unban(name, organiser())
    print(f"{name} may submit again")


@app.command()
def delete(name: NameArgument) -> None:
    """Delete what an owner sent: files, notes and logs of bots, submissions, tokens. Nothing brings it back.

    The games stay, with the names of the bots, since the ratings of others depend on them. The owner is
    banned.

    Example:
        arena owner delete ada
    """
    bots = open_store(writes=True).delete_owner(name, organiser())
    print(f"deleted what {name} sent: {', '.join(bots) or 'no bot'}")


@app.command("list")
def list_(how: FormatOption = Format.TABLE) -> None:
    """List owners with the marks of their tokens.

    Example:
        arena owner list
    """
    rows = []
    for one in open_store().owners():
        row = dataclasses.asdict(one)
        banned = one.banned and one.banned.isoformat(timespec="seconds")
        rows.append(row | {"invited": one.invited.isoformat(timespec="seconds"), "banned": banned})
    columns = ("owner", "invited", "tokens", "bots", "waiting", "banned", "reason")
    table(rows, columns, how, {
        "owner": lambda r: r["owner"],
        "invited": lambda r: r["invited"][:16].replace("T", " "),
        "tokens": lambda r: " ".join(r["tokens"]),
        ">bots": lambda r: r["bots"],
        ">waiting": lambda r: r["waiting"],
        "banned": lambda r: r["reason"] or "yes" if r["banned"] else "",
    })  # fmt: skip


@app.command()
def log(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Only what concerns this owner.")] = None,
    limit: LimitOption = None,
    how: FormatOption = Format.TABLE,
) -> None:
    """Show what organisers and owners did, oldest first.

    Example:
        arena owner log --limit 20
    """
    columns = ("at", "who", "what", "owner", "text")
    rows = [
        {"at": one.at.isoformat(timespec="seconds"), **one.model_dump(include=set(columns[1:]))}
        for one in open_store().acts(name, limit)
    ]
    table(rows, columns, how, {key: itemgetter(key) for key in columns})


@app.command("try")
def try_(
    league: Annotated[
        list[str] | None,
        typer.Option(
            "--league",
            metavar="NAME|FILE",
            help="Try bots as this league plays; repeat for other games.",
            autocompletion=completion.league_names,
        ),
    ] = None,
    stay: Annotated[bool, typer.Option("--stay", help="Wait for more until it is stopped.")] = False,
    cpu_s: Annotated[
        float, typer.Option("--cpu-s", min=1, metavar="SECONDS", help="CPU time of a bot's whole trial.")
    ] = 300.0,
) -> None:
    """Try the bots that owners have sent.

    `arena ladder run` and `arena serve --allow-submissions` do this by themselves.

    Several may run at once, also on several machines with PostgreSQL. It can be stopped or killed at any
    time: what it was trying waits again.

    Examples:
        arena owner try
        arena owner try --stay --league taroky
    """
    from arena.bots.conditions import Conditions
    from arena.bots.sent import try_sent

    conditions = {one.game: one for one in map(Conditions.of_league, league or ())}
    try_sent(open_store(writes=True), conditions, note, stay=stay, cpu_s=cpu_s)
