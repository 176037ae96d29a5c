"""Mistakes planted in an engine, one at a time: the laws must see them.

`python -m tests.engines.test_mutants flip7` prints which law catches which mistake, each as soon as it is judged.
Rules run as plain Python there, and every mistake in a process of its own.
"""

import os
import re
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import SourceFileLoader
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import pytest

import engines
from engines.laws import LAWS, hold_law
from engines.laws.check import DRAWN
from tests.python import python

ROOT = Path(__file__).parents[2]
EXAMPLES, FEW, FIRST = 30, 10, 3
"""Random games for the law on models, for each other law, and for a first look by every law: whole games of
plain Python take many seconds, and most mistakes show in the first games.
"""
CPU_S = 1200
"""A mistake that keeps the laws busy for longer is caught: games do not end."""
# fmt: off
MUTANTS = {  # module, text before, text after, what it breaks
    "flip7": [
        ("rules", "== state.SEVEN", "== state.SEVEN - 1", "six cards end a round"),
        ("rules", "s.dealt < s.players", "s.dealt < s.players - 1", "the last seat gets no card"),
        ("rules", "s.turn = state.next_active(s)", "s.turn = (s.turn + 1) % s.players",
         "the turn goes to seats that are out"),
        ("rules", "leave(s, seat, Status.STAYED)", "leave(s, seat, Status.FROZEN)",
         "who stays counts as frozen"),
        ("rules", "    discard(s, state.SECOND_CHANCE)\n    discard(s, card)", "    discard(s, card)",
         "a used Second Chance is lost"),
        ("rules", "not state.has_chance(s, seat):\n        bust", "True:\n        bust",
         "a Second Chance does not help"),
        ("rules", "s.flip_left[flip] > 0 and s.left > 0", "s.flip_left[flip] > 1 and s.left > 0",
         "Flip Three flips two cards"),
        ("rules", "s.targeting == state.ANY and s.held", "s.targeting == state.SELF and s.held",
         "who gave its first card away may stay"),
        ("rules", "s.second_chance == state.ASK", "s.second_chance != state.ASK",
         "asked exactly where it should not be"),
        ("rules", "s.flip_three == state.AFTER and", "s.flip_three == state.NOW and",
         "when the actions of a Flip Three are resolved"),
        ("rules", "s.deck == state.FRESH", "s.deck == state.KEEP", "when the deck is shuffled anew"),
        ("rules", "s.total[seat] += s.last[seat]", "s.total[seat] = s.last[seat]",
         "totals forget earlier rounds"),
        ("rules", "out[seat] = s.total[seat]", "out[seat] = s.last[seat]", "the last round is the score"),
        ("rules", "s.targeting == state.SELF or not", "not", "a surplus Second Chance is always given away"),
        ("state", "total * 2 if", "total + 2 if", "the multiplier adds two"),
        ("state", "SEVEN, BONUS = 7, 15", "SEVEN, BONUS = 7, 14", "the bonus is 14"),
        ("state", "s.tie == SHARE or leaders == 1", "s.tie == SHARE and leaders == 1", "ties at the goal"),
        ("state", "best >= s.goal", "best > s.goal", "a total equal to the goal does not end the game"),
        ("state", "0 if s.status[seat] == Status.BUSTED else held_worth", "held_worth", "busted seats score"),
        ("worlds", "    fill(s.pile, NOBODY)", "    fill(s.pile[: s.left - 1], NOBODY)",
         "a leak: a seat sees a card of the pile"),
    ],
    "julepe": [
        ("rules", "range(25)", "range(24)", "the last hand has four cards"),
        ("rules", "s.hand[d] |= bit(cards[25])", "s.hand[d] |= bit(cards[26])",
         "the wrong card is turned up"),
        ("rules", "s.stock[29 - k] = cards[k]", "s.stock[k - 26] = cards[k]",
         "leftovers lie in reverse order"),
        ("rules", "s.village == state.VILALBA", "s.village != state.VILALBA",
         "the rule of Vilalba holds elsewhere"),
        ("rules", "if must_play(s):", "if False:", "the ace of trumps binds nobody"),
        ("rules", "count(s.thrown[s.seat]) < s.left", "count(s.thrown[s.seat]) < 3",
         "at most three cards are exchanged"),
        ("rules", "s.seat = taker", "s.seat = next_player(s, taker)", "the next seat leads after a trick"),
        ("rules", "// (parts * s.stake) * s.stake", "// parts", "amounts are no whole coins"),
        ("rules", "tricks <= TRICKS - SAFE", "tricks < TRICKS - SAFE",
         "a dealer with three tricks takes the house's half, too"),
        ("rules", "s.nobody_safe == state.CARRY", "s.nobody_safe != state.CARRY", "the pot is not carried"),
        ("rules", "* count(losers) if", "if", "safe seats get what one loser pays"),
        ("rules", "state.tricks_won(s, p) >= SAFE", "state.tricks_won(s, p) > SAFE",
         "two tricks are not safe"),
        ("rules", "half = coins(s, s.pot, 2)", "half = coins(s, s.pot, 3)", "a split pays thirds"),
        ("rules", "share = s.pot // SEATS", "share = 0", "the pot is not shared at the end"),
        ("rules", "if all_pay else", "if True else", "everybody pays a stake after every round"),
        ("rules", "(dealer(s) + 1) % SEATS", "(dealer(s) + 2) % SEATS", "the next dealer"),
        ("rules", "range(LEFTOVERS + 2)", "range(LEFTOVERS + 1)", "the house gets five cards"),
        ("rules", "s.seat = HOUSE if against", "s.seat = dealer(s) if against",
         "the dealer leads against the house"),
        ("worlds", "            s.thrown[who] = 0\n", "", "a leak: thrown cards of others"),
        ("worlds", "    fill(s.stock, NOBODY)\n    for who", "    for who", "a leak: the stock"),
    ],
    "taroky": [
        ("rules", "bidder = after(s.povinnost, k)\n",
         "bidder = after(s.povinnost, k) if bidder < 0 else bidder\n", "the first bidder plays Prever"),
        ("rules", "for place in range(4):", "for place in range(3):",
         "Povinnost takes three cards of the talon"),
        ("rules", "first = 3 if s.rejections == 1 else 0", "first = 3 if s.rejections >= 1 else 0",
         "two refusals give the lower half"),
        ("rules", "s.seat if action == Action.ACCEPT", "s.seat if action == Action.REJECT",
         "an offered card goes the wrong way"),
        ("rules", "plain = hand & state.PLAIN", "plain = hand & ~state.TRUMPS", "kings may be discarded"),
        ("rules", "if not has(hand, state.XIX):", "if has(hand, state.XIX):",
         "who lacks XIX may call another card"),
        ("rules", "state.TRUMPS) <= 2", "state.TRUMPS) <= 3", "three trumps may be concealed"),
        ("rules", "seat == s.povinnost and action", "seat == s.dealer and action", "the dealer conceals"),
        ("rules", "if action == Action.VALAT or s.seat == s.povinnost:", "if s.seat == s.povinnost:",
         "Valat does not end the asking"),
        ("rules", "claims if level == 1 else not claims", "not claims",
         "the opponents answer their own contra"),
        ("rules", "if s.prever < 0 or may_double", "if may_double",
         "who is asked for contra shows the sides"),
        ("rules", "s.valat >= 0 and s.pagat_with_valat == 0:\n        open_play",
         "s.valat >= 0:\n        open_play", "no Pagat with Valat, whatever the option"),
        ("rules", "may = has(hand, state.PAGAT)", "may = True", "who lacks the I may call the Pagat"),
        ("rules", "follow = hand & state.TRUMPS", "follow = hand", "nobody must trump"),
        ("rules", "s.seat = winner", "s.seat = after(winner, 1)", "the seat after the winner leads"),
        ("settlement", "points >= 54", "points > 54", "54 points lose"),
        ("settlement", "    base <<= state.contra_level(s)\n", "", "a contra does not double"),
        ("settlement", "base <<= s.rejections", "base <<= 0", "refused halves do not double"),
        ("settlement", "return 3 * pay if", "return 2 * pay if", "who is alone is paid by two"),
        ("worlds", "s.discards[other] &= state.TRUMPS", "s.discards[other] &= state.ALL",
         "a leak: discards of others"),
    ],
    "tzogous37": [
        ("rules", "range(state.HAND)", "range(state.HAND - 1)", "six cards are dealt"),
        ("rules", "s.round_no - 1) % s.players)", "s.round_no) % s.players)", "the seat after F leads"),
        ("rules", "if state.face_up(s.round_no, slot):", "if True:", "a leak: face-down cards"),
        ("rules", "state.seat_after(s, s.first) if second == 1 else s.first", "s.first",
         "who leads betting 2"),
        ("rules", "s.phase == Phase.BET1 and s.round_no < ROUNDS", "s.phase == Phase.BET1",
         "who folds in round 4 places a card"),
        ("rules", "s.due = state.with_chips(s) & ~bit(p)", "s.due &= ~bit(p)",
         "a raise need not be answered by who acted before"),
        ("rules", "s.last_raise = max(s.last_raise, amount)", "s.last_raise = amount",
         "a short raise is a new least one"),
        ("rules", "s.bet[p] < s.high or rich & ~bit(p) != 0", "True", "asked when nobody else has chips"),
        ("rules", "    s.joker_used = 1\n", "    s.joker_used = 0\n", "two jokers in one turn"),
        ("rules", "    s.joker_uses[p] += 1\n", "", "jokers are not counted"),
        ("rules", "    s.knows[target] = PUBLIC\n", "    s.knows[target] = bit(p)\n",
         "a joker that was laid is hidden"),
        ("rules", "bit(p) | bit(target >> 1)", "bit(p)", "the owner does not see the card given"),
        ("rules", "knew | bit(p), half", "PUBLIC, half", "a leak: the card taken with a joker"),
        ("rules", "1 if s.sudden_death == 1 else state.MOST_DRAWS", "1", "always sudden death"),
        ("rules", "share + (1 if extra > 0 else 0)", "share", "left-over chips are lost"),
        ("rules", "state.value(card) < best", "state.value(card) > best", "the lowest card wins a tie"),
        ("state", "return total + 12", "return total + 10", "two of the same card count less"),
        ("state", "s.paid[p] >= s.level", "s.paid[p] > 0", "who has not paid for a side pot wins it"),
        ("state", "apart in (1, 12)", "apart == 1", "ace and two are no straight"),
        ("worlds", "            s.doubled[p] = 0\n", "", "a leak: cards that others hold twice"),
    ],
    "zoliky": [
        ("rules", "            s.kept += 1\n", "", "kept jokers are not counted"),
        ("rules", "        leaders_part = 2\n", "        leaders_part = 3\n",
         "the leader gets three cards in every pass"),
        ("rules", "s.round_number >= MELDS_FROM and s.n_pile > 0", "s.n_pile > 0",
         "the pile is open in round 1"),
        ("rules", "    if action == Action.DRAW_JOLLY:\n        s.jolly_turn = 1\n    completable",
         "    completable", "the Jolly card is drawn too freely"),
        ("rules", "        s.owed = kind\n", "        s.owed = NOBODY\n",
         "a card from the pile need not be placed"),
        ("rules", "    if state.owes(s):\n        return False\n", "", "owed cards may be kept"),
        ("rules", "return s.opened[s.seat] != 0 and s.held[s.seat] == 1", "return s.opened[s.seat] != 0",
         "a Jolly turn need not end the deal"),
        ("rules", "return s.opened[s.seat] != 0 or s.fresh == 0", "return True",
         "who lays out need not open"),
        ("steps", "    if s.held[p] > 3:\n", "    if s.held[p] > 4:\n",
         "the last four cards make no new meld"),
        ("rules", "return s.round_number >= MELDS_FROM and", "return", "melds from round 1 on"),
        ("rules", "    s.fresh = 0\n    s.opened[s.seat]", "    s.opened[s.seat]", "melds stay fresh"),
        ("rules", "    s.opened[s.seat] = min(s.opened[s.seat], 1)\n", "", "who opened stays newly open"),
        ("rules", "if s.held[s.seat] == 0:\n        end_deal", "if s.held[s.seat] <= 1:\n        end_deal",
         "a deal ends a card early"),
        ("rules", "s.mover = (s.mover + 1)", "s.mover = (s.mover + s.players - 1)", "play goes to the right"),
        ("rules", "s.round_number == s.max_rounds", "s.round_number > s.max_rounds", "a round too many"),
        ("rules", "(s.joker_penalty - 1)", "s.joker_penalty", "a joker costs one more"),
        ("rules", "s.winner_pot and s.held[s.seat] == 0", "s.held[s.seat] == 0",
         "the winner always gets the pot"),
        ("rules", "s.totals[p] -= loss(s, p)", "s.totals[p] += loss(s, p)", "losses count for a seat"),
        ("rules", "if s.deal_number + 1 < s.deals:", "if s.deal_number < s.deals:", "a deal too many"),
        ("worlds", "    if seat != cutter(s):\n        fill(s.seen, NOBODY)\n", "",
         "a leak: the cards seen at the cut"),
    ],
}
# fmt: on


def caught_by(mutant: tuple[str, str, str, str]) -> str | None:
    """Which law first fails in this process with a mistake (game, module, text before and after); None if none does."""
    game, module, old, new = mutant
    file = ROOT / "engines" / game / f"{module}.py"
    text = file.read_text()
    plain = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> object:
        mine = Path(self.path) == file
        return compile(text.replace(old, new), str(file), "exec") if mine else plain(self, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_S)
    facts = import_module(f"tests.engines.{game}.facts")
    quick = [(law, FIRST) for law in DRAWN]
    for law, examples in [*quick, *((law, EXAMPLES if law is LAWS[0] else FEW) for law in LAWS)]:
        try:
            hold_law(law, engines.load(game), facts, examples)
        except (Exception, KeyboardInterrupt):
            return law.__name__
    return None


def judged(mutant: tuple[int, str, str, str, str]) -> tuple[int, str | None, float]:
    """The number of a mistake, what catches it, and the CPU seconds that this took."""
    number, *mistake = mutant
    return number, caught_by((mistake[0], mistake[1], mistake[2], mistake[3])), process_time()


def table(game: str) -> Iterator[tuple[str, str | None, float]]:
    """Every planted mistake of a game with what catches it and how long it took, as soon as it is judged.

    Among them is one without a mistake, `nothing`, which no law may catch: it takes the longest.
    """
    module, text, *_ = MUTANTS[game][0]
    mutants = [(module, text, text, "nothing"), *MUTANTS[game]]
    tasks = [(number, game, *mutant[:3]) for number, mutant in enumerate(mutants)]
    with get_context("fork").Pool(len(os.sched_getaffinity(0)), maxtasksperchild=1) as pool:
        for number, law, seconds in pool.imap_unordered(judged, tasks, chunksize=1):
            module, _, new, breaks = mutants[number]
            yield f"{module}: {breaks} ({' '.join(new.split()) or 'deleted'})", law, seconds


@pytest.mark.parametrize("game", MUTANTS)
def test_each_of_twenty_mistakes_can_be_planted_at_one_place(game: str) -> None:
    mutants = [(ROOT / "engines" / game / f"{module}.py", old, new) for module, old, new, _ in MUTANTS[game]]
    assert len(mutants) == 20
    for file, old, new in mutants:
        assert file.read_text().count(old) == 1 and old != new, f"{file} has not exactly once: {old}"


@pytest.mark.soak
@pytest.mark.parametrize("game", MUTANTS)
def test_of_twenty_planted_mistakes_the_laws_catch_nineteen(game: str) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    words = ["-m", "tests.engines.test_mutants", game]
    told = python(*words, cwd=ROOT, env=environment, check=True, timeout=None).stdout
    laws = dict(re.findall(r"\| (.*) \| (\w+) \|", told))
    assert len(laws) == 1 + len(MUTANTS[game]), told
    unseen = [mistake for mistake, law in laws.items() if law == "None"]
    assert any(": nothing (" in mistake for mistake in unseen), told
    assert len(unseen) - 1 <= len(MUTANTS[game]) // 20, told


if __name__ == "__main__":
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        quietly = ["-W", "ignore::RuntimeWarning"]  # 64 bits run over on purpose
        words = [*quietly, "-m", "tests.engines.test_mutants", *sys.argv[1:]]
        os.execv(sys.executable, [sys.executable, *words])
    for game in sys.argv[1:] or MUTANTS:
        for mistake, law, seconds in table(game):
            print(f"{game} | {mistake} | {law} | {seconds:.0f} CPU-s", flush=True)
