"""A folder of runs that cannot be written to is told so: nothing is to be moved away."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from ldp_core.errors import ReadOnly
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.record import drafts
from ldp_core.runs.storage.paths import runs_dir as made
from tests.conftest import ROOT
from tests.runs.processes import skip_without

DRAFT = parse_draft({"rounds": 1})


def test_a_read_only_disk_is_looked_at_and_says_what_to_do(tmp_path: Path):
    folder = tmp_path / "disk"
    folder.mkdir()
    begin = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    script = 'mount -t tmpfs none "$1" && mount -o remount,rw "$1" && shift && exec "$@"'
    skip_without(*begin, script, "sh", str(folder), "true")
    command = [*begin, script, "sh", str(folder), sys.executable, "-m", "tests.runs.storage.test_read_only"]
    environment = os.environ | {"EPSILON_RUNS_DIR": str(folder / "runs")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_folder_that_cannot_be_made_on_one_is_told_so(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Path, "mkdir", Mock(side_effect=OSError(errno.EROFS, "Read-only file system")))
    with pytest.raises(ReadOnly, match="make it writable"):
        made()


def mount(how: str) -> None:
    disk = Path(os.environ["EPSILON_RUNS_DIR"]).parent
    subprocess.run(["mount", "-o", f"remount,{how}", str(disk)], check=True)


def refused(act: Callable[..., Any], *given: Any) -> None:
    with pytest.raises(ReadOnly) as error:
        act(*given)
    assert "move" not in str(error.value)


def main() -> None:
    """Everything is there to look at, and everything else says what to do."""
    identity = queue.add("run", {"draft": DRAFT.as_json()})
    queue.cancel(identity)
    kept = drafts.new(DRAFT)
    mount("ro")
    assert [job.id for job in jobs.recent()] == [identity]
    assert drafts.load(kept) == DRAFT
    refused(queue.add, "run", {})
    refused(jobs.cancel, identity)
    refused(jobs.relabel, identity, "a", "b")
    refused(drafts.new, DRAFT)
    mount("rw")
    queue.queue_path().unlink()
    mount("ro")
    refused(queue.add, "run", {})
    mount("rw")
    assert queue.add("run", {})


if __name__ == "__main__":
    main()
