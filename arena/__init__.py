"""The harness: bots in, matches in separate processes, results into a database, rating tables out."""

__version__ = "0.1.0"
