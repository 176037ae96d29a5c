"""Whole games that `arena game new` copies: packages that keep all laws, to be changed step by step.

In a copy, the word skeleton becomes the name of the new game. Nothing here is imported by the program.
"""
