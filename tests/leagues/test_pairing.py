"""Who plays in an epoch of a season: what holds for any field, epoch after epoch."""

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from leagues.formats.adaptive import EXPLORE, STRETCH
from leagues.pairing import (
    FAIR,
    LONGEST,
    LOST_BLOCKS,
    MISSED,
    MOST,
    REST,
    Contender,
    Role,
    Rules,
    cast,
    pair,
    queue,
)
from leagues.ratings.elo import CENTRE, Ratings

WIDE = np.inf


def ratings(players, seed=0):
    """Ratings as a season might have them: any order, errors as wide as the intervals say."""
    rng, count = np.random.default_rng(seed), len(players)
    elo = CENTRE + rng.normal(0, 150, count)
    half = np.array([player.half for player in players])
    variance = np.where(np.isfinite(half), (half / 3) ** 2, 1e6)
    blocks = np.array([player.blocks for player in players])
    perfect, group = np.zeros(count, np.int8), np.zeros(count, np.int64)
    return Ratings(elo, elo - half, elo + half, np.diag(variance), perfect, group, blocks, blocks < 30)


def paired(players, rules, blocks, draw, rated=0):
    """The tables of an epoch; `draw` and `rated` are the seeds of its draw and of the ratings."""
    rng = np.random.default_rng(draw)
    return pair(players, cast(players, rules), ratings(players, rated), rules, blocks, rng)


def bot(name, version=1, owner="", blocks=300, half=30.0, **more):
    return Contender(name, version, owner, blocks=blocks, half=half, **more)


def new(name, version=1, owner="", **more):
    return bot(name, version, owner, 0, WIDE, **more)


names, owners = st.sampled_from("abcdefgh"), st.sampled_from(["", "ann", "bob", "eve"])
one = st.tuples(
    names, owners, st.sampled_from([0, 40, 300, LONGEST]), st.sampled_from([20.0, 60.0, 61.0, WIDE])
)


@st.composite
def fields(draw):
    """Some versions of some names; a name has one owner."""
    version, owner_of, players = Counter(), {}, []
    for name, its_owner, blocks, width in draw(st.lists(one, min_size=2, max_size=40)):
        version[name] += 1
        half = WIDE if blocks == 0 else width
        who = name, version[name], owner_of.setdefault(name, its_owner)
        idle, age = draw(st.integers(0, 20)), int(blocks > 0)
        players.append(Contender(*who, len(players), blocks, half, idle, age))
    return players


RULES = st.builds(
    Rules, seats=st.integers(2, 6), versions=st.integers(0, 3), division=st.sampled_from([5, 60]),
    owners_apart=st.booleans(),
)  # fmt: skip


@settings(max_examples=60)
@given(fields(), RULES, st.integers(1, 400))
def test_an_epoch_has_its_blocks_full_tables_of_active_bots_and_few_newcomers(players, rules, blocks):
    roles = cast(players, rules)
    tables = pair(players, roles, ratings(players), rules, blocks, np.random.default_rng(1))
    active = {at for at, role in enumerate(roles) if role.role is not Role.ARCHIVED}
    if len(active) < 2:
        assert tables == []
        return
    assert sum(table.blocks for table in tables) == blocks
    assert all(len(table.line_up) == rules.seats and active.issuperset(table.line_up) for table in tables)
    assert sum(table.blocks for table in tables if table.newcomer) <= rules.newcomers * blocks
    given_to = Counter()
    for table in tables:
        if table.newcomer:
            assert roles[table.line_up[-1]].role is Role.NEWCOMER
            given_to[table.line_up[-1]] += table.blocks
    assert max(given_to.values(), default=0) < MOST + STRETCH


@settings(max_examples=60)
@given(fields(), RULES)
def test_of_a_name_the_newest_plays_and_the_rated_one_before_it_while_the_newest_is_unsure(players, rules):
    free = replace(rules, versions=0)
    roles = cast(players, free)
    for name in {player.name for player in players}:
        mine = [(one, role.role) for one, role in zip(players, roles) if one.name == name]
        assert mine[-1][1] in (Role.NEWCOMER, Role.REGULAR)
        before = [one for one, role in mine[:-1] if role is Role.BEFORE]
        assert len(before) <= 1 and all(role in (Role.BEFORE, Role.ARCHIVED) for _, role in mine[:-1])
        if before:
            assert mine[-1][1] is Role.NEWCOMER
            assert before[0].half <= 60 or before[0].blocks >= LONGEST


@given(fields(), st.integers(1, 3))
def test_no_owner_has_more_active_versions_than_the_cap_and_house_bots_have_none(players, cap):
    roles = cast(players, Rules(4, versions=cap))
    active = Counter(one.owner for one, role in zip(players, roles) if role.role is not Role.ARCHIVED)
    assert all(number <= cap for owner, number in active.items() if owner)
    free = cast([replace(one, owner="") for one in players], Rules(4, versions=cap))
    assert free == cast([replace(one, owner="") for one in players], Rules(4, versions=0))


def test_a_bot_that_cannot_be_loaded_forfeits_or_got_no_version_for_long_is_archived_and_says_why():
    told = {
        bot("a"): "",
        bot("b", owner="ann", missed=MISSED): "it could not be loaded 3 times",
        bot("c", owner="bob", blocks=LOST_BLOCKS, lost=0.6): "it forfeited 60% of its games",
        bot("d", owner="eve", days=31): "no new version for 30 days",
        bot("house", days=400): "",
    }
    assert [role.why for role in cast([*told], Rules(4, retire_days=30))] == [*told.values()]


def test_when_the_newest_version_is_archived_the_one_before_it_plays_again():
    players = [bot("a", 1), bot("a", 2, missed=MISSED), bot("b"), bot("c")]
    assert [role.role for role in cast(players, Rules(2))][:2] == [Role.REGULAR, Role.ARCHIVED]


def test_an_honest_owners_bot_is_next_though_another_has_sent_a_hundred_before_it():
    flood = [new(f"f{at}", owner="eve", entered=at) for at in range(100)]
    served = [bot(f"s{at}", owner="eve", blocks=80, entered=at, age=3) for at in range(3)]
    field = [*flood, *served, new("honest", owner="ann", entered=200), *(bot(f"h{at}") for at in range(8))]
    roles = cast(field, Rules(4, versions=0))
    assert field[queue(field, roles)[0]].name == "honest"
    tables = pair(field, roles, ratings(field), Rules(4, versions=0), 320, np.random.default_rng(0))
    work = Counter(field[table.line_up[-1]].owner for table in tables if table.newcomer)
    assert work["ann"] == 3  # of three, since the other owner's bots have played lately


@settings(max_examples=15)
@given(st.integers(5, 70), st.integers(0, 9))
def test_nobody_waits_for_a_game_for_longer_than_it_takes_to_seat_all_who_wait(count, seed):
    rules, blocks = Rules(4, division=20), 20 * STRETCH
    players, worst = [bot(f"b{at}", blocks=300 + at) for at in range(count)], 0
    for epoch in range(40):
        tables = paired(players, rules, blocks, epoch, seed)
        there = {at for table in tables for at in table.line_up}
        players = [
            replace(one, idle=0 if at in there else one.idle + 1, blocks=one.blocks + STRETCH * (at in there))
            for at, one in enumerate(players)
        ]
        worst = max(worst, *(one.idle for one in players))
    seats = rules.seats * -(-20 // EXPLORE)
    assert worst <= REST + -(-count // seats) * 4


@settings(max_examples=30)
@given(st.integers(2, 30), st.integers(0, 99))
def test_an_owner_of_many_bots_gets_at_most_twice_its_fair_share_where_ranks_are_unsure(mine, seed):
    players = [bot(f"m{at}", owner="eve", half=50.0) for at in range(mine)]
    players += [bot(f"o{at}", owner=f"owner{at}", half=20.0) for at in range(12)]
    rules, blocks = Rules(4, versions=0, owners_apart=False), 64 * STRETCH
    tables = paired(players, rules, blocks, seed, seed)
    unsure = [table for turn, table in enumerate(tables) if turn % EXPLORE]
    work = sum(table.blocks for table in unsure for at in table.line_up if players[at].owner == "eve")
    assert work <= FAIR * blocks * rules.seats / 13 + rules.seats * STRETCH


def test_large_fields_play_in_divisions_that_meet_at_their_borders():
    players = [bot(f"b{at}") for at in range(120)]
    rules, known = Rules(4), ratings(players)
    order = np.argsort(-known.elo)
    place = {int(at): rank for rank, at in enumerate(order)}
    tables = paired(players, rules, 100 * STRETCH, 3)
    spans = [sorted(place[at] for at in table.line_up) for table in tables]
    assert all(high < 60 or low >= 60 - rules.seats for low, *_, high in spans)
    assert any(low < 60 <= high for low, *_, high in spans)


def test_until_a_table_of_bots_is_rated_all_play_those_first_who_have_played_least():
    players = [new(f"b{at}", entered=at) for at in range(10)]
    tables = paired(players, Rules(4), 3 * STRETCH, 0)
    assert {at for table in tables for at in table.line_up} == set(range(10))
    assert not any(table.newcomer for table in tables)
