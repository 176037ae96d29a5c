"""Wants to be root in a namespace, where more kernel can be reached."""

from .aim import attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"

NEWUSER = 0x10000000
attempt(libc, "unshare", NEWUSER)

act = play
