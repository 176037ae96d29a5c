"""Rate, score and compare the entrants of a league, with honest intervals.

Pure functions on arrays. Everything starts from `Results`, which checks its arrays once and puts the games
into one order of its own, so that every number here is the same, byte for byte, in whatever order the games
arrived.

The unit of chance is the **block**: one deal, one circular order of one line-up, all its rotations. Games of
a block share their cards, so they are not independent of each other; blocks are. Every error bar comes from
how much blocks differ, never from the number of games, and uses Student's t with (an entrant's blocks - 1)
degrees of freedom. If one deal is given to several line-ups, all its games must carry the same block number,
else the error bars are too short. Where blocks of one match depend on each other, `Results.stretch` says
which, and stretches take the place of blocks.

    results     the games
    intervals   errors and intervals by block or stretch
    elo         Elo from who finished before whom
    scores      points per game: as they fell, and with the company taken out
    between_matches  what bots differ by from match to match
    pairs       who is better than whom, and how sure that is
    nash        a rating that copies of a bot cannot change
    anytime     the same for leagues that stop when they look sure
    collusion   whether two bots of one owner play into each other's hands
    sequential  when a comparison may stop
    control     scores and ratings without luck, and the alarm
    rows        the rating table, row by row; views: other looks at the same games

How each number is computed, and what it does not say: `docs/reference/numbers.md`.
"""
