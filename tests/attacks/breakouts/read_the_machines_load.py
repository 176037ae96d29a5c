"""Wants to feel what the others do by the machine's load."""

from pathlib import Path

from .aim import attempt, play

GAMES = ["flip7"]

for name in ("loadavg", "stat", "uptime", "meminfo", "interrupts", "self/io"):
    attempt(Path("/proc", name).read_text)

act = play
