"""Bits through what two cores share, in slots of time: the sender is busy with it for a 1, and the hearer measures
how quick it is.

`flush_and_reload.py` comes before this text, and `METHOD`, `START` (s of the time of day), `SLOT` (s) and `PATH`,
a file that both may write to (method `file`: the control, which needs no luck and no wall).
"""

import os

import numpy

now = time.time  # every bot's monotonic clock begins with it
large = numpy.ones(48 << 17)  # 48 MiB: more than the last cache has
small = numpy.ones((64, 64))  # in the core's own cache
turn = iter(range(1 << 30))
if METHOD == "file":
    page = mmap.mmap(os.open(PATH, os.O_RDWR), PAGE)


def send(bit):
    if METHOD == "file":
        page[0] = bit
    elif bit:
        busy()


def busy():
    if METHOD == "reload":
        read(lines)
    elif METHOD == "speed":
        small.dot(small)
    else:
        piece = next(turn) % 48 << 17
        large[piece : piece + (1 << 17)] += 1


def measure():
    if METHOD == "file":
        return page[0]
    if METHOD == "reload":
        return min(reload(lines), 16000)
    if METHOD == "speed":
        began = now()
        small.dot(small)
        return began - now()
    piece = next(turn) % 48 << 17
    began = now()
    large[piece : piece + (1 << 17)].sum()
    return began - now()


def act(view):
    heard = []
    for i, bit in enumerate(BITS):
        end = START + (i + 1) * SLOT
        while now() < end - SLOT:
            pass
        values = []
        while now() < end - SLOT / 10:
            if ROLE == "hearer":
                values.append(measure())
            else:
                send(bit)
        heard.append(
            float(numpy.median(values)) if values else 0.0
        )  # of a slot that was slept through: nothing
    if ROLE == "hearer":
        print("HEARD", *(f"{value:.6g}" for value in heard))
    return view.legal[0]
