"""Memory of a process that computes is used again, and its end is recognised."""

import subprocess
import sys

import pytest

from ldp_core.system.memory import ran_out
from tests.conftest import ROOT

PAGES = """
import resource, sys
import numpy as np
from ldp_core.system import memory
if sys.argv[1] == "kept":
    memory.keep_what_is_freed()
np.ones(2**23)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(2**23)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
"""Twenty arrays of 64 MiB, one after another: how many pages that is, the machine decides."""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's ways")
def test_freed_memory_is_reused_by_large_arrays():
    faults = {
        how: int(subprocess.check_output([sys.executable, "-c", PAGES, how], cwd=ROOT, text=True))
        for how in ("kept", "given back")
    }
    assert 5 * faults["kept"] < faults["given back"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), True),
        (type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory"), True),
        (RuntimeError("shapes do not match"), False),
        (OSError(28, "No space left on device"), False),
    ],
)
def test_running_out_of_memory_is_known_by_any_name(error: Exception, expected: bool):
    assert ran_out(error) is expected
