"""Wants to be readable by others and to outlive the zygote."""

from .aim import attempt, libc, play

GAMES = ["flip7"]

PDEATHSIG, DUMPABLE, NO_NEW_PRIVS, SECCOMP, SUBREAPER = 1, 4, 38, 22, 36
attempt(libc, "prctl", DUMPABLE, 1, 0, 0, 0)
attempt(libc, "prctl", PDEATHSIG, 0, 0, 0, 0)
attempt(libc, "prctl", SUBREAPER, 1, 0, 0, 0)
attempt(libc, "prctl", NO_NEW_PRIVS, 0, 0, 0, 0)
attempt(libc, "prctl", SECCOMP, 0, 0, 0, 0)

act = play
