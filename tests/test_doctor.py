"""`doctor` says what holds on a machine, is quick, and never fails itself."""

import io
import os
import re
import shutil
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import pytest

from ldp_core import doctor
from ldp_core.datasets import APP
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
    """No setting but the folder of runs."""
    for name in [name for name in os.environ if name.startswith(("EPSILON_", "STREAMLIT_"))]:
        if name != "EPSILON_RUNS_DIR":
            monkeypatch.delenv(name)


def report() -> tuple[int, dict[str, str]]:
    """The exit code, and by check its line, grade first."""
    out = io.StringIO()
    code = doctor.doctor(out)
    text = out.getvalue().replace("\n" + " " * 22, " ")
    lines = [re.split(r" +", line, maxsplit=1) for line in text.splitlines()]
    named = {name: rest for _, rest in lines for name in doctor.CHECKS if rest.startswith(name)}
    return code, {
        name: f"{grade} {rest}" for (name, rest), (grade, _) in zip(named.items(), lines, strict=True)
    }


def test_doctor_reports_every_check_quickly(runs_dir: Path):
    asked = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [name for name in doctor.CHECKS if f" {name} " not in asked.stdout] == []
    assert "Traceback" not in asked.stdout + asked.stderr
    code, seconds, heavy = asked.stderr.split(maxsplit=2)
    assert code == "0", asked.stdout
    assert heavy.strip() == "[]"
    assert float(seconds) < CPU_SECONDS * slower(time.process_time)
    assert list(runs_dir.iterdir()) == [], "it leaves nothing behind"


def test_check_that_raises_is_wrong(monkeypatch: pytest.MonkeyPatch):
    def fails() -> doctor.CheckResult:
        raise ZeroDivisionError("one\ntwo")

    monkeypatch.setattr(doctor, "CHECKS", {"queue": fails, "machine": doctor.machine})
    code, said = report()
    assert code == 1
    assert said["queue"].startswith("wrong") and "ZeroDivisionError: one two" in said["queue"]
    assert said["machine"].startswith("ok ")


@pytest.mark.parametrize(
    ("name", "value", "grade", "check", "term"),
    [
        ("EPSILON_PAGES", "many", "wrong", "settings", "EPSILON_PAGES"),
        ("EPSILON_QOUTA_GB", "9", "wrong", "settings", "EPSILON_QUOTA_GB"),
        ("EPSILON_SOMETHING_ELSE", "1", "note", "settings", "EPSILON_SOMETHING_ELSE"),
        ("EPSILON_CORES", "2", "note", "settings", "EPSILON_SLOTS"),
        ("EPSILON_ADDRESS_HEADER", "X Real", "wrong", "visitors", "EPSILON_ADDRESS_HEADER"),
        ("EPSILON_TEACHER", "chalk", "note", "teacher", "5 characters"),
        ("STREAMLIT_SERVER_ALLOWED_HOSTS", "*", "note", "visitors", "*"),
        ("EPSILON_PAGES", "100000", "note", "visitors", "ulimit"),
        ("EPSILON_MEMORY_GB", "0.2", "note", "machine", "EPSILON_SLOTS"),
    ],
)
def test_setting_that_makes_no_sense_is_graded(
    name: str, value: str, grade: str, check: str, term: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(name, value)
    code, said = report()
    assert (code, said[check].split()[0]) == (int(grade == "wrong"), grade)
    assert term in said[check]


def test_secret_is_printed_nowhere(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_TEACHER", "a long one indeed")
    _, said = report()
    assert said["teacher"].startswith("ok")
    assert not any("indeed" in line for line in said.values())


def test_folder_of_runs_without_use_or_locks_is_wrong(
    runs_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(kernel_lock, "missing", lambda folder: "No locks available")
    assert doctor.runs()[0] == "wrong"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(tmp_path / "file"))
    code, said = report()
    assert (code, said["folder of runs"].split()[0]) == (1, "wrong")


def test_free_disk_is_compared_with_the_quota(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    for free, grade in ((10**8, "wrong"), (4 * 10**9, "note"), (10**11, "ok")):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: Usage(10**12, 0, free))
        assert doctor.disk()[0] == grade, free


def test_damaged_queue_is_wrong(runs_dir: Path):
    runs_dir.mkdir()
    queue_path().write_bytes(b"no database at all" * 100)
    assert report()[1]["queue"].startswith("wrong")


def test_worker_is_named_and_a_silent_one_is_a_note(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(locks, "BEAT_SECONDS", 1e9)
    assert "no worker" in doctor.queue()[1]
    with stand_in(runs_dir) as held:
        grade, found = doctor.queue()
        assert (grade, str(os.getpid()) in found) == ("ok", True)
        an_hour_ago = time.time() - 3600
        os.utime(held.path, (an_hour_ago, an_hour_ago))
        assert doctor.queue()[0] == "ok", "this process is not stopped, but waits"
        monkeypatch.setattr(doctor, "is_waiting", lambda who: False)
        assert doctor.queue()[0] == "note"


@pytest.mark.skipif(bool(native_code.refusal()), reason="no kernel is made here")
def test_kernel_cache_that_others_can_write_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / APP / "kernels").mkdir(mode=0o700, parents=True)
    assert doctor.kernel()[0] == "ok"
    tmp_path.chmod(0o777)
    grade, found = doctor.kernel()
    assert (grade, str(tmp_path) in found) == ("note", True)
