"""The test command of the README: `python -m tests`.

Gets Chromium where apt is there and none is installed yet, then lints, checks types and runs all
tests: first those that only compute, on all cores; then browsers, two at a time, and those that watch
the clock one after another; then those with processes of their own, two at a time. With arguments, pytest
is called with those.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.browser.chromium import find_chromium

ROOT = Path(__file__).parents[1]


PYTEST = [
    ["pytest", "-m", "not alone and not browser", "-n", str(min(8, os.cpu_count() or 1))],
    # in processes of their own: Playwright keeps an event loop in them
    ["pytest", "tests/browser", "-m", "not alone", "-n", "2", "--dist", "worksteal"],
    ["pytest", "tests/browser", "-m", "alone"],
    # two at a time: they wait more than they compute, and leave room for it in what they ask of the clock
    ["pytest", "-m", "alone and not browser", "-n", "2", "--dist", "worksteal"],
]


def main() -> int:
    get_chromium()
    steps = [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        *([["pytest", *sys.argv[1:]]] if sys.argv[1:] else PYTEST),
    ]
    took: list[str] = []
    for step in steps:
        print(f"\n== {' '.join(step)}", flush=True)
        began = time.monotonic()
        code = subprocess.call([sys.executable, "-m", *step], cwd=ROOT)
        took.append(f"{time.monotonic() - began:6.0f} s  {' '.join(step)}")
        if code:
            break
    print("\n== time of each stage", *took, sep="\n", flush=True)
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
