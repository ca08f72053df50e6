"""Tests of everything, in the folders of what they test."""

import os

# As in the worker (start.ONE_THREAD), and before numpy is loaded: a second thread of OpenBLAS waits
# at full speed, and takes half of the processor from whatever is tested beside.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
