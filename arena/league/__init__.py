"""Run a league.

`open` decides who enters and which run goes on, `play` plays what is missing, `table` rates it.
"""
