"""What server, worker and commands write is closed to other accounts of the machine."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ldp_core import doctor
from ldp_core.runs.storage.paths import runs_dir as folder_of_runs
from ldp_core.system.data_folder import keep_private
from tests.conftest import ROOT
from tests.runs.processes import stand_in

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def submitted(runs_dir: Path) -> Path:
    """Database of a job that a command has put in the queue."""
    with stand_in(runs_dir):
        command = [sys.executable, "-m", "ldp_core", "submit", "-"]
        subprocess.run(command, cwd=ROOT, input="{}", text=True, check=True, capture_output=True)
    return runs_dir / "studio.sqlite"


def test_command_writes_for_its_user_alone(runs_dir: Path):
    database = submitted(runs_dir)
    assert mode(database) == 0o600


def test_command_lets_a_group_read_that_shares_the_folder(runs_dir: Path):
    runs_dir.mkdir()
    runs_dir.chmod(0o2770)
    assert mode(submitted(runs_dir)) == 0o640


def test_folder_of_runs_is_private(runs_dir: Path):
    assert mode(folder_of_runs()) == 0o700
    assert doctor.runs()[0] == "ok"
    runs_dir.chmod(0o755)
    grade, found = doctor.runs()
    assert (grade, "755" in found) == ("note", True)


@pytest.mark.parametrize(("given", "expected"), [(0o700, 0o077), (0o755, 0o077), (0o770, 0o007)])
def test_umask_follows_the_folder_of_runs(runs_dir: Path, given: int, expected: int):
    runs_dir.mkdir()
    runs_dir.chmod(given)
    keep_private()
    assert os.umask(0o022) == expected
