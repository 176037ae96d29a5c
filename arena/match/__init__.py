"""A match: `setup` says what is played and what came out, `play` plays it, `lockstep` is its compiled loop,
`warm` compiles beforehand. Nothing here knows leagues, Ray or the store.
"""
