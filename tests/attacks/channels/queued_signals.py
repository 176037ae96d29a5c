"""The number of signals that wait, counted per user: the sender keeps 16 waiting."""

import os
import resource
import signal

NUMBER = signal.SIGRTMIN + 1


def prepare():
    signal.pthread_sigmask(signal.SIG_BLOCK, [NUMBER])
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (16, 16))


def queue(most):
    queued = 0
    while queued < most:
        try:
            signal.raise_signal(NUMBER)
        except OSError:
            break
        queued += 1
    return queued


def drain():
    while signal.sigtimedwait([NUMBER], 0):
        pass


def send(bit):
    drain()
    if bit:
        queue(16)


def hear():
    heard = queue(4)
    drain()
    return heard
