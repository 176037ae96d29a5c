"""A person at the table, and replays, in a real terminal (tmux) and through a pipe; the format of
records, and that a replay finds every difference.
"""

import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from math import hypot
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import engines
from arena.__main__ import app
from arena.cli.at_table import _Look, meant, offers
from arena.match import records
from arena.people import terminal as people
from arena.people.terminal import pretty, rules_of
from arena.printable import KEPT, wrapped
from arena.replay.analysis import analyse, unit_of, values
from arena.web.live_table import house_names
from engines import registry
from engines.laws.setups import setups_of
from engines.position import Position
from tests.engines.test_laws import facts


class Terminal:
    """A terminal of 100 columns in a folder."""

    def __init__(self, folder: Path, socket: str) -> None:
        self.socket = socket
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", str(folder), "sh")
        program = f'arena() {{ {sys.executable} -m arena "$@"; }}'
        self.run(f"PATH={Path(sys.executable).parent}:$PATH; PS1='$ '; {program}")

    def tmux(self, *words: str) -> str:
        return subprocess.check_output(["tmux", "-S", self.socket, *words], text=True)

    def run(self, line: str) -> None:
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-S", "-200")

    def wait(self, done: str | Callable[[str], bool]) -> str:
        """The screen once it shows something."""
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            screen = self.screen()
            if done in screen if isinstance(done, str) else done(screen):
                return screen
            time.sleep(0.05)
        raise AssertionError(f"{done} is not on the screen:\n{self.screen()}")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        pytest.skip("no terminal: tmux is not installed")
    (tmp_path / "pyproject.toml").write_text('name = "card-arena"')  # as in a checkout
    with tempfile.TemporaryDirectory(prefix="tmux-") as sockets:  # the path of a socket may have 107 bytes
        terminal = Terminal(tmp_path, f"{sockets}/tmux")
        yield terminal
        terminal.tmux("kill-server")


def prompts(screen: str) -> int:
    return len(re.findall(r"^>", screen, re.MULTILINE))


def test_a_person_plays_a_game_in_a_terminal_and_steps_through_it(terminal: Terminal, tmp_path: Path) -> None:
    terminal.run("arena play flip7 --players 2 --seed 3 --option goal=1 --bots banker")
    screen = terminal.wait(lambda screen: prompts(screen) == 1)
    assert "you have seat 0" in screen and "[1] hit  [2] stay" in screen
    for keys, answer in [("?", "4.2"), ("?", "SC Second Chance: "), ("h", "what you can expect, % chance to beat an opponent"), ("h", "\n* "), ("9", "there are actions 1 to 2"),
                         ("fold", "flip7 has no action 'fold'"), ("u", "nothing to take back")]:  # fmt: skip
        terminal.run(keys)
        terminal.wait(answer)
    terminal.run("1")
    terminal.wait("seat 0 (you): hit")
    terminal.wait(lambda screen: prompts(screen) == 9 or "kept; look" in screen)
    if "kept; look" not in terminal.screen():
        terminal.run("u")
        terminal.wait("taken back: hit")
        for count in range(10, 40):
            terminal.run("stay")
            terminal.wait(lambda screen, count=count: prompts(screen) > count or "kept; look" in screen)  # type: ignore[misc]
            if "kept; look" in terminal.screen():
                break
    terminal.wait("kept; look")
    (kept,) = (tmp_path / "results" / "games").iterdir()
    assert records.check(kept.read_text().splitlines()) == 1
    assert json.loads(kept.read_text().splitlines()[0])["bots"] == ["you", "banker"]

    terminal.run(f"clear; export LINES=16; arena replay {kept}")
    screen = terminal.wait("decision 0 of")
    assert "open cards" in screen and "seat 0 (you)" in screen
    terminal.press("s")
    terminal.wait(lambda screen: ", seed" not in screen)
    for key, answer in [("Right", "decision 1 of"), ("Left", "decision 0 of"), ("g", "decision:$")]:
        terminal.press(key)
        terminal.wait(lambda screen, answer=answer: re.search(answer, screen.rstrip()))  # type: ignore[misc]
    terminal.run("1")
    terminal.wait("decision 1 of")
    terminal.press("n")  # the position stays, and of the decisions before it those that fit
    terminal.wait(lambda screen: "the game is over\nround 1" in screen and "the end: " in screen)
    terminal.press("q")
    terminal.wait(lambda screen: "decision 4 of" not in screen)


def test_a_left_game_is_not_kept_and_a_pipe_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["play", "flip7", "--players", "2", "--seed", "3"]
    left = CliRunner().invoke(app, words, input="1\nq\nn\nq\nq\n")
    assert left.stdout.count("leave it all the same? [y/N]") == 2 and not list(tmp_path.rglob("*.jsonl"))
    assert left.exit_code == 0 and "the same deal from its start: arena " in left.stderr
    one_goal = [*words, "--option", "goal=1", "--out", "mine.jsonl"]
    whole = CliRunner().invoke(app, one_goal, input="stay\n" * 40)
    assert whole.exit_code == 0 and "arena replay mine.jsonl" in whole.stderr
    shown = CliRunner().invoke(app, ["replay", "mine.jsonl"])
    assert "seat 0: you" in shown.stdout and "the game is over" in shown.stdout
    monkeypatch.setattr(people, "warm_up", None)  # what is wrong is told before the game is compiled
    for wrong, message in [
        (["--seat", "7"], "seats 0 to 1, not 7"),
        (["--bots", "banker,racer"], "there is room for 1"),
        (["--bots", "hard"], "no bot 'hard'; by strength: easy, club, strong, strongest"),
        (["--bots", "bankr"], "no bot 'bankr'; did you mean banker?"),
    ]:
        done = CliRunner().invoke(app, [*words, *wrong])
        assert done.exit_code == 2 and message in done.stderr


def test_a_game_without_hints_and_sections_of_its_own_is_played_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(registry.home("flip7").words, "levels")
    monkeypatch.setattr(engines.load("flip7"), "sections", {})
    words = ["play", "flip7", "--seed", "1", "--players", "2", "--out", str(tmp_path / "game.jsonl")]
    done = CliRunner().invoke(app, words, input="r\nh\nq\n")
    assert done.exit_code == 0 and "\n> 4 A round" in done.stdout


def test_the_goal_stands_at_the_first_decision_after_what_bots_did_before_it() -> None:
    shown = CliRunner().invoke(app, ["play", "julepe", "--seed", "5"], input="q\n").output
    assert shown.index("seat 1 (") < shown.index("Each seat says whether") < shown.index("you have seat 0")


@pytest.mark.parametrize(
    ("name", "secret", "allowed"),
    [
        ("tzogous37", "place", r"place \?"),
        ("taroky", "discard", r"discard (\?|XX|XIX|X?V?I*)"),  # trumps are shown [4.6]
        ("julepe", "discard", r"discard \?"),
    ],
)
def test_what_others_do_in_secret_is_not_printed(name: str, secret: str, allowed: str) -> None:
    told = []
    for seed in range(4):
        with people.seated(name, own=0, seed=seed) as table:
            for _ in range(60):
                if table.position.over:
                    break
                legal, after = table.position.legal_numbers(), table.position.copy()
                after.play(legal[0])  # the last placement of a slot of Tzogous turns cards up
                hidden = name != "tzogous37" or after.view(0).phase == table.position.view(0).phase
                line = table.step(legal[0] if table.asked else None).partition("\n")[0]
                seat, text = line.removeprefix("  seat ").split(": ", 1)
                if seat != "0" and text.startswith(secret) and hidden:
                    told.append(text)
    assert told and all(re.fullmatch(allowed, text) for text in told), told


def test_bots_are_watched_with_open_cards() -> None:
    words = ["play", "flip7", "--watch", "--seed", "1", "--players", "2", "--option", "goal=30"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0 and ", seed 1; seat 1 (banker) to act" in done.stdout
    assert "arena play flip7       # Flip 7\n" in CliRunner().invoke(app, ["play"]).stdout
    assert re.search(r"seat 0 \(collector\): hit -> \S+\n", done.stdout)


def test_an_action_can_be_typed_as_it_is_shown_and_a_record_names_no_seed_but_its_own(tmp_path: Path) -> None:
    out = str(tmp_path / "game.jsonl")
    words = ["play", "tzogous37", "--seed", "4", "--players", "2", "--bots", "easy", "--out", out]
    offered = re.search(r"\]\xa0place\xa0(10\S)", CliRunner().invoke(app, words, input="q\n").stdout)
    assert offered[1][-1] in "♠♥♦♣", "cards are shown with the symbols of their suits"
    for said in (f"place {offered[1]}", offered[1]):
        done = CliRunner().invoke(app, words, input=f"{said}\nq\n")
        assert f"seat 0 (you): place {offered[1]}" in done.stdout and "has no action" not in done.output
    done = CliRunner().invoke(app, words, input=100 * "1\n")
    costs = re.findall(r"\d+ \(hand \d, round \d\): .* cost ([\d.]+)", done.stdout)
    assert costs and [float(one) for one in costs] == sorted(map(float, costs), reverse=True)
    replayed = CliRunner().invoke(app, ["replay", out, "--format", "text"])
    assert "tzogous37, 2 players; " in replayed.stdout and "seed 0" not in replayed.stdout


@pytest.mark.parametrize("name", engines.names())
def test_opponents_are_called_by_strength(name: str) -> None:
    levels = engines.registry.home(name).words["levels"]
    assert list(levels) == ["easy", "club", "strong", "strongest"]
    assert house_names(name)[0] == levels["strongest"]
    terms = registry.home(name).words["terms"]
    assert terms and all(len(meaning) < 110 for meaning in terms.values())
    with people.seated(name, ["club"], seed=1) as table:
        assert set(table.names) == {"you", levels["club"]}


@pytest.mark.parametrize("name", engines.names())
def test_every_phase_of_every_game_has_its_section_of_the_rules(name: str) -> None:
    sections, home = engines.load(name).sections, engines.registry.home(name)
    assert home.page is not None and sections
    page = home.page.read_text()
    for phase, number in sections.items():
        assert re.match(rf"#+ {re.escape(number)} ", rules_of(name, phase)), (phase, number)
        assert phase in page


def test_cards_have_suit_symbols_and_colours_where_a_game_has_these_suits() -> None:
    assert pretty("Kh, 7s XXI of s h d c", "taroky", True, False) == "K♥, 7♠ XXI of ♠ ♥ ♦ ♣"
    assert pretty("play Kh, Ts", "taroky", True, True) == "play \x1b[31mK♥\x1b[0m, 10♠"
    assert pretty("play Kh", "taroky", False, False) == "play Kh"
    assert pretty("2c 11o", "julepe", True, True) == "2c 11o"


def test_tens_that_are_shown_wider_than_written_fit_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    _Look("tzogous37").say("hand" + 14 * " Th")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and max(map(len, lines)) <= 40 and "".join(lines).count("10♥") == 14


def test_long_lines_are_broken_between_words_and_go_on_indented() -> None:
    assert wrapped("short\n  one two three", 10) == "short\n  one two\n      three"
    assert wrapped("ab  cd", 6) == "ab  cd" and wrapped("ab  cd ef", 6) == "ab  cd\n    ef"
    assert wrapped(f"[1]{KEPT}give{KEPT}1  [2]{KEPT}stay", 12) == "[1] give 1\n    [2] stay"
    assert wrapped("unbreakable word", 5) == "unbreakable\n    word"


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize("name", engines.names())
def test_a_position_fits_a_narrow_terminal_and_loses_no_word(name: str, columns: int) -> None:
    position = engines.load(name).position(seed=3)
    for text in (str(position), str(position.view()), rules_of(name, position.view().phase)):
        shown = wrapped(text, columns)
        assert shown.split() == text.split()
        assert max(map(len, shown.splitlines())) <= max(columns, max(map(len, text.split())) + 12)


@pytest.mark.parametrize("name", ["flip7", "julepe", "tzogous37"])
def test_a_hint_says_of_every_action_what_the_judge_does_after_the_game(name: str) -> None:
    with people.seated(name, own=None, seed=1) as table:
        while not table.position.over:
            table.step()
    game, fits, costly = table.so_far(), False, 0
    for one in islice(analyse(game), 60):
        hint, times = values(game, one.decision), unit_of(name)[0]
        worth = {text: (value, error) for text, value, error in hint["values"]}
        fits |= "400 worlds that fit what the others did" in hint["about"]
        assert ("costs less than shown" in hint["about"]) == one.phase.startswith("place")
        end = "hand" if name == "tzogous37" and not one.phase.startswith("bet") else "round"
        assert f"to the end of the {end}" in hint["about"]
        assert not {"fold", "check"} <= set(worth)
        if one.verdict == "costly":
            (best, unsure), (played, error), costly = worth[one.best], worth[one.played], costly + 1
            assert abs(best - played - times * one.cost) < 4 * hypot(unsure, error, times * one.error)
            assert max(worth.values())[0] == next(iter(worth.values()))[0] > played  # who follows it
    assert costly and fits == (name != "flip7")


def test_giving_up_stands_last_and_asks_where_going_on_is_free(capsys: pytest.CaptureFixture[str]) -> None:
    said = ["1", "fold", "n", "check", "q"]
    done = CliRunner().invoke(app, ["play", "tzogous37", "--seed", "4"], input="\n".join(said))
    output = done.output.replace(KEPT, " ")
    assert output.startswith("Bet on the two cards") and "[1] check  [2-7] raise 5, 6 .. 10" in output
    assert "check costs nothing; fold all the same? [y/N]" in output
    assert "seat 0 (you): check" in output and "seat 0 (you): fold" not in output


@pytest.mark.parametrize("name", engines.names())
def test_a_position_has_a_line_for_each_seat_and_no_dump_of_fields(name: str) -> None:
    position, rng = engines.load(name).position(seed=11), random.Random(1)
    while not position.over:
        for seat in range(-1, position.players):
            view = position.view(seat)
            lines = str(view).splitlines()
            seats = [re.match(r"seat (\d)( \(you\))?: ", line) for line in lines]
            found = [(int(one[1]), bool(one[2])) for one in seats if one]
            assert found == [(p, p == seat) for p in range(position.players)]
            assert not re.search(r"[{}\[\]]|history|^\w+: |: $", "\n".join(lines[:-1]), re.MULTILINE)
            assert "hand ?" not in str(view)  # how many cards, not a row of backs
        position.play(rng.choice(position.legal_numbers()))


ROUND_1 = r"\n    round 1 ends: seat 0 [+-]\d"
EVENTS = {  # what a person must hear of at least once in four games
    "flip7": [r"hit -> (\d+|\+\d+|X2|FZ|F3|SC)", r"hit -> \d+, busted", ROUND_1],
    "tzogous37": [r"\n    hand 1, round 2 ends: seat 0 ([+-]\d+), seat 1 [+-]\d+\n    seat 0 (showed|won)"],
    "taroky": [r"announce -> (seat \d: )?[a-z]+", r"play \w+\n    seat \d wins the trick", ROUND_1],
    "julepe": [
        r"(in|out) -> seat \d: in \(not asked\)",
        r"play \w+\n    (seat \d|house) wins the trick",
        ROUND_1,
    ],
    "zoliky": [r"draw stock -> (\w[shdc]|JK)$", r"\n    deal 1, round \d+ ends: seat 0 [+-]\d+, seat 1 "],
}


@pytest.mark.parametrize("name", engines.names())
def test_what_an_action_led_to_is_told_and_its_points_are_those_of_the_totals(name: str) -> None:
    heard = []
    for seed in range(4):
        with people.seated(name, own=None, seed=seed) as table:
            stakes = table.position.view(-1).totals  # before anybody acted: they belong to the first part
            while not table.position.over:
                before = table.position.view(-1).totals
                text = table.step()
                heard.append(text)
                if " ends: " in text:
                    said = text.split(" ends: ")[1].split("\n")[0]
                    told = [*map(int, re.findall(r"seat \d ([+-]\d+)", said))]
                    after = table.position.view(-1).totals
                    assert told == [sum(one) - then for *one, then in zip(after, stakes, before, strict=True)]
                    stakes = [0] * len(after)
    assert [one for one in EVENTS[name] if not any(re.search(one, text) for text in heard)] == []


def test_a_wrong_amount_is_answered_with_the_range_of_the_legal_ones_and_no_other_amount() -> None:
    with people.seated("tzogous37", seed=1) as table:
        while not (table.asked and sum(text.startswith("raise ") for text in table.offered) > 4):
            table.step()
        amounts = [int(text[6:]) for text in table.offered if text.startswith("raise ")]
        for wrong in ("raise", "raise 1000", f"raise {max(amounts) + 1}"):
            with pytest.raises(engines.GameError, match=f"'raise {min(amounts)} to {max(amounts)}'") as error:
                table.step(wrong)
            assert str(error.value).count("raise ") <= 2


def test_many_amounts_of_a_verb_are_offered_as_one_with_the_numbers_that_play_them() -> None:
    raises = [f"raise {chips}" for chips in range(5, 31)]
    assert offers(["check", *raises, "raise max", "fold"]) == [
        "[1] check", "[2-27] raise 5, 6 .. 30: type raise and the number", "[28] raise max", "[29] fold",
    ]  # fmt: skip
    assert offers(["knock 1", "knock 2", "knock 12"]) == ["[1] knock 1", "[2] knock 2", "[3] knock 12"]
    assert offers([f"give {seat}" for seat in (0, 1, 2, 4, 5)])[4] == "[5] give 5"
    assert offers([f"raise {chips}" for chips in range(10, 70, 10)])[0].startswith("[1-6] raise 10, 20 .. 60")
    zoliky = ["run 7s 8s 9s", "discard 7s", "discard Th"], engines.load("zoliky").cards
    assert meant("10h", *zoliky) == meant("th", *zoliky) == ["discard Th"]
    assert meant("discard TH", *zoliky) == ["discard Th"]
    assert meant("7s", *zoliky) == zoliky[0][:2] and meant("run", *zoliky) == ["run"]


def lowest(position: Position) -> str:
    return position.legal()[0]


def record(name: str, seed: int = 7, legal: bool = True, **options: object) -> list[str]:
    game = engines.load(name)
    players, complete = game.check_options(None, options)
    events = records.play(game, players, complete, seed, [lowest] * players, legal)
    return [records.line(event) for event in events]


def test_a_record_has_exactly_the_documented_form() -> None:
    lines = record("flip7", seed=7, goal=5)
    head, deck = json.loads(lines[0]), json.loads(lines[1])
    assert lines[0] == (
        '{"event": "game", "game": "flip7", "players": 4, "options": {"goal": 5, "max_rounds": 50, "first_dealer": 0, '
        '"targeting": "self", "flip_three": "now", "second_chance": "auto", "deck": "keep", "tie": "share"}, "seed": 7}'
    )
    assert list(head) == ["event", "game", "players", "options", "seed"]
    assert list(deck) == ["event", "cards"] and len(deck["cards"]) == 94
    assert list(json.loads(lines[2])) == ["event", "seat", "legal", "action"]
    assert list(json.loads(lines[-1])) == ["event", "scores"]
    assert "legal" not in json.loads(record("flip7", goal=5, legal=False)[2])


@pytest.mark.parametrize("name", engines.names())
@settings(max_examples=10)
@given(data=st.data())
def test_random_games_with_random_options_replay_without_a_difference(name: str, data: st.DataObject) -> None:
    game = engines.load(name)
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    players, options = setups_of(game, facts(game), rng)
    seats = [lambda position: rng.choice(position.legal())] * players
    seed, legal = data.draw(st.integers(0, 2**64 - 1)), data.draw(st.booleans())
    events = records.play(game, players, options, seed, seats, legal)
    assert records.check(map(records.line, events)) == 1


def changed(lines: list[str], at: int, **values: object) -> list[str]:
    return [*lines[:at], records.line(json.loads(lines[at]) | values), *lines[at + 1 :]]


def test_every_kind_of_difference_is_found_with_its_line() -> None:
    lines = record("flip7", goal=5)
    shuffle = json.loads(lines[1])["cards"]
    other = next(i for i, (a, b) in enumerate(pairwise(shuffle)) if a != b)
    swapped = [*shuffle[:other], shuffle[other + 1], shuffle[other], *shuffle[other + 2 :]]
    cases = [
        (changed(lines, 2, seat=9), "line 3: seat 9, the engine has seat"),
        (changed(lines, 2, legal=["hit"]), "line 3: legal is"),
        (changed(lines, 2, action="give 3"), "line 3: illegal action 'give 3'"),
        (changed(lines, 2, action="hop"), "line 3: flip7 has no action 'hop'"),
        (changed(lines, 2, action=None), "line 3: a decision needs 'action'"),
        (
            changed(lines, len(lines) - 1, scores=[0] * 4),
            f"line {len(lines)}: scores [0, 0, 0, 0], the engine has",
        ),
        (changed(lines, 1, cards=shuffle[1:]), "not a permutation"),
        (changed(lines, 1, cards=["ZZ", *shuffle[1:]]), "no card 'ZZ'"),
        (changed(lines, 0, game="chess"), "line 1: no game 'chess'"),
        (changed(lines, 0, options={"goal": 0}), "line 1: flip7: option goal = 0"),
        (changed(lines, 0, players=40), "line 1: flip7 is for 2 to 10 players, not 40"),
        (changed(lines, 2, event="decisoin"), "line 3: unknown event 'decisoin'"),
        (lines[:-1], "the game of line 1 has no end"),
        ([lines[0], *lines[2:]], "shuffle 1 is missing"),
        ([*lines[:2], *lines[1:]], "a shuffle, but the engine needs none here"),
        (lines[1:], "line 1: 'shuffle' before any game"),
        ([*lines[:3], lines[-1]], "the end, but the engine has seat"),
        (["{"], "line 1: not an event"),
        (["[1]"], "line 1: not an event"),
        ([], "no game in it"),
        (lines[:1] + lines, "a new game begins"),
    ]
    assert records.check(lines) == 1
    for wrong, message in cases:
        with pytest.raises(records.RecordError) as error:
            records.check(wrong, "file")
        assert message in str(error.value), (message, str(error.value))
    with pytest.raises(records.RecordError):
        records.check(changed(lines, 1, cards=swapped))
