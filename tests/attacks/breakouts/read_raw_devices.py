"""Wants the disk, the memory and the kernel's log."""

from pathlib import Path

from .aim import attempt, play

GAMES = ["flip7"]
WALL = False

for name in ("mem", "kmsg", "kcore", "sda", "vda", "nvme0n1", "port"):
    attempt(lambda: Path("/dev", name).open("rb").read(1))

act = play
