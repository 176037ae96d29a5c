"""Watches every line of the harness around it, and lets each raise."""

import sys

GAMES = ["flip7"]
VERDICT = ["exception", "crash"]


def trace(frame, event, argument):
    if "arena" in frame.f_globals.get("__name__", ""):
        raise SystemExit("not in my process")
    return trace


def act(view):
    frame = sys._getframe(1)
    while frame is not None:
        frame.f_trace = trace
        frame = frame.f_back
    sys.settrace(trace)
    return view.legal[0]
