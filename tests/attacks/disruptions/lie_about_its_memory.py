"""Calls itself what the kernel says of a process that has taken very much memory."""

import ctypes

GAMES = ["flip7"]


def act(view):
    ctypes.CDLL(None).prctl(15, b"VmPeak: 9999 kB", 0, 0, 0)
    return view.legal[0]
