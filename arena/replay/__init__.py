"""Stored games made visible again: which game a name means (`stored`), what lies on the table (`scenes`), a
whole game as one piece of plain data that a page can show (`film`). Printing and pages are elsewhere.
"""
