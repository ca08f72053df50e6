"""A folder of runs whose queue is damaged, and which is then removed, while a worker is at work."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from ldp_core.runs import queue
from tests.runs.processes import ENDLESS, launch, living, trained_a_round, until, workers


@pytest.mark.usefixtures("clean_processes", "as_people_start_it")
def test_a_damaged_queue_fills_no_log_and_a_folder_that_was_removed_is_not_made_anew(runs_dir: Path):
    until(launch(ENDLESS), trained_a_round)
    log, pids = runs_dir / "worker.log", [process.pid for process in workers(runs_dir)]
    queue.queue_path().write_bytes(b"no database" * 1000)
    deadline = time.monotonic() + 60
    while "queue" not in log.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    size, seconds = log.stat().st_size, 2.0
    time.sleep(seconds)  # what is measured is a rate
    assert log.stat().st_size - size < 2000 * seconds, "it was 40 kB a second"
    assert len(pids) == 2
    while runs_dir.exists():  # a worker may write into it while it is removed
        assert time.monotonic() < deadline
        shutil.rmtree(runs_dir, ignore_errors=True)
    assert living(pids, 60.0) == []
    assert not runs_dir.exists()
