"""The sender's CPU clock, which every process of the machine may read where nobody forbids it."""

import time

before = None


def send(bit):
    end = time.process_time() + (0.02 if bit else 0)
    while time.process_time() < end:
        pass


def hear(sender):
    global before
    last, before = before, time.clock_gettime((~sender << 3) | 2)
    return last is not None and before - last > 0.01
