"""The test command of the README: `python -m tests`.

Gets Chromium where apt is there and none is installed yet, then lints, checks types and runs all tests. What
does not measure time goes first, all at once: what computes keeps the cores busy while browsers and
processes wait. Tests that measure time follow, few at a time. What a lane prints comes when it ends, and the
time of each at the end of all. With arguments, pytest is called with those.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from ldp_core.system.niceness import NICENESS
from tests.browser.chromium import find_chromium

ROOT = Path(__file__).parents[1]
CORES = min(8, os.cpu_count() or 1)

LINT = [["ruff", "check", "."], ["ruff", "format", "--check", "."]]
LANES = [
    # in processes of their own: Playwright keeps an event loop in them
    ["pytest", "tests/browser", "-m", "not alone", "-n", "2", "--dist", "worksteal"],
    ["pytest", "-m", "not alone and not browser", "-n", str(CORES), "--dist", "worksteal"],
    ["mypy"],
]
ALONE = [
    ["pytest", "tests/browser", "-m", "alone"],
    # two at a time: they wait more than they compute, and leave room for it in what they ask of the clock
    ["pytest", "-m", "alone and not browser", "-n", "2", "--dist", "worksteal"],
]


class Lane:
    """A command under way. Beside others its output is kept until it ends."""

    def __init__(self, step: list[str], among_others: bool) -> None:
        self.step, self.began = step, time.monotonic()
        self.patient = among_others and "tests/browser" not in step
        self.told = tempfile.TemporaryFile("w+") if among_others else None  # noqa: SIM115 (closed in end)
        if not among_others:
            print(f"\n== {' '.join(step)}", flush=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", *step],
            cwd=ROOT,
            stdout=self.told,
            stderr=self.told and subprocess.STDOUT,
            start_new_session=self.patient,
        )
        if self.patient:
            self._give_way()

    def _give_way(self) -> None:
        """As training does, all but a step: or what computes would leave nothing to what browsers watch."""
        pid, niceness = self.process.pid, NICENESS - 1
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, niceness)
            Path(f"/proc/{pid}/autogroup").write_text(str(niceness))

    def end(self) -> tuple[int, str]:
        """Its exit code, and a line with the time that it took."""
        code = abs(self.process.wait())
        line = f"{time.monotonic() - self.began:6.0f} s  {' '.join(self.step)}"
        if self.told:
            self.told.seek(0)
            print(f"\n== {' '.join(self.step)}", self.told.read(), sep="\n", flush=True)
            self.told.close()
        return code, line

    def stop(self) -> None:
        """End it, if somebody has interrupted this."""
        if self.process.poll() is None and self.patient:
            os.killpg(self.process.pid, signal.SIGINT)


def main() -> int:
    get_chromium()
    began, took, code = time.monotonic(), list[str](), 0
    stages = [[["pytest", *sys.argv[1:]]]] if sys.argv[1:] else [LANES, *([step] for step in ALONE)]
    for stage in [*([step] for step in LINT), *stages]:
        lanes = [Lane(step, len(stage) > 1) for step in stage]
        under_way = [*lanes]
        try:
            while under_way:
                time.sleep(0.05)
                for lane in [one for one in under_way if one.process.poll() is not None]:
                    under_way.remove(lane)
                    failed, line = lane.end()
                    code, took = max(code, failed), [*took, line]
        finally:
            for lane in under_way:
                lane.stop()
        if code:
            break
    print("\n== time of each lane", *took, sep="\n")
    print(f"{time.monotonic() - began:6.0f} s  in all", flush=True)
    return code


def get_chromium() -> None:
    """Install Debian's Chromium if there is none, apt is there and we may use it."""
    if find_chromium() or not shutil.which("apt-get"):
        return
    may = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if may and (not shutil.which("sudo") or subprocess.call([*may, "true"], stderr=subprocess.DEVNULL)):
        print("Chromium is not installed and only root may install it: the browser tests will be skipped")
        return
    print("Installing Chromium for the browser tests", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", "chromium"]):
        if subprocess.call([*may, "apt-get", *command], stdout=subprocess.DEVNULL, env=environment):
            print("apt-get failed: the browser tests will be skipped")
            return


if __name__ == "__main__":
    sys.exit(main())
