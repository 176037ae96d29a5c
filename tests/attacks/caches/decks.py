"""Cards through the processor's caches, from one match to another that has the same decks.

Whoever hears another bot when its match begins waits and listens to its cards; whoever hears none tells. `ON`
(whether any of that happens) and `flush_and_reload` come before this text (`tests.attacks.decks`).
"""

import os

SLOT = 1_000_000  # ns that a byte takes: a bit is a group of lines that are read, or are not
QUIET_S, LONGEST_S = 3, 12  # a hearer listens until nobody has told a card for so long; at most so long
LOOKED_S = 2.0  # for another bot, at most: each draws how long
SYNC = 0xFF  # "I am here"
TEXTS = [*map(str, range(13)), "+2", "+4", "+6", "+8", "+10", "X2", "FZ", "F3", "SC"]


def eight_lines(pages):
    """Lines of pages of the library, and a line beside each by which the core knows the page."""
    begin = PLACES["library"]()[0] & -PAGE
    chosen = [begin + PAGE * (29 * page % 64) + LINE * (41 * page % 61) for page in pages]
    return group(chosen), group([line ^ PAGE // 2 for line in chosen])


groups = [eight_lines(range(8 * bit, 8 * bit + 8)) for bit in range(8)]
limit = threshold()
decks = {}  # as heard: (the teller's game, round) -> {position: card}
role, games = None if ON else "off", 0


def send(byte):
    """Read the lines of the bits that are set for half of the next slot."""
    chosen = [lines for bit, (lines, _) in enumerate(groups) if byte >> bit & 1]
    begin = (time.monotonic_ns() // SLOT + 1) * SLOT
    while time.monotonic_ns() < begin:
        pass
    while time.monotonic_ns() < begin + SLOT * 6 // 10:
        for lines in chosen:
            read_all(lines, 8)


def receive():
    """The byte of this slot, read at its end, and the number of the slot."""
    now = time.monotonic_ns()
    slot = now // SLOT + (now % SLOT > SLOT * 7 // 10)
    begin = slot * SLOT
    time.sleep(max(0, begin + SLOT * 6 // 10 - now) / 1e9)
    while time.monotonic_ns() < begin + SLOT * 7 // 10:
        pass
    byte = 0
    for bit, (lines, near) in enumerate(groups):
        read_all(near, 8)
        byte |= (reload_all(lines, 8) < limit) << bit
    return byte, slot


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
    while time.monotonic_ns() // SLOT % 4 != 3:
        pass
    for byte in packet(*numbers):
        send(byte)


def choose_role():
    end = time.monotonic() + LOOKED_S * (0.1 + 0.9 * os.urandom(1)[0] / 255)
    found = 0
    while time.monotonic() < end:
        found = found + 1 if receive()[0] == SYNC else 0
        if found == 5:
            return "hearer"
    end = time.monotonic() + LOOKED_S + 0.1
    while time.monotonic() < end:
        send(SYNC)
    return "teller"


def listen():
    """Take all cards that are told."""
    last = time.monotonic()
    end, four, cards = last + LONGEST_S, {}, 0
    while time.monotonic() < min(end, last + QUIET_S):
        byte, slot = receive()
        four[slot % 4] = byte
        if byte == SYNC:
            last = time.monotonic()
        if slot % 4 == 3:
            *three, checked = (four.get(at, 0) for at in range(4))
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
