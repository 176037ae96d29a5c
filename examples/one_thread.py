"""Import this before NumPy: its matrix products then use one thread.

The networks here are small. More threads would wait for each other in a loop, and waiting counts as CPU time:
half of `--cpu-seconds` would be lost.
"""

import os

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(name, "1")
