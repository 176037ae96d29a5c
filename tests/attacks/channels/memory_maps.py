"""How much memory the sender has, which its folder in /proc tells."""

WORKS = False  # the amount is heard, and what it means depends on the machine
hoard = []


def send(bit):
    hoard[:] = [bytes(b"x" * (20 << 20))] if bit else []


def hear(sender):
    with open(f"/proc/{sender}/statm") as file:
        return file.read().split()[0]
