"""Taroky: random worlds for a view come with the chances of the deals they stand for.

That each of them could have happened, and is as likely as the true row, are laws of all games (`test_laws`).
Here they are counted, against all placings listed one by one.
"""

from collections import Counter
from itertools import islice
from typing import Any

import numpy as np
from scipy.stats import chi2

from engines import core
from engines.core.worlds import GROUPS
from engines.taroky import counting, placing, worlds
from tests.engines.taroky.endings import Placing, endings
from tests.engines.taroky.facts import TRUMPS
from tests.engines.taroky.positions import mask

DOUBT = 1e-4  # how seldom a right sample may be called wrong


def fits(seen: Counter[Any], chances: dict[Any, float]) -> bool:
    """Whether a sample is as likely as not from these chances, by chi-square."""
    n = seen.total()
    statistic = sum((seen[key] - n * chance) ** 2 / (n * chance) for key, chance in chances.items())
    return set(seen) <= set(chances) and statistic <= chi2.ppf(1 - DOUBT, len(chances) - 1)


@core.entry
def narrow_and_place(facts: Any, groups: Any, out: Any, rng: Any) -> None:
    placing.narrow(facts[0])
    placing.prepare(facts[0], groups)
    for i in range(len(out)):
        placing.place(facts[0], groups, rng)
        for p in range(placing.PLACES):
            out[i, p] = facts[0].put[p]


def test_an_announced_number_of_trumps_is_kept_where_only_a_cycle_of_three_leads_to_it() -> None:
    """Seat 3 announced Taroky and has only clubs and trumps left, so it has all five trumps.

    Seat 0 lacks clubs, seat 1 has no trump left: the queen of clubs cannot be exchanged for a trump.
    """
    trumps, club = mask("VIII IX X XI XVIII"), mask("Qc")
    plain = mask("7s 8s Ts Rs Qs 1h 2h 4h Rh 1d 4d Jd Rd")
    facts, groups = np.zeros(1, placing.FACTS), np.zeros(2, GROUPS)
    everything = trumps | club | plain
    size = everything.bit_count()
    facts["unseen"] = everything
    facts["room"][0] = [5, 5, 0, 5, size - 15, 0]
    facts["may"][0] = [trumps | plain, club | plain, 0, trumps | club, club | plain, 0]
    facts["kinds"][0, placing.TRUMPS] = TRUMPS
    facts["most"] = 54
    facts["least"][0, placing.TRUMPS, 3] = 5
    out = np.zeros((2000, placing.PLACES), np.int64)
    narrow_and_place(facts, groups, out, np.array([3], np.uint64))
    assert facts["may"][0, 3] == trumps and facts["may"][0, 0] == plain
    assert (out[:, 3] == trumps).all()


# --- all placings, one by one: that worlds have these chances is a law (`test_uniform`) ---


@core.entry
def place_by_counting(states: Any, facts: Any, groups: Any, counts: Any, had: Any, out: Any, rng: Any) -> int:
    worlds.write_played(states[0], had)
    worlds.write_facts(states[0], facts[0], had)
    placing.prepare(facts[0], groups)
    if not counting.count_placings(facts[0], groups, counts[0]):
        return 0
    i = 0
    while i < len(out):
        counting.place_counted(facts[0], counts[0], rng)
        if placing.numbers_fit(facts[0]):
            for p in range(placing.PLACES):
                out[i, p] = facts[0].put[p]
            i += 1
    return i


def test_where_most_deals_would_be_dropped_all_placings_are_counted_and_equally_likely() -> None:
    """The second way to a world, here for any view: in later rounds a placing is one deal."""
    later = ((view, chances) for view, chances, _ in endings(300) if view["finished"][0] == 1)
    for i, (view, chances) in enumerate(islice(later, 6)):
        s = core.PlainRow(view[0])
        known = [*s.hand, sum(s.discards), sum(1 << card for card in s.talon if card >= 0)]
        expected: Counter[Placing] = Counter()
        for key, chance in chances.items():
            expected[(*key[:4], sum(key[4:8]), key[8])] += chance  # type: ignore[assignment]
        out = np.zeros((60 * len(expected), placing.PLACES), np.int64)
        work = [np.zeros(1, placing.FACTS), np.zeros(2, GROUPS), np.zeros(1, counting.COUNTS)]
        n = place_by_counting(core.rows(view), *work, np.zeros(4, np.int64), out, np.array([i], np.uint64))
        assert n == len(out)
        assert fits(Counter(map(tuple, (out | np.array(known)).tolist())), dict(expected))
