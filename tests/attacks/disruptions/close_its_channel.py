"""Closes the channel and stays."""

import os
import time

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "closed its channel"


def act(view):
    os.close(3)
    time.sleep(9999)
