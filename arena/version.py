"""The version of card-arena; pyproject.toml and CITATION.cff have the same."""

__version__ = "0.1.0"
