"""A name that does not exist, looked up by the sender: the hearer's look-up takes less time."""

import os
import time

# it does, but by the clock: a test must not hang on a machine's speed (see `leave_names_in_the_kernel`)
WORKS = False
sent = heard = 0


def send(bit):
    global sent
    sent += 1
    if bit:
        for i in range(50):
            os.path.exists(f"/usr/lib/arena-{sent}-{i}")
            os.stat(f"/usr/lib/arena-{sent}-{i}")


def hear():
    global heard
    heard += 1
    began = time.perf_counter()
    for i in range(50):
        os.stat(f"/usr/lib/arena-{heard}-{i}")
    return time.perf_counter() - began < 1e-4
