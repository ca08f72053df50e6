"""The test command of the README: `python -m tests`.

Gets Chromium where apt is there and none is installed yet, then lints, checks types and runs all tests: in
browsers, then what needs none, then what measures time. Before any of them one process has read all tests, so
that whoever comes after finds them compiled. A stage keeps the cores busy by itself: two at once would only
wait for each other. What they leave of the cores goes to checking types, and to tests that only compute.
What a lane prints comes when it ends, and the time of each at the end of all. A few tests that failed in a
crowd are run once more when all have ended, one after another with nothing beside them: what fails again
fails, and what does not is named as what it is, a test that the crowd upset. What failed is named last of
all. With arguments, pytest is called with those.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.browser.chromium import SHELL, find_chromium

ROOT = Path(__file__).parents[1]
CORES = min(8, os.cpu_count() or 1)
MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30
"""Bytes: many times what tests write."""

LINT = [["ruff", "check", "."], ["ruff", "format", "--check", "."]]
# in a clone that is new so is its environment: three processes at once would compile all of it three times
FIRST = ["pytest", "--collect-only", "-qqq"]
# more of them would still be at it beside what measures time, which then proves nothing
COMPUTES = ["tests/attacks", "tests/leakage"]
"""Tests that only compute: they wait for nobody, and take as long as the others leave them to."""
BESIDE = [["mypy"], ["pytest", *COMPUTES, "-m", "not alone"]]
"""Lanes that have what the others leave of the cores, from their stage on until the last has ended."""
STAGES = [
    *([step] for step in LINT),
    [FIRST, BESIDE[0]],
    # a browser and its server take a core and a half, and half a minute of one until they are warm
    [["pytest", "tests/browser", "-m", "not alone", "-n", str(CORES), "--dist", "worksteal"], BESIDE[1]],
    # more processes than cores: tests wait for processes of their own
    [
        ["pytest", "-m", "not alone and not browser", *(f"--ignore={folder}" for folder in COMPUTES),
         "-n", str(CORES + 1), "--dist", "worksteal"],
    ],
    # two at a time: they wait more than they compute, and leave room for it in what they ask of the clock
    [
        ["pytest", "tests/browser", "-m", "alone"],  # Playwright keeps an event loop in its process
        ["pytest", "-m", "alone and not browser", "-n", str(CORES), "--dist", "worksteal"],
    ],
]  # fmt: skip
MOST_AGAIN = 3
"""Tests of a lane that may be run again: the crowd upsets one or two, and more than that is no accident."""
MOST_NAMED = 20
"""Of those that failed in a lane, at the end of all."""
TESTS_FAILED = 1
"""What pytest ends with where tests failed, and nothing worse happened."""


class Lane:
    """A command under way. Beside others its output is kept until it ends."""

    def __init__(self, step: list[str], among_others: bool, memory: Path) -> None:
        self.step, self.began = step, time.monotonic()
        self.patient = step in BESIDE
        self.told = tempfile.TemporaryFile("w+") if among_others else None  # noqa: SIM115 (closed in end)
        # each lane of pytest remembers for itself what failed in it
        self.memory = ["-o", f"cache_dir={memory}"] if step[0] == "pytest" else []
        self.failures = memory / "v" / "cache" / "lastfailed"
        if not among_others:
            print(f"\n== {' '.join(step)}", flush=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", *step, *self.memory],
            cwd=ROOT,
            stdout=self.told,
            stderr=self.told and subprocess.STDOUT,
            start_new_session=self.patient,
        )
        if self.patient:
            self._give_way()

    def _give_way(self) -> None:
        """To all else, trainings as well: it takes what they leave of the cores."""
        pid, niceness = self.process.pid, 19
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, niceness)
            if sys.platform == "linux":
                os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
                Path(f"/proc/{pid}/autogroup").write_text(str(niceness))

    def end(self) -> tuple[int, str]:
        """Its exit code, and a line with the time that it took."""
        code = abs(self.process.wait())
        line = f"{time.monotonic() - self.began:6.0f} s  {' '.join(self.step)}"
        if self.told:
            self.told.seek(0)
            if self.step != FIRST or code:  # which says only how many there are
                print(f"\n== {' '.join(self.step)}", self.told.read(), sep="\n", flush=True)
            self.told.close()
        return code, line

    @property
    def failed(self) -> list[str]:
        """The tests that failed, or all that it was where there are none or something worse happened."""
        if not self.memory or self.process.returncode != TESTS_FAILED or not self.failures.exists():
            return [" ".join(self.step)]
        return list(json.loads(self.failures.read_text(encoding="utf-8")))

    @property
    def few_failed(self) -> bool:
        """Whether it is worth while to look if they do so again."""
        return (
            self.process.returncode == TESTS_FAILED and bool(self.memory) and len(self.failed) <= MOST_AGAIN
        )

    def stop(self) -> None:
        """End one that has a session of its own, which nobody's interrupt reaches."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)


def main() -> int:
    # where this is set, hundreds of processes and every lane would compile the same files anew
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    get_chromium()
    write_into_memory()
    began, took, failed = time.monotonic(), list[str](), list[Lane]()
    stages, beside = [[["pytest", *sys.argv[1:]]]] if sys.argv[1:] else STAGES, list[Lane]()
    with tempfile.TemporaryDirectory() as memory:
        os.environ.setdefault("EPSILON_CACHE_DIR", str(Path(memory, "cache")))  # machine code, of all lanes
        for number, stage in enumerate(stages):
            lanes = [
                Lane(step, len(stage) > 1, Path(memory, f"{number}.{n}")) for n, step in enumerate(stage)
            ]
            beside += [lane for lane in lanes if lane.patient]
            lanes = [lane for lane in lanes if not lane.patient]
            ended = _until_all_end(lanes + beside * (stage == stages[-1]), beside)
            took += [line for _, line in ended.values()]
            failed += [lane for lane, (code, _) in ended.items() if code]
        upset = [lane for lane in failed if not sys.argv[1:] and lane.few_failed and _passes(lane.failed)]
        print("\n== time of each lane", *took, sep="\n")
        for lane in failed:
            told = "UPSET BY THE CROWD, passed with nothing beside it" if lane in upset else "FAILED"
            print(*(f"{told}: {test}" for test in lane.failed[:MOST_NAMED]), sep="\n")
    print(f"{time.monotonic() - began:6.0f} s  in all", flush=True)
    return max((abs(lane.process.returncode) for lane in failed if lane not in upset), default=0)


def _passes(tests: list[str]) -> bool:
    """Whether they do with nothing beside them."""
    print(f"\n== once more, with nothing beside: {', '.join(tests)}", flush=True)
    return not subprocess.call([sys.executable, "-m", "pytest", *tests], cwd=ROOT)


def _until_all_end(lanes: list[Lane], beside: list[Lane]) -> dict[Lane, tuple[int, str]]:
    """Each lane's exit code and line, in the order in which they end; who interrupts them ends all."""
    ended = dict[Lane, tuple[int, str]]()
    try:
        while len(ended) < len(lanes):
            time.sleep(0.05)
            for lane in lanes:
                if lane not in ended and lane.process.poll() is not None:
                    ended[lane] = lane.end()
    except BaseException:
        for lane in beside:
            lane.stop()
        raise
    return ended


def write_into_memory() -> None:
    """Folders of tests are in memory where there is a disk in it. The product makes sure of what it writes,
    and tests would wait for that a third of their time; what they prove by killing processes is the same.
    """
    if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"] = str(MEMORY)


def get_chromium() -> None:
    """Install Debian's Chromium if there is none, apt is there and we may use it."""
    if shutil.which(SHELL) or not shutil.which("apt-get"):
        return
    may = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if may and (not shutil.which("sudo") or subprocess.call([*may, "true"], stderr=subprocess.DEVNULL)):
        if not find_chromium():
            print("Chromium is not installed and only root may install it: the browser tests will be skipped")
        return
    print("Installing Chromium for the browser tests", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    apt = [*may, "apt-get", "-q", "-y", "--no-install-recommends"]
    for words in (["update"], ["install", SHELL], ["install", "chromium"]):
        failed = subprocess.call([*apt, *words], stdout=subprocess.DEVNULL, env=environment)
        if words[0] == "install" and (not failed or find_chromium()):
            return
    print("apt-get failed: the browser tests will be skipped")


if __name__ == "__main__":
    sys.exit(main())
