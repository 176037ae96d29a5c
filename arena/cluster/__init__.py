"""Play matches on Ray.

`start` reaches a cluster, or one of this machine alone that `local` has started. `driver` hands matches out
to its `nodes`, which have to give a `proof` first. `calls` is all that is asked of Ray, in a large
cluster through a `relay` on each node. `worker` is what Ray runs there, and `task` plays a match. None of it
reads the store.
"""
