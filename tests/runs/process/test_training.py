"""What one job trains, and what it takes from others, in this very process."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.runs import queue
from ldp_core.runs.process import training
from ldp_core.runs.queue.job import Job
from ldp_core.system import memory


@pytest.fixture
def job(runs_dir: Path) -> Job:
    return queue.get(queue.add("run", {}))


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
def test_running_out_of_memory_is_known_by_any_name(error: Exception, expected: bool, job: Job):
    assert memory.ran_out(error) is expected
    assert ("ran out of memory" in training._in_words(error, job, 10**9)) is expected
