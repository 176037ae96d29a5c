"""Read bots from files, find them by name, and try them.

`source` reads and packs them, `registry` knows names, `trial` plays a trial before a bot enters, `debug`
plays bots in this very process. Nothing here runs a match.
"""
