# ruff: noqa: F401, F811
"""Owners register by themselves, and what they sent can be deleted."""

import pytest

from arena.errors import TooMany, UsageError
from arena.intake.source import pack
from arena.store import Store
from arena.store.owners import PER_NETWORK
from tests.arena.test_owners import plain_bot, send, store


def test_anybody_may_register_but_few_of_one_network_and_none_by_anothers_name(store: Store) -> None:
    tokens = [store.owners.register(f"new{at}", "192.0.2.7") for at in range(PER_NETWORK)]
    owners = [store.owners.of_token(token) for token in tokens]
    assert [owner and owner.name for owner in owners] == ["new0", "new1", "new2"]
    with pytest.raises(TooMany) as raised:
        store.owners.register("more", "192.0.2.7")
    assert 0 < raised.value.wait_s <= 86_400
    with pytest.raises(UsageError, match="looks like new0"):
        store.owners.register("NEWO", "192.0.2.8")
    store.owners.invite("ada", "test")
    with pytest.raises(UsageError, match="already"):
        store.owners.register("ada", "192.0.2.8")
    assert store.owners.register("bob", "192.0.2.8")


def test_deleting_an_owner_leaves_games_and_nothing_that_was_sent(store: Store) -> None:
    send(store, "ada", "bob")
    token = store.owners.new_token("ada", "test")
    packed = pack({"y.py": b""})
    mine = store.bots.add(plain_bot("x", "ada"), packed).bot
    twin = plain_bot("y", "bob")
    twin.hash = "shared"
    store.bots.add(twin, packed)
    shared = plain_bot("z", "ada")
    shared.hash = "shared"
    store.bots.add(shared, packed)
    assert store.owners.delete("ada", "test") == ["x@1", "z@1"]
    assert store.owners.of_token(token) is None and store.bots.source("shared") == packed
    with pytest.raises(Exception, match="were deleted"):
        store.bots.source("x")
    with pytest.raises(UsageError, match="were deleted"):
        store.bots.restore(next(bot for bot in store.bots.all(newest=False) if bot.id == mine.id))
    ((one, _),) = store.submissions.of_owner("ada")
    assert (one.state, one.source, one.note) == ("refused", b"", "")
    assert [one.owner for one in store.submissions.queue()] == ["bob"]
    assert store.owners.acts("ada")[-1].what == "delete"
