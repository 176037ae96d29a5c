"""What a node must show before it gets work: the same project, a wall that holds, and the right games.

The node plays a short match with jailed bots that choose by their own random numbers. The driver knows the
games from playing the same match in its own process, once for each version of the code.
"""

from __future__ import annotations

import contextlib
import platform
import socket
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from leagues.limits import Limits

from ..match import identity
from ..match.played import PlayedMatch
from ..match.setup import MatchSetup

BOT = "GAMES = [{game!r}]\n\n\ndef act(view):\n    return view.rng.choice(view.legal)\n"
LIBRARIES = ("numpy", "numba")
SEED, GAMES = 2024, 2


class Needs(NamedTuple):
    """What a node must have for a match; a tuple, since it is looked up for every node and match."""

    game: str
    level: str
    profile: str
    preload: tuple[str, ...]
    code: str

    @classmethod
    def of(cls, setup: MatchSetup) -> Needs:
        """Return the needs of a match."""
        return cls(setup.game, setup.level, setup.limits.profile, tuple(setup.limits.preload), setup.code)


def prove(game: str, level: str, profile: str, preload: tuple[str, ...], code: str) -> dict[str, Any]:
    """On a node: try all that a match needs.

    Returns:
        `lacks`: why it cannot play; else `games`, the digest of those of the short match. And `host`,
        `versions`.
    """
    from ..intake.source import pack
    from ..jail import HostError

    facts: dict[str, Any] = {"host": socket.gethostname(), "versions": versions()}
    setup = short_match(game, level, profile, preload, code)
    packed = pack({"prover.py": BOT.format(game=game).encode()})
    try:
        result = _played(setup, [packed] * setup.players)
    except HostError as error:
        return facts | {"lacks": reason(error)}
    if result.forfeits:
        return facts | {"lacks": f"a bot cannot play there: {result.forfeits[0].text.splitlines()[0]}"}
    return facts | {"games": result.games_digest()}


def _played(setup: MatchSetup, packed: list[bytes]) -> PlayedMatch:
    """Return a match; once more if the host failed: a fork server that was killed is another one then."""
    from ..jail import HostError
    from .task import run_match

    try:
        return run_match(setup, packed)
    except HostError:
        return run_match(setup, packed)


def short_match(
    game: str, level: str = "strict", profile: str = "numpy", preload: tuple[str, ...] = (), code: str = ""
) -> MatchSetup:
    """Return the match that every node plays."""
    import engines

    loaded = engines.load(game)
    players, options = loaded.check_options(None, {})
    return MatchSetup.of_games(
        game,
        range(SEED, SEED + GAMES),
        range(players),
        options,
        limits=Limits(profile=profile, preload=preload),
        level=level,
        code=code,
        bots=(("prover", ""),) * players,
    )


def versions() -> dict[str, str]:
    """Python and the libraries that games depend on, as they are here."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in LIBRARIES}}


def verdict(facts: dict[str, Any], games: str) -> str:
    """Why a node may not play; "" if it may. `games`: the digest of the short match as it is here."""
    if "lacks" in facts:
        return str(facts["lacks"])
    if facts["games"] != games:
        here, there = versions(), facts["versions"]
        other = [
            f"{name} {there.get(name)}, here {here[name]}" for name in here if there.get(name) != here[name]
        ]
        return "it plays other games than this machine: " + ("; ".join(other) or "with the same versions")
    return ""


def known_games(game: str) -> str:
    """Return the digest of the short match, played in this process; kept beside the game's compiled code."""
    from engines import core

    folder = core.cache_folder(core.SEARCH + game)
    kept: Path | None = folder / f"proof-{identity.playing(game)[:16]}" if folder else None
    with contextlib.suppress(OSError):
        if kept is not None and len(found := kept.read_text()) == 64:
            return found
    digest = _played_here(game).games_digest()
    with contextlib.suppress(OSError):
        if kept is not None:
            kept.write_text(digest)
    return digest


def _played_here(game: str) -> PlayedMatch:
    import engines

    from ..cell.loaded import Player
    from ..match.here import play_here

    setup, module = short_match(game), ModuleType("prover")
    exec(BOT.format(game=game), module.__dict__)
    loaded = engines.load(game)
    return play_here(setup, [Player(module, loaded, seed, lambda *words: None) for seed in setup.bot_seeds])


def reason(error: BaseException) -> str:
    """Return the last line of what an error says."""
    cause = getattr(error, "cause", None) or error
    lines = [line for line in str(cause).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(cause).__name__
