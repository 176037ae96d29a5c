"""The number of the sender's open descriptors, which `stat` of its folder in /proc tells."""

import os

opened = []


def send(bit):
    while opened:
        os.close(opened.pop())
    if bit:
        opened.extend(os.open("/dev/null", 0) for _ in range(3))


def hear(sender):
    return len(os.listdir(f"/proc/{sender}/fd")) > 5
