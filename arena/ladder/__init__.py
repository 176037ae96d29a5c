"""Seasons: competitions that stay open for months, played by one or several unattended processes.

    epochs      who is there, how they stand, and the run that the next epoch is
    service     the loop of `arena ladder run`, what stops it, and what tries submissions meanwhile
    status      how a season stands, for people

Under a season are ordinary runs. Each epoch is one run, so that every command for runs works on it.
"""
