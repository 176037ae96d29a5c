"""Look at games that were played.

`recorded` is one game, from the store or a file. `listing` finds games of a run by bot and compares what
others made of the same cards. `losses` asks what another bot would have played. `film` is a whole game as
plain data for a page, made of `scenes`: what lies on the table, as text. Printing is in `arena.cli`. Nothing
here changes a stored game.
"""
