"""`doctor` says what holds on a machine, is quick, and never fails itself."""

import io
import os
import re
import shutil
import subprocess
import sys
import time
from collections import namedtuple
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from ldp_core.doctor import command, doctor, machine, program, storage
from ldp_core.doctor.finding import Finding
from ldp_core.runs.queue.table import queue_path
from ldp_core.runs.storage import locks_and_heartbeats as locks
from ldp_core.system import kernel_lock, native_code
from tests.conftest import ROOT
from tests.pace import slower
from tests.runs.processes import stand_in

CPU_SECONDS = 3.0
"""Of the processor."""
Usage = namedtuple("Usage", "total used free")
PROBE = """
import resource, sys
from ldp_core.cli import main
code = main(["doctor"])
used = resource.getrusage(resource.RUSAGE_SELF)
heavy = {"torch", "sklearn", "streamlit", "scipy.stats"} & set(sys.modules)
print(code, used.ru_utime + used.ru_stime, sorted(heavy), file=sys.stderr)
"""


@pytest.fixture(autouse=True)
def _plain(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting but the folder of runs, and that of compiled code."""
    for name in [name for name in os.environ if name.startswith(("EPSILON_", "STREAMLIT_"))]:
        if name not in ("EPSILON_RUNS_DIR", "EPSILON_CACHE_DIR"):
            monkeypatch.delenv(name)


def report() -> tuple[int, dict[str, str]]:
    """The exit code, and what is said of each thing, its grade first."""
    out = io.StringIO()
    code = doctor(out)
    text = out.getvalue().replace("\n" + " " * 22, " ")
    grades = [re.split(r" +", line, maxsplit=1) for line in text.splitlines()]
    named = {
        name: (grade, rest) for grade, rest in grades for name, _ in command.LOOKS if rest.startswith(name)
    }
    return code, {name: f"{grade} {rest.removeprefix(name).strip()}" for name, (grade, rest) in named.items()}


def test_it_tells_of_everything_quickly_and_loads_nothing_heavy(runs_dir: Path):
    asked = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [name for name, _ in command.LOOKS if f" {name} " not in asked.stdout] == []
    assert "Traceback" not in asked.stdout + asked.stderr
    code, seconds, heavy = asked.stderr.split(maxsplit=2)
    assert code == "0", asked.stdout
    assert heavy.strip() == "[]"
    assert float(seconds) < CPU_SECONDS * slower(time.process_time)
    assert list(runs_dir.iterdir()) == [], "it leaves nothing behind"


def test_whatever_goes_wrong_inside_it_is_a_line(monkeypatch: pytest.MonkeyPatch):
    def fails() -> Finding:
        raise ZeroDivisionError("one\ntwo")

    monkeypatch.setattr(command, "LOOKS", (("Python", fails), ("GPU", machine.gpu)))
    code, said = report()
    assert code == 1
    assert said["Python"] == "wrong cannot be looked at (ZeroDivisionError: one two)"
    assert said["GPU"].startswith("ok ")


@pytest.mark.parametrize(
    ("name", "value", "verdict", "line", "words"),
    [
        ("EPSILON_PAGES", "many", "wrong", "settings", "must be a whole number from 1 to 100000"),
        ("EPSILON_ENGINE", "fast", "wrong", "settings", "EPSILON_ENGINE must be"),
        ("EPSILON_QOUTA_GB", "9", "wrong", "settings", "→ is EPSILON_QUOTA_GB meant?"),
        ("EPSILON_ADDRESS_HEADER", "X Real", "wrong", "visitors", "must be a header's name"),
        ("EPSILON_QUOTA_GB", "lots", "wrong", "settings", "EPSILON_QUOTA_GB must be a number from"),
        ("EPSILON_SOMETHING_ELSE", "1", "note", "settings", "nothing reads"),
        ("EPSILON_TEACHER", "chalk", "note", "teacher", "a secret of 5 characters"),
        ("STREAMLIT_SERVER_ALLOWED_HOSTS", "*", "note", "answers to", "name the host"),
        ("EPSILON_CONNECTIONS", "100000", "note", "connections", "raise the limit of open files"),
        ("EPSILON_MEMORY_GB", "0.2", "note", "cores, memory", "fewer EPSILON_SLOTS"),
    ],
)
def test_what_makes_no_sense_is_wrong_and_what_works_and_is_to_be_known_a_note(
    name: str, value: str, verdict: str, line: str, words: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(name, value)
    code, said = report()
    assert (code, said[line].split()[0]) == (int(verdict == "wrong"), verdict)
    assert words in said[line]


def test_a_secret_is_printed_nowhere(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_TEACHER", "a long one indeed")
    _, said = report()
    assert said["teacher"] == "ok a secret is set"
    assert not any("indeed" in line for line in said.values())


def test_folders_that_cannot_be_used_are_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(tmp_path / "file"))
    code, said = report()
    assert code == 1
    assert said["folder of runs"].startswith("wrong the folder of runs cannot be made")


def test_a_file_system_without_locks_is_wrong(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernel_lock, "missing", lambda folder: "No locks available")
    assert storage.locks().grade == "wrong"
    assert "No locks available" in storage.locks().found


def test_room_on_the_disk_is_compared_with_what_it_is_for(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    for free, grade in ((10**8, "wrong"), (4 * 10**9, "note"), (10**11, "ok")):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: Usage(10**12, 0, free))
        assert storage.disk().grade == grade, free


def test_a_damaged_queue_is_wrong(runs_dir: Path):
    runs_dir.mkdir()
    queue_path().write_bytes(b"no database at all" * 100)
    assert report()[1]["queue"].startswith("wrong studio.sqlite in the folder of runs cannot be used")


def test_a_worker_that_lives_is_named_and_one_that_is_silent_too(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(locks, "BEAT_SECONDS", 1e9)
    assert storage.worker().found.startswith("none")
    with stand_in(runs_dir) as held:
        assert storage.worker().grade == "ok"
        assert str(os.getpid()) in storage.worker().found
        an_hour_ago = time.time() - 3600
        os.utime(held.path, (an_hour_ago, an_hour_ago))
        assert storage.worker().grade == "note"
        assert "kill -CONT" in storage.worker().todo


def test_packages_are_compared_with_the_pins(monkeypatch: pytest.MonkeyPatch):
    def installed(name: str) -> str:
        if name == "plotly":
            raise PackageNotFoundError(name)
        return "0.0.1"

    assert program.packages().grade == "ok"
    monkeypatch.setattr(program, "version", installed)
    assert (program.packages().grade, program.packages().found) == ("wrong", "missing: plotly")
    monkeypatch.setattr(program, "version", lambda name: "0.0.1")
    assert program.packages().grade == "note"
    assert "0.0.1, not" in program.packages().found


def test_no_kernel_is_a_note(monkeypatch: pytest.MonkeyPatch):
    assert program.kernel().grade == ("ok" if native_code.installed() else "note")
    monkeypatch.setattr(native_code, "refusal", lambda: "llvmlite is not installed")
    assert program.kernel().grade == "note"


@pytest.mark.skipif(bool(native_code.refusal()), reason="no kernel is made here")
def test_a_cache_that_others_can_write_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_CACHE_DIR", str(tmp_path))
    (tmp_path / "kernels").mkdir(mode=0o700)
    assert program.kernel().grade == "ok"
    tmp_path.chmod(0o777)
    assert program.kernel().grade == "note"
    assert f"other users can write to {tmp_path}" in program.kernel().found
    monkeypatch.setenv("EPSILON_CACHE_DIR", str(tmp_path / "nowhere"))
    assert "cannot be made" in program.kernel().found
