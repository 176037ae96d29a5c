"""`arena play`: a person at the table, or a game of bots to look at."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options
from arena.cli.output import note
from arena.errors import UsageError
from arena.printable import KEPT, count, wrapped

if TYPE_CHECKING:
    from arena.people.terminal import OwnSeat

LEAVE = "the game is not kept: leave it all the same?"
COSTLIEST = 3  # of a person's decisions, after the game
PAUSE_S = 0.5  # after an action that is watched in a terminal
HELP = (
    "a number, a card or its text plays; Enter shows the table; ? or r words, and what is decided now; "
    "h a hint with values; u takes your last action back; q ends"
)


def play(
    game: options.GameArgument = "",
    bots: options.BotsOption = None,
    seat: Annotated[int, typer.Option("--seat", min=0, help="Where you sit.")] = 0,
    players: options.PlayersOption = None,
    seed: options.SeedOption = None,
    option: options.OptionOption = None,
    watch: Annotated[bool, typer.Option("--watch", help="Watch bots play, with all cards open.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write your game to FILE (default: with your results)."),
    ] = None,
) -> None:
    """Play a game yourself against bots, in this terminal, or watch one. Without --bots: house bots.

    Without a game it lists them.

    Examples:
        arena play taroky
        arena play tzogous37 --bots easy          # or club, strong, strongest
        arena play flip7 --bots racer,banker --players 3 --seed 7
        arena play taroky --watch --bots rule,plain,steady,rule
    """
    import engines
    from arena.people.terminal import seated

    if not game:
        for name in engines.names():
            print(f"arena play {name:<12}# {engines.load(name).title}")
        return
    look = _Look(game)
    own = None if watch else seat
    with seated(game, options.names(bots), own, players, seed, options.pairs(option), say=note) as table:
        if watch:
            note(f"seed {table.seed}")
            _watch(table, look)
            _end(table, look)
            return
        while not (table.asked or table.position.over):
            look.show(table.step(), table)
        look.show(" ".join(table.words.get("goal", "").split()), table)  # stays on a small screen
        look.say(f"{game}: you have seat {seat}; {HELP}")
        if not _go_on(table, look):
            again = shlex.join(sys.argv[1:]) + f" --seed {table.seed}" * (seed is None)
            note(f"the game was left; it is not kept; the same deal from its start: arena {again}")
            return
        _end(table, look)
        _costs(table, look)
        _keep(table, out)


def _watch(table: OwnSeat, look: _Look) -> None:
    """Show a game of bots, the whole position at the start of every round."""
    shown: object = None
    while not table.position.over:
        now = getattr(table.position.view(-1), "round", None)
        if now != shown:
            look.show(f"\n{table.position}", table)
            shown = now
        if len(table.position.legal_numbers()) > 1 and sys.stdout.isatty():
            time.sleep(PAUSE_S)
        look.show(table.step(), table)


class _Look:
    """How text about a game is shown: cards with symbols and colours, in a terminal broken between words."""

    def __init__(self, game: str) -> None:
        self.game, encoding = game, (sys.stdout.encoding or "ascii").lower()
        self.symbols = encoding.startswith("utf")
        self._wraps = sys.stdout.isatty()
        self.colours = self._wraps and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def say(self, text: str) -> None:
        """Print text."""
        from arena.people.terminal import pretty

        if self.symbols:
            text = re.sub(r"\bT(?=[shdc]\b)", "10", text)  # as wide as it is shown
        if self._wraps:  # a card and how many of it there are stay together
            text = wrapped(re.sub(r" (?=x\d)", KEPT, text), shutil.get_terminal_size().columns)
        print(pretty(text, self.game, self.symbols, self.colours), flush=True)

    def show(self, text: str, table: OwnSeat) -> None:
        """Print a position or actions, with the names of seats."""
        from arena.replay.text import named

        self.say(named(text, table.names))


def _go_on(table: OwnSeat, look: _Look) -> bool:
    """Play until the end (true) or until the person leaves."""
    while not table.position.over:
        if not table.asked:
            look.show(table.step(), table)
            continue
        _show(table, look)
        if not _decide(table, look):
            return False
    return True


def _show(table: OwnSeat, look: _Look) -> None:
    view = str(table.position.view(table.own)).split("\nlegal: ")[0]
    look.show(f"\n{view}", table)
    _offer(table, look)


def _offer(table: OwnSeat, look: _Look) -> None:
    look.show("  ".join(text.replace(" ", KEPT) for text in offers(table.offered)), table)


def offers(texts: list[str]) -> list[str]:
    """Return actions with the numbers that play them; many of a verb with evenly spaced amounts as one."""
    from engines.errors import in_groups

    lines, first = list[str](), 1
    for verb, ends, step in in_groups(texts):
        numbers, said = f"{first}", f"{verb}{ends[0]}"
        if step:
            numbers += f"-{first + len(ends) - 1}"
            said += f", {ends[1]} .. {ends[-1]}: type {verb}and the number"
        lines.append(f"[{numbers}] {said}")
        first += len(ends)
    return lines


def _decide(table: OwnSeat, look: _Look) -> bool:
    """Ask until the person has played (true) or leaves."""
    from engines import GameError

    seat = table.position.seat
    assert seat is not None
    while True:
        try:
            said = input("> ").strip()
        except EOFError:
            return False
        except KeyboardInterrupt:
            said = "q"
            print()
        for letter, suit in table.position.game.suits.items():  # as the text is shown
            said = said.replace(f"10{suit.symbol}", f"T{letter}").replace(suit.symbol, letter)
        legal = table.offered
        if said.isdecimal() and 1 <= int(said) <= len(legal):
            said = legal[int(said) - 1]
        said, *others = meant(said, legal, table.game.cards)
        if said in ("q", "quit") and (not table.so_far().asked(seat) or _sure(LEAVE, "q", "quit")):
            return False
        if said in ("", "q", "quit"):
            _show(table, look)
        elif said in ("?", "r", "help"):
            _explain(table, look)
            _offer(table, look)
        elif said == "h":
            look.show(_values(table), table)
            _offer(table, look)
        elif said == "u":
            gone = table.undo(seat)
            also = f", and {count(len(gone) - 1, 'action')} after it" if len(gone) > 1 else ""
            told = f"taken back: {table.position.texts[gone[0]]}{also}" if gone else ""
            look.say(told or "there is nothing to take back")
            _show(table, look)
        elif others:
            look.show(f"that may be: {', '.join([said, *others])}", table)
        elif said.isdecimal():
            print(f"there are actions 1 to {len(legal)}")
        elif (free := table.words.get("last", {}).get(said)) in legal and not _sure(
            f"{free} costs nothing; {said} all the same?"
        ):
            _show(table, look)
        else:
            try:
                look.show(table.step(said), table)
                return True
            except GameError as error:
                look.say(f"{error}; {HELP}")
                _offer(table, look)


def meant(said: str, legal: list[str], cards: Sequence[str]) -> list[str]:
    """Return the actions that a text in any case or a card alone, `Kc` or `10h`, may mean; else the text."""
    if said not in legal and (alike := [text for text in legal if text.lower() == said.lower()]):
        return alike
    spelled = {said.lower(), re.sub(r"^10", "t", said.lower())}
    named = {card for card in cards if card.lower() in spelled and not card.isdecimal()}
    return [text for text in legal if named & {*text.split()[1:]}] or [said]


def _sure(question: str, *agree: str) -> bool:
    """Ask whether somebody who may go on for nothing, or is in the middle of a game, gives up."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes", *agree)
    except EOFError:
        return False


def _values(table: OwnSeat) -> str:
    """Return what each action is worth, a line each, the best first, which has a star."""
    from arena.replay.analysis import values

    found = values(table.so_far(), len(table.moves))
    width = max(len(text) for text, *_ in found["values"])
    return f"what you can expect, {found['about']} (* the best):" + "".join(
        f"\n{' ' if at else '*'} {text:<{width}}  {points:9.2f} \u00b1 {error:.2f}"
        for at, (text, points, error) in enumerate(found["values"])
    )


def _explain(table: OwnSeat, look: _Look) -> None:
    from arena.people.terminal import rules_of

    view = table.position.view(table.own)
    # the page breaks its paragraphs for a wide editor: here the terminal says where
    section = re.sub(r"(?<=\S)\n {0,3}(?=[\w(`])", " ", rules_of(view.game, view.phase))
    look.say(re.sub(r"^#+ |`|\*+(?=\S)|(?<=\S)\*+", "", section, flags=re.MULTILINE))
    look.say("\nwords of this game:")  # last: they stay on a small screen
    for word, meaning in table.words.get("terms", {}).items():
        look.say(f"  {word}: {meaning}")
    look.say(f"all rules: arena games {view.game} --rules; {HELP}")


def _end(table: OwnSeat, look: _Look) -> None:
    from arena.replay.explaining import decided

    look.show(f"\n{table.position}", table)
    scores = table.position.scores()
    for seat in sorted(range(len(scores)), key=lambda seat: -scores[seat]):
        print(f"{scores[seat]:>8}  seat {seat} {table.names[seat]}")
    if table.own is not None:
        mine, place = scores[table.own], 1 + sum(score > scores[table.own] for score in scores)
        shared = "a share of " * (scores.count(mine) > 1)
        print("you win" if place == 1 and not shared else f"you have {shared}place {place} of {len(scores)}")
    if part := decided(table.so_far(), table.own):
        look.show(f"what decided it: {part}", table)


def _costs(table: OwnSeat, look: _Look) -> None:
    """Print the costliest decisions of the person, with what was better."""
    from arena.replay.analysis import analyse, cost_line, costliest
    from arena.replay.scenes import part_of, scene

    assert table.own is not None
    look.say("your decisions are judged ...")
    found = costliest(list(analyse(table.so_far(), [table.own])))[:COSTLIEST]
    look.say(
        "your costliest decisions (arena replay FILE --at NUMBER shows one):"
        if found
        else "none of your decisions surely cost more than a trifle"
    )
    for one in sorted(found, key=lambda one: -one.cost):
        part = part_of(scene(table.game, table.so_far().at(one.decision).states))
        why = f"; {one.reason}" if one.reason else ""
        look.show(f"  {one.decision} ({part}): {cost_line(table.game.name, one)}{why}", table)


def _keep(table: OwnSeat, out: Path | None) -> None:
    from arena.match import records
    from arena.places import data_folder

    name = f"{table.game.name}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}.jsonl"
    path = out or data_folder() / "games" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{records.line(event)}\n" for event in table.so_far().events()), "utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the game cannot be kept: {error.strerror}") from None
    note(f"kept; look at it again: arena replay {path}")
