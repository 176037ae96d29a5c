"""Whether a file is a program that needs no other file: a static ELF executable for this machine.

The kernel itself would look for what a file names (`#!`, an ELF interpreter), and no path of a stranger's is
ever looked up.
"""

from __future__ import annotations

import platform
import struct

MACHINES = {62: "x86_64", 183: "aarch64"}
HEADER = struct.Struct("<4s5B7xHHIQQQIHHHHHH")  # of a 64-bit little-endian file
INTERPRETER = 3  # a program header that names a dynamic loader
MOST_HEADERS = 64


def wrong(data: bytes) -> str:
    """Why this machine cannot run a file as a program of its own; empty: it can."""
    if len(data) < HEADER.size or data[:4] != b"\x7fELF":
        return "is no ELF executable"
    _, bits, order, _, _, _, kind, machine, _, _, headers, _, _, _, size, count, *_ = HEADER.unpack_from(data)
    if (bits, order) != (2, 1) or kind not in (2, 3):
        return "is no 64-bit ELF executable"
    if MACHINES.get(machine) != platform.machine():
        return f"is made for {MACHINES.get(machine, 'another machine')}; this one is {platform.machine()}"
    if size < 4 or not 0 < count <= MOST_HEADERS or headers + size * count > len(data):
        return "is a damaged ELF executable"
    kinds = {struct.unpack_from("<I", data, headers + size * i)[0] for i in range(count)}
    return "needs a dynamic loader: link it statically (cc -static)" if INTERPRETER in kinds else ""
