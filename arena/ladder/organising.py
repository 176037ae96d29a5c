"""What an organiser does, at a terminal or on the organiser's page: every function returns what both show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import UsageError
from ..intake.registry import retire_bot
from ..printable import count
from ..runs.standings import load_pool
from ..store import Store
from ..store.models import Bot, Season
from .epochs import Chosen, season_pool
from .service import close_season, pause_season


def invite(store: Store, by: str, name: str, again: bool = False) -> str:
    """Make an owner, or one more token for an owner; return the token, which is kept nowhere."""
    return (store.owners.new_token if again else store.owners.invite)(name, by)


def revoke(store: Store, by: str, name: str, mark: str | None = None) -> str:
    """End one token of an owner, or all."""
    return f"revoked {', '.join(store.owners.revoke(name, mark, by))}"


def ban(store: Store, by: str, name: str, reason: str = "") -> str:
    """Retire all bots of an owner, refuse what waits and what comes."""
    retired, refused = store.owners.ban(name, reason, by)
    return f"banned {name}; retired {', '.join(retired) or 'no bot'}; refused {count(refused, 'submission')}"


def unban(store: Store, by: str, name: str) -> str:
    """Let an owner submit again."""
    store.owners.unban(name, by)
    return f"{name} may submit again; arena bot retire --undo brings a bot back"


def pause(store: Store, by: str, season: str, undo: bool = False) -> str:
    """Stop playing a season, or let whoever waits for it go on."""
    driven = season in store.leases.season_drivers()
    told = state_of(pause_season(store, season, undo), driven)
    if undo and not driven:
        told = f"season {season} is open, but no driver lives: arena ladder run {season} plays it"
    store.owners.note(by, "go on" if undo else "pause", season)
    return told


def close(store: Store, by: str, season: str) -> str:
    """End a season for good."""
    told = state_of(close_season(store, season))
    store.owners.note(by, "close", season)
    return told


def weigh(store: Store, by: str, season: str, bot: str) -> str:
    """Say how many games a season loses without a version of a bot."""
    found, of = _version(store, bot), store.seasons.find(season)
    so_far = lost = 0
    for at in range(len(of.definition.leagues)):
        if runs := season_pool(store, Chosen(of, of.definition, at)):
            pool = load_pool(store, runs.runs, without=of.without, parts=False)
            theirs = [place for place, one in enumerate(pool.bots) if one.id == found.id]
            so_far += len(pool.results.block)  # all games of a block have one line-up: it goes as a whole
            lost += int(np.isin(pool.results.entrant, theirs).any(axis=1).sum())
    closed = f"; the season is {of.state}: its final tables change" if of.state == "closed" else ""
    told = f"without {bot}, {season} counts {lost} of {count(so_far, 'game')} no more"
    return f"{told}, those of the others at its tables too{closed}"


def _version(store: Store, bot: str) -> Bot:
    found = next((one for one in store.bots.all(newest=False) if one.label == bot), None)
    if found is None:
        raise UsageError(f"no bot {bot!r}: name its version, as in my_bot@2; arena bot show lists them")
    return found


def exclude(store: Store, by: str, season: str, bot: str, reason: str = "", undo: bool = False) -> str:
    """Rate a season without a version of a bot, or let its games count again."""
    found = _version(store, bot)
    if not (undo or reason.strip()):
        raise UsageError(f"say why {bot} is excluded, with --reason: everybody sees it")
    store.seasons.set_counts(season, found, undo, by, reason)
    return f"games of {bot} count {'again' if undo else 'no more'} in {season}"


def retire(store: Store, by: str, bot: str, undo: bool = False) -> str:
    """Take a submitted bot, or one version of it, out of leagues to come, or let it enter again."""
    found = retire_bot(store, bot, undo)
    store.owners.note(by, "restore" if undo else "retire", bot)
    if undo:
        return f"{found.label} may enter again"
    return f"{found.label if '@' in bot else found.name} is retired"


def retry(store: Store, by: str) -> str:
    """Have submissions whose trials failed for no fault of theirs tried as if they were new."""
    again = store.submissions.try_again()
    store.owners.note(by, "try again", "")
    return f"{count(again, 'submission')} will be tried again"


DEEDS: dict[str, Callable[..., str]] = {
    "invite": invite, "revoke": revoke, "ban": ban, "unban": unban, "pause": pause, "close": close,
    "exclude": exclude, "weigh": weigh, "retire": retire, "retry": retry,
}  # fmt: skip
"""What the organiser's page does, by name. All take the store, who does it, and texts by name."""


def state_of(season: Season, driven: bool = False) -> str:
    """Say the state of a season and what comes next; `driven`: a driver plays it, or waits."""
    goes_on = f"arena ladder run {season.name} goes on"
    then = {
        "closing": "it closes when its epoch has ended",
        "closed": f"arena ladder status {season.name} shows the secret of every epoch",
    }
    if driven:
        then |= {"paused": f"arena ladder pause {season.name} --undo goes on", "open": "its driver goes on"}
    return f"season {season.name} is {season.state}: {then.get(season.state, goes_on)}"
