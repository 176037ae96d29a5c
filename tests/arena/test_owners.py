"""Owners, their tokens, and their submissions, none of which is lost or has two outcomes, whoever is killed."""

import contextlib
import os
import signal
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.__main__ import app
from arena.errors import BotError, TooMany, UsageError
from arena.intake.source import pack
from arena.store import Store, submissions
from arena.store.leases import Driver
from arena.store.models import Bot, Submission
from arena.store.owners import PER_NETWORK
from arena.store.submissions import LAST_TRY, MOST_TRIES, LeaseLost
from tests.arena.played import BOT, served
from tests.arena.program import until

from .test_server import ask

SLOW = BOT.replace(b"    return", b"    sum(range(150_000))\n    return")
"""Some milliseconds a decision: a trial of some seconds, each match within its limits."""


@pytest.fixture
def store(url: str) -> Store:
    """A store in SQLite, and one in PostgreSQL."""
    return Store(url, create=True)


def arena(store: Store, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["owner", *words, "--db", store.url])
    assert done.exit_code == code, done.output + done.stderr
    return done.stdout if code == 0 else done.stderr


def send(store: Store, *names: str) -> list[Submission]:
    """Submissions of these owners, in this order."""
    known = {one.owner for one in store.owners.all()}
    for name in dict.fromkeys(names):
        if name not in known:
            store.owners.invite(name, "test")
    return [store.submissions.add(name, f"{name}{at}.py", "", BOT) for at, name in enumerate(names)]


def plain_bot(name: str, owner: str) -> Bot:
    return Bot(name=name, version=0, kind="submitted", games=["flip7"], title="", hash=name, owner=owner)


def test_owners_take_turns_and_see_their_place(store: Store) -> None:
    send(store, *"aaaabbc")
    waiting = [known for name in "abc" for known in store.submissions.of_owner(name, 1)]  # however many
    places = {one.file: place for one, place in waiting}
    assert places == {"a0.py": 1, "b4.py": 2, "c6.py": 3, "a1.py": 4, "b5.py": 5, "a2.py": 6, "a3.py": 7}
    driver, taken = Driver.this_process(), []
    while (one := store.submissions.take(driver)) is not None:
        taken.append(one.owner)
        store.submissions.refuse(one, driver, "no")
    assert "".join(taken) == "abcabaa"
    send(store, *"ab")
    assert [place for one, place in store.submissions.of_owner("b")][-1] == 1  # a was served last


def test_a_submission_of_a_dead_process_waits_again_and_the_dead_can_write_nothing(store: Store) -> None:
    send(store, "ada")
    process = subprocess.Popen(["sleep", "100"])
    us = Driver.this_process()
    dead = Driver(us.key.replace(f"/{os.getpid()}/", f"/{process.pid}/"), "dead")
    process.kill()
    process.wait()
    one = store.submissions.take(dead)
    assert one is not None and store.submissions.untaken()
    again = store.submissions.take(us)
    assert again is not None and again.id == one.id and not store.submissions.untaken()
    assert store.submissions.take(Driver.this_process()) is None  # it is held by a process that lives
    assert store.submissions.untaken(us)  # which could not give it back, if it asks again
    again = store.submissions.take(us)
    assert again is not None and (again.id, again.tries) == (one.id, 2)
    with pytest.raises(LeaseLost):
        store.submissions.accept(one, dead, "", plain_bot("x", "ada"), b"x")
    assert store.bots.all() == []
    store.submissions.accept(one, us, "the next league", plain_bot("x", "ada"), b"x")
    ((ended, place),) = store.submissions.of_owner("ada")
    assert (ended.state, ended.text) == ("accepted", "x@1 was stored for the next league")
    assert (ended.source, place) == (b"", 0)


def test_a_trial_that_keeps_failing_is_no_refusal_and_a_name_is_taken_by_one_owner(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = send(store, "ada", "bob")
    driver, other = Driver.this_process(), Driver.this_process()
    taken = [store.submissions.take(one) for one in (other, driver)]
    assert [one.id for one in taken if one] == [first.id, second.id]
    store.submissions.accept(first, other, "", plain_bot("x", "ada"), b"x")
    with pytest.raises(BotError, match="is a bot of ada"):
        store.submissions.accept(second, driver, "", plain_bot("x", "bob"), b"y")
    for _ in range(MOST_TRIES):
        store.submissions.release(second, driver, failed="KeyError: 'random'")
        store.submissions.take(driver)
    told = "its trial failed {} times on this server, which is not held against it; it {}: KeyError: 'random'"
    (rests,) = store.submissions.failing()
    assert (rests.state, rests.text) == ("waiting", told.format(5, "is tried again in an hour"))
    assert not store.submissions.untaken() and store.submissions.take(driver) is None
    monkeypatch.setattr(submissions, "REST", timedelta())
    for _ in range(MOST_TRIES, LAST_TRY):
        assert store.submissions.take(driver) is not None
        store.submissions.release(second, driver, failed="KeyError: 'random'")
    last = told.format(10, "waits until the organiser runs arena owner try --again")
    assert store.submissions.take(driver) is None and store.submissions.failing()[0].text == last
    assert arena(store, "try", "--again") == "" and store.submissions.failing() == []
    assert store.submissions.of_owner("bob")[0][0].ended is not None


def test_tokens_rotate_and_a_ban_retires_refuses_and_is_in_the_log(store: Store, tmp_path: Path) -> None:
    first = arena(store, "invite", "ada").strip()
    assert "ada is an owner; another token" in arena(store, "invite", "ada", code=2)
    second = arena(store, "invite", "ada", "--again").strip()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert first.encode() not in kept
    for token in (first, second):
        assert (owner := store.owners.of_token(token)) is not None and owner.name == "ada"
    mark = store.owners.all()[0].tokens[0]
    assert arena(store, "invite", "ada", "--revoke", mark) == f"revoked {mark}\n"
    assert store.owners.of_token(first) is None and store.owners.of_token(second) is not None
    store.bots.add(plain_bot("x", "ada"), b"x")
    send(store, "ada", "ada")
    held = store.submissions.take(driver := Driver.this_process())
    said = arena(store, "ban", "ada", "--reason", "clones")
    assert said == "banned ada; retired x@1; refused 2 submissions\n"
    with pytest.raises(LeaseLost):
        store.submissions.accept(held, driver, "", plain_bot("y", "ada"), b"y")
    with pytest.raises(BotError, match="banned"):
        send(store, "ada")
    assert store.bots.all() == [] and "clones" in arena(store, "list")
    arena(store, "ban", "ada", "--undo")
    assert len(send(store, "ada")) == 1
    acts = [one.what for one in store.owners.acts()]
    assert acts == ["invite", "token", "token", "revoke", "ban", "unban"]
    ended, third = arena(store, "invite", "ada", "--revoke", "all", "--again").splitlines()
    assert ended.startswith("revoked") and store.owners.of_token(second) is None
    assert store.owners.of_token(third) is not None
    done = CliRunner().invoke(app, ["owner", "invite", "eve", "--db", store.url])
    assert len(done.stdout.split()) == 1 and "arena login URL" in done.stderr


@pytest.mark.parametrize("name", ["АDA", "Ada", "ADA", "al1", "a1l", "a d", "x" * 41, ""])
def test_an_owner_whose_name_could_be_taken_for_anothers_is_refused(store: Store, name: str) -> None:
    for other in ("ada", "ali"):
        store.owners.invite(other, "test")
    with pytest.raises(UsageError, match=r"letters|looks like (ada|ali)"):
        store.owners.invite(name, "test")
    assert sorted(row.owner for row in store.owners.all()) == ["ada", "ali"]


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_trial_has_a_budget_of_cpu_time_as_a_whole(store: Store) -> None:
    store.owners.invite("ada", "test")
    store.submissions.add("ada", "slow.py", "", SLOW)
    done = CliRunner().invoke(app, ["owner", "try", "--cpu-s", "1", "--db", store.url])
    ((one, _),) = store.submissions.of_owner("ada")
    assert one.state == "refused" and one.text.startswith("its trial took more than 1 s of CPU time")
    assert done.exit_code == 0 and "submission 1 of ada: its trial took more" in done.stderr


def kill(db: str) -> None:
    """End a server and what tries submissions for it as the kernel does when memory is short."""
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            command = (folder / "cmdline").read_bytes()
            environment = (folder / "environ").read_bytes()
            if b"arena\0" in command and db.encode() in command + environment:
                os.kill(int(folder.name), signal.SIGKILL)


def test_what_waits_is_not_stored_twice_and_a_refused_one_may_come_again(store: Store) -> None:
    (first,) = send(store, "ada")
    (again,) = send(store, "ada")
    assert again.key == first.key and len(store.submissions.of_owner("ada")) == 1
    assert store.submissions.add("ada", "ada0.py", "a note", BOT).key != first.key
    one = store.submissions.take(driver := Driver.this_process())
    store.submissions.refuse(one, driver, "no")
    assert send(store, "ada")[0].key not in (first.key, first.key + 1)


def test_a_name_belongs_to_who_sent_it_first_though_another_owners_turn_comes_earlier(store: Store) -> None:
    send(store, "ada", "ada", "bob")
    with pytest.raises(BotError, match="a bot called ada1 waits already"):
        store.submissions.add("bob", "ada1.zip", "", b"")
    driver = Driver.this_process()
    while (one := store.submissions.take(driver)) is not None:
        store.submissions.refuse(one, driver, "no")
    assert store.submissions.add("bob", "ada1.zip", "", b"").key == 4
    store.bots.add(plain_bot("mine", "ada"), b"x")
    with pytest.raises(BotError, match="'mine' is a bot of ada"):
        store.submissions.add("bob", "mine.zip", "", b"")
    assert store.submissions.add("ada", "mine.py", "", b"").key == 5


def test_every_submission_has_one_outcome_though_all_is_killed_in_the_middle(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "arena.db"), create=True)
    tokens = {name: store.owners.invite(name, "test") for name in ("ada", "bob")}

    def post(address: str, owner: str, file: str, source: bytes) -> None:
        url = f"{address}/api/bots?name={file}"
        status, body, _ = ask(url, source, X_Arena="1", Authorization=f"Bearer {tokens[owner]}")
        assert status == 202, body

    def rows() -> list[Submission]:
        return [one for name in tokens for one, _ in store.submissions.of_owner(name)]

    def states() -> dict[int, str]:
        return {one.key: one.state for one in rows()}

    with served(store.name, tmp_path, "--allow-submissions") as address:
        post(address, "ada", "one.py", BOT)
        post(address, "bob", "two.py", BOT.replace(b"view.legal[0]", b"1 / 0"))
        until(lambda: "trying" in states().values())
        kill(store.name)
    assert set(states().values()) <= {"trying", "waiting", "accepted", "refused"}
    with served(store.name, tmp_path, "--allow-submissions"):
        until(lambda: any(one.tries == 2 for one in rows()))
    # it was asked to end: the submission in trial waits again, and nobody tries it
    told = [one.text for one in rows()]
    assert "waiting" in states().values() and "trying" not in states().values(), told
    with served(store.name, tmp_path, "--allow-submissions"):
        until(lambda: not {"trying", "waiting"} & set(states().values()))
    assert states() == {1: "accepted", 2: "refused"}
    assert [bot.label for bot in store.bots.all(newest=False)] == ["one@1"]


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
    for name, owner in (("y", "bob"), ("z", "ada")):
        twin = plain_bot(name, owner)
        twin.hash = "shared"
        store.bots.add(twin, packed)
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
