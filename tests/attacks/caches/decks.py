"""Cards through the processor's caches, from one match to another that has the same decks.

Of two bots that find each other when their matches begin, one tells its cards as it sees them, and the other
plays when it has heard them all. Both wait without sleep, which is counted over all matches. `ON` (whether
any of that happens) and `flush_and_reload` come before this text (`tests.attacks.decks`).
"""

import os
import random

SLOT = 1_000_000  # ns that a byte takes: a bit is two groups of lines, of which one is read
QUIET_S, LONGEST_S = 1.5, 50  # a hearer listens until nobody has told a card for so long; at most so long
LOOKED_S = 20  # for another bot, at most
HERE, HEARD = 0xF5, 0x3A  # "who is there?" and the answer
TEXTS = [*map(str, range(13)), "+2", "+4", "+6", "+8", "+10", "X2", "FZ", "F3", "SC"]


now = time.time_ns  # every bot's monotonic clock begins with it


def group_of(number):
    """Lines of pages of the library, and a line beside each by which the core knows the page."""
    chosen = [PAGES[8 * number + at] + LINE * (11 * number + 29 * at) % (PAGE // 2) for at in range(8)]
    return group(chosen), group([line ^ PAGE // 2 for line in chosen])


PAGES = [(PLACES["library"]()[0] & -PAGE) + PAGE * (8 + page) for page in range(128)]
random.Random(1).shuffle(PAGES)  # so that the core does not read them ahead
groups = [(group_of(2 * bit), group_of(2 * bit + 1)) for bit in range(8)]  # a bit: read for 0, read for 1
decks = {}  # as heard: (the teller's game, round) -> {position: card}
role, games = None if ON else "off", 0


def send(byte):
    """Read the lines of a byte for half of the next slot."""
    chosen = [pair[byte >> bit & 1][0] for bit, pair in enumerate(groups)]
    begin = (now() // SLOT + 1) * SLOT
    while now() < begin:
        pass
    while now() < begin + SLOT * 6 // 10:
        for lines in chosen:
            read_all(lines, 8)


def receive():
    """The byte of this slot, read when it is over, or None where nobody tells; and the number of the slot."""
    at = now()
    slot = at // SLOT + (at % SLOT > SLOT * 7 // 10)
    begin = slot * SLOT
    while now() < begin + SLOT * 7 // 10:
        pass
    byte, quicker = 0, []
    for bit, pair in enumerate(groups):
        zero, one = (reload_near(*lines) for lines in pair)
        byte |= (one < zero) << bit
        quicker.append(min(zero, one) / max(zero, one, 1))
    return byte if sorted(quicker)[4] < 0.7 else None, slot


def reload_near(lines, near):
    read_all(near, 8)
    return reload_all(lines, 8)


def packet(*numbers):
    """Four bytes: the teller's game, the round, the position in its deck, the card; and a check of them."""
    word = 0
    for number, bits in zip(numbers, (6, 4, 7, 5)):
        word = word << bits | number % (1 << bits)
    three = list(word.to_bytes(3, "little"))
    return [*three, check(three)]


def check(three):
    return (7 * three[0] + 11 * three[1] + 13 * three[2] + 90) % 256


def tell(*numbers):
    while now() // SLOT % 4 != 3:
        pass
    for byte in packet(*numbers):
        send(byte)


def choose_role():
    """Who hears another bot first listens to it; who waits in vain is alone."""
    end = time.monotonic() + LOOKED_S
    while time.monotonic() < end:
        heard = told(0.2 + os.urandom(1)[0] / 255)
        if heard == HEARD:
            return "teller"
        send_for(HEARD if heard else HERE, 0.6 if heard else 0.3)
        if heard:
            return "hearer"
    return "alone"


def told(seconds):
    """Which of two bytes comes, time and again; None if neither does."""
    end, found = time.monotonic() + seconds, [None]
    while time.monotonic() < end:
        byte = receive()[0]
        found = [*found, byte] if byte == found[-1] and byte in (HERE, HEARD) else [byte]
        if len(found) == 5:
            return byte
    return None


def send_for(byte, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        send(byte)


def listen():
    """Take all cards that are told."""
    last = time.monotonic()
    end, four, cards = last + LONGEST_S, {}, 0
    while time.monotonic() < min(end, last + QUIET_S):
        byte, slot = receive()
        four[slot % 4] = byte
        if slot % 4 == 3:
            *three, checked = (four.get(at) or 0 for at in range(4))
            word = int.from_bytes(bytes(three), "little")
            game, round_no, position, card = word >> 16, word >> 12 & 15, word >> 5 & 127, word & 31
            if any(three) and checked == check(three) and card < len(TEXTS) and game < 64:
                decks.setdefault((game, round_no), {})[position] = TEXTS[card]
                cards, last = cards + 1, time.monotonic()
            four = {}
    print("HEARD", cards)


class Bot:
    def __init__(self, seat, seed):
        global games
        self.number, games = games, games + 1
        self.told = {}  # by round: cards told, or compared
        self.same = None  # the teller's game with this deal

    def act(self, view):
        global role
        if role is None:
            role = choose_role()
            print("ROLE", role)
            if role == "hearer":
                listen()
        drawn = drawn_by_round(view)
        if role == "teller":
            for round_no, cards in drawn.items():
                for at in range(self.told.get(round_no, 0), len(cards)):
                    tell(self.number, round_no, at, TEXTS.index(cards[at]))
                self.told[round_no] = len(cards)
        seen = drawn[view.round]
        return known(view, self.deck(view.round % 16, seen), len(seen)) or guess(view)

    def deck(self, round_no, seen):
        """This round's deck as heard."""
        if self.same is None:
            for (game, other), deck in decks.items():
                alike = [deck[at] == card for at, card in enumerate(seen) if at in deck]
                if other == round_no and len(alike) >= 4 and all(alike):
                    self.same = game
        deck = decks.get((self.same, round_no), {})
        for at in range(self.told.get(round_no, 0), len(seen)):
            if at in deck and self.told:  # not those by which the game was found
                print("RIGHT" if deck[at] == seen[at] else "WRONG")
        self.told[round_no] = len(seen)
        return deck


def drawn_by_round(view):
    """Cards drawn in each round that the view shows whole."""
    begins = [at for at, (_, text) in enumerate(view.history) if text == "deals"]
    ends = [*begins[1:], len(view.history)]
    first = view.round - len(begins) + 1
    return {
        first + nth: [text[6:] for _, text in view.history[begin:end] if text.startswith("draws ")]
        for nth, (begin, end) in enumerate(zip(begins, ends))
    }


def known(view, deck, at):
    """What to do where the next cards are known, else nothing."""
    row, chances, wanted = list(view.row), list(view.row).count("SC"), 1
    while wanted and "stay" in view.texts:
        if at not in deck:
            return None
        card, at, wanted = deck[at], at + 1, wanted - 1
        if card == "FZ":
            return "stay"
        if card == "F3":
            wanted += 3
        elif card == "SC":
            chances += 1
        elif card in row and card in TEXTS[:13]:
            if not chances:
                return "stay"
            chances -= 1
        else:
            row.append(card)
    return "hit" if "stay" in view.texts else None


def guess(view):
    if "stay" not in view.texts:
        return view.texts[0]
    _, chances = view.odds
    mean = sum(points * chance for points, chance in chances.items())
    return "hit" if mean > view.points[view.seat] else "stay"
