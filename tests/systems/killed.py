"""A run whose training process is killed in mid-run, and that is taken up again.

By the process that a worker forks, without the worker: it is the system's state that is to survive. How jobs
are found dead and taken up is tested in tests/runs/process.
"""

import os
import signal
import time
from typing import Any

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.view.run_curves import progress_of
from tests.runs.in_process import queued
from tests.runs.processes import Trained


def killed_and_resumed(experiment: dict[str, Any]) -> str:
    """The weights in the end, as a digest, of a run that was killed with SIGKILL after three rounds."""
    job = queued(Draft(parse(experiment), (Variant("run"),)))

    first, end = Trained(job), time.monotonic() + 240
    os.setpriority(os.PRIO_PROCESS, first.process.pid, 19)  # it gives way to who looks on
    while progress_of(job).update().rounds_done() < 3:
        assert time.monotonic() < end and first.process.is_alive()
        time.sleep(0.01)
    first.process.kill()
    first.process.join()
    assert first.process.exitcode == -signal.SIGKILL
    kept = progress_of(job).update().rounds_done()
    assert 3 <= kept < experiment["rounds"]
    assert Trained(job).outcome(240).status == "completed"
    (run,) = progress_of(job).update().runs
    assert (run.round, run.end is not None) == (experiment["rounds"], True)
    return str((run.end or {})["weights_sha256"])
