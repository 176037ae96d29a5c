"""A socket with a name that is no file."""

import socket

bound = []


def send(bit):
    while bound:
        bound.pop().close()
    if bit:
        bound.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        bound[0].bind(f"\0arena-{TOKEN}")


def hear():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
        try:
            caller.connect(f"\0arena-{TOKEN}")
        except ConnectionRefusedError:
            return 0
        return 1
