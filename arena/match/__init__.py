"""Play a match.

`setup` says what is played, `played` what came out, `batch` plays it, `lockstep` is its compiled loop, `warm`
compiles beforehand; `identity` hashes the code that plays. Nothing here knows Ray or the store.
"""
