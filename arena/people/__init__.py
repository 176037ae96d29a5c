"""People at a table with bots: a game in play (`table`), and how a terminal shows it (`terminal`).

The server's tables are in `arena.web`: the same games in play, with keys for seats.
"""
