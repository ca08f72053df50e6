"""A server of its own for a benchmark."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from ldp_core.runs import jobs
from tests.benchmarks.machine import described
from tests.browser.server import Server
from tests.runs.processes import launch, until


@contextmanager
def served(warm: bool = False, **environment: str) -> Iterator[tuple[str, psutil.Process]]:
    """Address and process of a server with empty folders, which this process submits to as well; with `warm`,
    its worker has trained a job. Machine and load are printed before and after.
    """
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "runs", **environment)
        os.environ["EPSILON_RUNS_DIR"] = str(server.runs_dir)
        print(f"{described()}; load before: {', '.join(f'{one:.1f}' for one in os.getloadavg())}")
        try:
            if warm:
                until(launch({"rounds": 2, "seed": 77}), lambda job: not job.live)
            yield server.url, psutil.Process(server.process.pid)
        finally:
            jobs.cancel_all()
            server.stop()
        print(f"load after: {os.getloadavg()[0]:.1f}")


def used(process: psutil.Process) -> float:
    """Seconds that a process has computed so far."""
    return sum(process.cpu_times()[:2])


def megabytes(process: psutil.Process) -> float:
    return process.memory_info().rss / 2**20
