"""A bot's trial before it enters: some real games, in the same processes and under the same limits as in a league."""

from __future__ import annotations

from dataclasses import dataclass

import engines
from leagues.schedule import Secret

from ..jail import Program
from ..match.play import play_match
from ..match.setup import GameSetup, MatchResult, MatchSetup
from ..player import GameZygote
from .registry import house_bots
from .source import Source, unpack


@dataclass(frozen=True)
class Trial:
    """What a trial showed. `faults` are (kind, where, last words) of the bot under trial."""

    game: str
    games: int
    decisions: int
    cpu_us: float
    faults: list[tuple[str, str, str]]


def run(source: Source, game_name: str, deals: int = 4, level: str = "strict", seed: int = 1) -> Trial:
    """Play a bot from every seat against the random bot, and at a table of its own kind.

    Args:
        source: the bot.
        game_name: one of its games.
        deals: deals to play, each from every seat.
        level: how it is separated.
        seed: of the deals.

    Raises:
        HostError: this host cannot separate bots so.
    """
    game = engines.load(game_name)
    k = game.players
    mine = unpack(source.name, source.packed)
    other = unpack("random", house_bots()["random"].packed)
    with GameZygote(game_name, level) as zygote:
        against = _match(game_name, k, [mine] + [other] * (k - 1), deals, seed, level, zygote)
        alike = _match(game_name, k, [mine] * k, 1, seed + 1, level, zygote)
    faults = [
        (lost.kind, f"game {lost.game + 1}, seat {lost.seat}, after {lost.decision} decisions", lost.text)
        for result, places in ((against, {0}), (alike, set(range(k))))
        for lost in result.forfeits
        if lost.place in places
    ]
    decisions = against.decisions[0] + sum(alike.decisions)
    cpu = against.cpu_s[0] + sum(alike.cpu_s)
    return Trial(game_name, len(against.moves) + len(alike.moves), decisions, cpu / max(decisions, 1) * 1e6, faults)


def _match(game: str, k: int, bots: list[Program], deals: int, seed: int, level: str, zygote: GameZygote) -> MatchResult:
    secret = Secret.of_seed(seed)
    places = list(range(k))
    games = [
        GameSetup(deal * k + turn, deal, secret.deal_seed(deal), tuple(places[k - turn :] + places[: k - turn]))
        for deal in range(deals)
        for turn in range(k)
    ]
    setup = MatchSetup(
        number=0,
        game=game,
        players=k,
        options=engines.load(game).check_options()[1],
        games=tuple(games),
        bot_seeds=tuple(secret.bot_seed(0, place) for place in places),
        limits={},
        level=level,
    )
    return play_match(setup, bots, zygote)
