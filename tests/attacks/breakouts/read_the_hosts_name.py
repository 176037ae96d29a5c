"""Wants to know which machine it runs on."""

import ctypes
import os
import platform
import socket

from .aim import attempt, libc, play

GAMES = ["flip7"]


def by_the_kernel():
    buffer = ctypes.create_string_buffer(390)
    libc("uname", buffer)
    return buffer[65:130]


attempt(by_the_kernel)
attempt(lambda: os.uname().nodename if os.uname().nodename != "jail" else None)
attempt(lambda: platform.node() if platform.node() != "jail" else None)
attempt(socket.gethostname)
attempt(lambda: open("/proc/sys/kernel/hostname").read())

act = play
