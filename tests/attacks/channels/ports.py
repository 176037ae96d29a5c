"""A port of this machine: who cannot have it knows that somebody else does."""

import socket

PORT = 20_000 + TOKEN % 10_000
taken = []


def send(bit):
    while taken:
        taken.pop().close()
    if bit:
        taken.append(socket.socket())
        taken[0].bind(("127.0.0.1", PORT))


def hear():
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", PORT))
        except OSError as error:
            if error.errno == 98:
                return 1
            raise
    return 0
