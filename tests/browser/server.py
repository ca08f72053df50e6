"""The real server, started as the README starts it, and killed as a machine would."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from ldp_core.runs.process import start
from tests.calibrated import calibrated
from tests.conftest import ROOT
from tests.runs.processes import end_workers, stand_in
from tests.warm import Interpreter


def without_worker(runs_dir: Path) -> Path:
    """The folder, whose server is spared its worker, three seconds of a core: this process stands for it."""
    stand_in(runs_dir)
    return runs_dir


def begun_warm(runs_dir: Path, interpreter: Interpreter) -> Path:
    """The folder, whose worker is there before its server, and has begun with most imports done."""
    calibrated(runs_dir)
    interpreter.be_ready()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(runs_dir))
        start.ensure_worker()
    return runs_dir


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> None:
    """Wait for an answer; raises OSError if none comes."""
    deadline = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


class Server:
    """A Streamlit server on a free port, with a runs folder of its own."""

    def __init__(self, runs_dir: Path, place: Path = ROOT, /, health: str = "", **environment: str) -> None:
        """Of the program, or of another one that stands in a folder; `health` is a prefix of its paths."""
        self.health = health
        self.runs_dir, self.place = calibrated(runs_dir), place
        self.environment = environment
        self.log = runs_dir.parent / "server.log"
        self.port = free_port()
        self.start()

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(self.port)],
                cwd=self.place,
                env=os.environ
                | {
                    "EPSILON_RUNS_DIR": str(self.runs_dir),
                    "STREAMLIT_SERVER_HEADLESS": "true",
                }
                | self.environment,
                stdout=log,
                stderr=log,
            )
        try:
            answers(f"{self.url}{self.health}/_stcore/health")
        except OSError as error:
            raise AssertionError(f"the server did not start: {self.log.read_text()[-2000:]}") from error

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        """End the server and the worker that does its jobs."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        end_workers(self.runs_dir)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def loaded(self) -> str:
        """The files that the server process has mapped into memory."""
        return Path(f"/proc/{self.process.pid}/maps").read_text()
