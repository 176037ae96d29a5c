"""Raises an exception whose class will not tell its name."""

VERDICT = ("exception", "crash")
GAMES = ["flip7"]


class Nameless(type):
    def __getattribute__(cls, name):
        if name in ("__name__", "__qualname__", "__module__"):
            raise KeyboardInterrupt
        return type.__getattribute__(cls, name)


class Strange(Exception, metaclass=Nameless):
    pass


def act(view):
    raise Strange("x")
