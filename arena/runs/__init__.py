"""Run a league.

`open` decides who enters and which run goes on, `drive` plays what is missing, `standings` rates
it, `verify` replays it. `duelling` plays bots at once, without Ray and store.
"""
