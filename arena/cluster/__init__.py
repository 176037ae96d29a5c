"""Matches on Ray. `start` reaches or starts a cluster, `driver` hands matches out to its `nodes`, which have
to give a `proof` first, `calls` is all that is asked of Ray, and `task` runs on a worker. None of it reads
the store.
"""
