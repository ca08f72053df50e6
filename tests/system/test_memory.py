"""Memory of a process that computes is used again."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
def test_a_large_array_lies_where_the_one_before_it_lay():
    faults = {
        how: int(subprocess.check_output([sys.executable, "-c", PAGES, how], cwd=ROOT, text=True))
        for how in ("kept", "given back")
    }
    assert 5 * faults["kept"] < faults["given back"]
