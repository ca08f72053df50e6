"""A run whose training process is killed in mid-run, and that is taken up again.

By the process that a worker forks, without the worker: it is the system's state that is to survive. How jobs
are found dead and taken up is tested in tests/runs/process.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.process.training import OUTCOME, train_job
from ldp_core.runs.view.run_progress import Progress


def killed_and_resumed(experiment: dict[str, Any], folder: Path) -> str:
    """The weights in the end, as a digest, of a run that was killed with SIGKILL after three rounds."""
    request = {"draft": Draft(parse(experiment), (Variant("run"),)).as_json(), "reference": False}

    def begun() -> Any:
        process = multiprocessing.get_context("fork").Process(target=train_job, args=(folder, request, 10**9))
        process.start()
        return process

    first, end = begun(), time.monotonic() + 240
    os.setpriority(os.PRIO_PROCESS, first.pid, 19)  # it gives way to who looks on, and is not done by then
    while Progress(folder).update().rounds_done() < 3:
        assert time.monotonic() < end and first.is_alive()
        time.sleep(0.01)
    first.kill()
    first.join()
    assert first.exitcode == -signal.SIGKILL
    kept = Progress(folder).update().rounds_done()
    assert 3 <= kept < experiment["rounds"]
    begun().join(240)
    assert json.loads((folder / OUTCOME).read_text())["status"] == "completed"
    (run,) = Progress(folder).update().runs
    assert (run.round, run.end is not None) == (experiment["rounds"], True)
    return str((run.end or {})["weights_sha256"])
