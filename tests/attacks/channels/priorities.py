"""The priority of all processes of a user, which each of them can ask for."""

import os

WORKS = False  # it only goes down: one bit a process, and only without a wall


def send(bit):
    if bit:
        os.setpriority(os.PRIO_PROCESS, 0, 1)


def hear():
    return os.getpriority(os.PRIO_USER, os.getuid())
