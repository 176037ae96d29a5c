"""Matches on Ray: `driver` hands them out and collects results, `task` is what runs on a worker. Neither
reads the store.
"""
