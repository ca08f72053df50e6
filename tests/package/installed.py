"""The wheel, in a fresh environment outside the tree, beside the libraries that are here."""

import os
import re
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.calibrated import calibrated
from tests.conftest import ROOT
from tests.runs.processes import end_workers

START_SECONDS = 90.0


def wheel_of(project: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


class Installed:
    """An environment with `epsilon-studio`, called from an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "elsewhere"
        self.place.mkdir()
        self.runs_dir = calibrated(folder / "runs")
        self.environment = {
            name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))
        } | {"EPSILON_RUNS_DIR": str(self.runs_dir)}
        venv.create(folder / "venv", with_pip=True, symlinks=True)
        self.commands = folder / "venv" / "bin"
        (self.packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
        # the libraries, and nothing that such a line of theirs leads to: not this tree, where it is installed
        (self.packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
        self.install(wheel_of(ROOT, folder / "wheel"))

    def install(self, wheel: Path) -> None:
        """Nothing that it needs besides."""
        self.run("python", "-m", "pip", "install", "-q", "--no-deps", "--no-index", str(wheel))

    def run(self, command: str, *words: str, stdin: str = "") -> str:
        done = self.asked(command, *words, stdin=stdin)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def asked(self, command: str, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.commands / command, *words],
            cwd=self.place, env=self.environment, input=stdin, capture_output=True, text=True, timeout=300,
        )  # fmt: skip

    @contextmanager
    def serving(self, *words: str, **environment: str) -> Iterator[str]:
        """The address of the dashboard while it is up."""
        log = self.place / "server.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [self.commands / "epsilon-studio", *words, "--server.port", "0"],
                cwd=self.place, env=self.environment | environment, stdout=out, stderr=out,
            )  # fmt: skip
        try:
            deadline = time.monotonic() + START_SECONDS
            while not (found := re.search(r"URL: (http://\S+)", log.read_text(encoding="utf-8"))):
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            yield found[1]
        finally:
            process.terminate()
            process.wait(30)

    def end(self) -> None:
        end_workers(self.runs_dir)
