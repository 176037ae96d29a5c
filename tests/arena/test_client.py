"""What `arena login` and `arena push` say of wrong addresses, answers, tokens and files: always one line."""

import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.__main__ import app
from arena.errors import ArenaError, BotError
from arena.intake.source import MAX_SOURCE
from arena.web import client

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
ANSWERS = {"list": HEAD % (2, b"[]"), "other": HEAD % (2, b"{}"), "number": HEAD % (1, b"5")}
ANSWERS |= {"ssh": b"SSH-2.0-OpenSSH_9.2\r\n", "cut": HEAD % (500, b'{"owner"'), "nothing": b""}


@pytest.fixture(scope="module")
def stranger() -> Iterator[str]:
    """The address of something else: it answers by the path with one of `ANSWERS`."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    path = connection.recv(9999).split(b" ")[1].decode()
                    connection.sendall(ANSWERS[path.split("/")[1]])

        threading.Thread(target=answer, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def login(url: str, token: str = "some-token") -> tuple[int, str]:
    """Return the exit code and the words of `arena login`."""
    result = CliRunner().invoke(app, ["login", url], f"{token}\n")
    return result.exit_code, result.output


@pytest.mark.parametrize("answer", ["list", "other", "number", "ssh"])
def test_login_says_in_a_line_that_something_else_answers(stranger: str, answer: str) -> None:
    url = f"{stranger}/{answer}"
    assert login(url) == (2, f"arena: {url} is no server of card-arena\n")


@pytest.mark.parametrize("answer", ["cut", "nothing"])
def test_login_says_in_a_line_that_an_answer_broke_off(stranger: str, answer: str) -> None:
    url = f"{stranger}/{answer}"
    code, said = login(url)
    assert code == 1 and said.startswith(f"arena: {url} ") and said.count("\n") == 1


class TakesOne(BaseHTTPRequestHandler):
    """A server that takes a bot and breaks off what is asked later."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(202)
        self.end_headers()
        self.wfile.write(b'{"number": 1, "state": "waiting", "text": "place 1 in the queue"}')

    def log_message(self, *words: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.close_connection = True


def test_push_that_loses_its_server_says_that_the_bot_is_stored_and_how_to_ask_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("GAMES = []\n")
    monkeypatch.setattr(client, "LOOK_S", 0)
    with ThreadingHTTPServer(("127.0.0.1", 0), TakesOne) as taking:
        threading.Thread(target=taking.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{taking.server_port}"
        monkeypatch.setattr(client, "_tokens", lambda: {url: "t"})
        sent = client.push(path)
        assert next(sent) == "mine.py: waiting: place 1 in the queue"
        with pytest.raises(ArenaError, match="is stored there and waits") as lost:
            next(sent)
        taking.shutdown()
    assert str(lost.value).startswith(f"{url} ") and str(lost.value).endswith(f"arena push {path} --to {url}")


@pytest.mark.parametrize("url", ["http://", "https:///x", "ftp://arena.example", "arena.example"])
def test_login_says_in_a_line_what_an_address_must_have(url: str) -> None:
    code, said = login(url)
    assert code == 2 and said.endswith("a server's address is http:// or https:// and its name\n")


def test_login_says_in_a_line_why_nothing_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert login(url) == (1, f"arena: {url} does not answer: Connection refused\n")


@pytest.mark.parametrize("url", ["http://127.0.0.1:82x7", "http://127.0.0.1:8237/my arena"])
def test_login_says_in_a_line_that_an_address_is_mistyped(url: str) -> None:
    assert login(url) == (2, f"arena: {url} is no server of card-arena\n")


@pytest.mark.parametrize("token", ["", "\u017elu\u0165", "a\tb"])
def test_login_blames_a_token_that_cannot_be_one_and_not_the_server(stranger: str, token: str) -> None:
    code, said = login(f"{stranger}/list", token)
    assert code == 2 and said == f"arena: {token!r} is no token: copy all of it, and nothing else\n"


def test_push_refuses_a_file_that_is_too_large_before_it_sends_it(
    stranger: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_tokens", lambda: {stranger: "t"})
    path = tmp_path / "big.py"
    path.write_bytes(b"#" * (MAX_SOURCE + 1))
    with pytest.raises(BotError, match=f"big.py has {MAX_SOURCE + 1} bytes; a server takes {MAX_SOURCE} at"):
        list(client.push(path))


def test_a_folder_with_files_of_1970_is_packed(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("GAMES = []\n")
    os.utime(tmp_path / "__init__.py", (0, 0))
    assert b"__init__.py" in client._zipped(tmp_path)
