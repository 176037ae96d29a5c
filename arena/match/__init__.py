"""Play a match.

`setup` says what is played, `played` what came out, `play` plays it, `lockstep` is its compiled loop, `warm`
compiles beforehand. Nothing here knows Ray or the store.
"""
