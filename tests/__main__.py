"""The test command of the README: `python -m tests`.

Gets Chromium by apt if there is none; then ruff, mypy and pytest: the tests in browsers beside the others,
and what measures time by itself. With arguments, pytest is called with those.
"""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.browser.chromium import SHELL, find_chromium

ROOT = Path(__file__).parents[1]
OTHERS = ("tests/runs", "tests/pages")
TWO_AT_A_TIME = [
    ["pytest", "tests/browser", "-m", "not alone"],
    ["pytest", *(f"--ignore={folder}" for folder in ("tests/browser", *OTHERS)), "-m", "not alone"],
    *(["pytest", folder, "-m", "not alone"] for folder in OTHERS),
    ["mypy"],
    ["ruff", "check", "."],
    ["ruff", "format", "--check", "."],
]
"""The longest first: who is free takes the next."""
BY_ITSELF = ["pytest", "-m", "alone"]


def main() -> int:
    """What is printed comes as each command ends. The exit code is the first that is not 0."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or hundreds of processes would compile all anew
    get_chromium()
    if sys.argv[1:]:
        return subprocess.call([sys.executable, "-m", "pytest", *sys.argv[1:]], cwd=ROOT)
    with ThreadPoolExecutor(2) as two:
        codes = [*two.map(run, TWO_AT_A_TIME)]
    return next(filter(None, [*codes, run(BY_ITSELF)]), 0)


def run(step: list[str]) -> int:
    """A module as a command: its exit code."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", *step], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    took = time.monotonic() - began
    output = f"\n== {' '.join(step)}\n{done.stdout}== exit {done.returncode} after {took:.0f} s"
    print(output, flush=True)
    return done.returncode


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
