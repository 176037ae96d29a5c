"""The number of the next process, which counts up for the whole machine."""

import os

last = None


def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


WORKS = False  # it does, but other processes of the machine count too


def send(bit):
    for _ in range(20 * bit):
        fork()


def hear():
    global last
    before, last = last, fork()
    return before is not None and last - before > 10
