"""Carry a stranger's program and its orders to the process that runs it.

The program's files travel as bytes.

They never lie on a disk while they run: what has a path can be asked for by others.
"""

from __future__ import annotations

import json
import mmap
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from leagues.limits import Limits

from . import memory
from .outcomes import Layer

MANIFEST = "bot.toml"  # names the program of a bot that is not Python
TUNED = "tuned.json"  # holds numbers that replace those of a module; of a single file: my_bot.tuned.json
SCRIPT, CODE = "{file}", "{code}"
OPENED = re.compile(r"\{open ([^{}]+)\}")  # in an argument: a file of the bot's, that the program finds open
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Program:
    """A Python module as its files, or a program in another language."""

    name: str
    # by their places: `name.py` alone, or what is in the module's folder, with `__init__.py`; or what is in a
    # program's folder, with `bot.toml`
    files: Mapping[str, bytes]

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and not a single file."""
        return "__init__.py" in self.files or self.is_foreign

    @property
    def tuned(self) -> str:
        """The file, whether it is there or not, with the parameters that differ from the module's."""
        return TUNED if self.is_folder else f"{self.name}.{TUNED}"

    @property
    def is_foreign(self) -> bool:
        """Whether it is no Python module but a folder that names another program."""
        return MANIFEST in self.files and "__init__.py" not in self.files


@dataclass(frozen=True)
class Executable:
    """A program that is not Python."""

    file: str  # of the bot's files: the static binary, or what the interpreter runs
    # for the binary or interpreter; in one, `OPENED` stands for the number of a descriptor of another file;
    # with an interpreter `SCRIPT` for a path of the file, `CODE` for its text
    arguments: Sequence[str] = ()
    interpreter: str = ""  # its path on the host; "": the file is a static binary

    @property
    def opened(self) -> list[str]:
        """The files that it finds open, in the order in which its arguments name them."""
        return list(dict.fromkeys(name for one in self.arguments for name in OPENED.findall(one)))


@dataclass(frozen=True)
class Orders:
    """What one jailed process is told before it gives up its rights.

    The fork server never sees it: every later process could find it in its memory.
    """

    name: str
    places: dict[str, tuple[int, int]]  # of its files: offset and size in the memory that the orders came in
    seed: int
    core: int | None
    layers: tuple[Layer, ...]
    limits: Limits
    nonce: int  # what its first message must echo
    probe: dict[str, Any] | None = None  # what to try instead of running a program (`probe`); None: run it
    execute: Executable | None = None  # what takes the process's place; None: it is a Python module
    spent: float = 0.0  # CPU seconds that were charged to a process of this program that has died
    asked: int = 0  # questions that it had answered

    @classmethod
    def read(cls, source: mmap.mmap) -> Orders:
        """Return what `send` wrote."""
        (length,) = _LENGTH.unpack_from(source)
        plain = json.loads(source[_LENGTH.size : _LENGTH.size + length])
        begin = _LENGTH.size + length
        plain["places"] = {name: (begin + at, size) for name, (at, size) in plain["places"].items()}
        plain["layers"] = tuple(map(Layer, plain["layers"]))
        plain["limits"] = Limits(**plain["limits"])
        if plain.get("execute") is not None:
            plain["execute"] = Executable(**plain["execute"])
        return cls(**plain)


def send(program: Program, **orders: Any) -> int:
    """Put orders and files into memory of their own; its read-only descriptor is the caller's to close."""
    places: dict[str, tuple[int, int]] = {}
    end = 0
    for name, data in program.files.items():
        places[name] = (end, len(data))
        end += len(data)
    orders["limits"] = asdict(orders["limits"])
    if orders.get("execute") is not None:
        orders["execute"] = asdict(orders["execute"])
    text = json.dumps({"name": program.name, "places": places} | orders).encode()
    begin = _LENGTH.size + len(text)
    written, fd = memory.one_way("orders", begin + end)
    with written:
        written[:begin] = _LENGTH.pack(len(text)) + text
        for name, data in program.files.items():
            at, size = places[name]
            written[begin + at : begin + at + size] = data
    return fd
