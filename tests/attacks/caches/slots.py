"""Bits through what two cores share, in slots of time: the sender is busy with it for a 1, and the hearer measures
how quick it is.

`flush_and_reload.py` comes before this text, and `METHOD`, `START` (s of the monotonic clock) and `SLOT` (s).
"""

import numpy

now = time.monotonic
large = numpy.ones(48 << 17)  # 48 MiB: more than the last cache has
small = numpy.ones((64, 64))  # in the core's own cache
turn = iter(range(1 << 30))


def busy():
    if METHOD == "reload":
        for line in lines:
            read(line)
    elif METHOD == "speed":
        small.dot(small)
    else:
        piece = next(turn) % 48 << 17
        large[piece : piece + (1 << 17)] += 1


def measure():
    if METHOD == "reload":
        return sum(reload(line) < limit for line in lines)
    if METHOD == "speed":
        began = now()
        small.dot(small)
        return began - now()
    piece = next(turn) % 48 << 17
    began = now()
    large[piece : piece + (1 << 17)].sum()
    return began - now()


def act(view):
    global limit
    limit = threshold()
    heard = []
    for i, bit in enumerate(BITS):
        end = START + (i + 1) * SLOT
        while now() < end - SLOT:
            pass
        values = []
        while now() < end - SLOT / 10:
            if ROLE == "hearer":
                values.append(measure())
            elif bit:
                busy()
        heard.append(sum(values) / max(1, len(values)))
    if ROLE == "hearer":
        print("HEARD", *(f"{value:.6g}" for value in heard))
    return view.legal[0]
