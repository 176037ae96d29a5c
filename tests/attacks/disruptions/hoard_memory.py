"""Takes memory and ignores that there is none left."""

GAMES = ["flip7"]
VERDICT = ["cpu", "memory"]

hoard = []


def act(view):
    while True:
        try:
            hoard.append(bytearray(1 << 20))
        except MemoryError:
            pass
