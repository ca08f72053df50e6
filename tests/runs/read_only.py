"""What can be done where nothing can be written; test_read_only.py mounts such a folder for this."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ldp_core.errors import ReadOnly
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.record import drafts

ROOT = Path(os.environ["EPSILON_RUNS_DIR"])
DRAFT = Draft(parse({"rounds": 1}), (Variant("run"),))


def mount(how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(ROOT.parent)], check=True)


def refused(act: Callable[..., Any], *given: Any) -> None:
    try:
        act(*given)
    except ReadOnly as error:
        assert "move" not in str(error)
    else:
        raise AssertionError(f"{act} went through")


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
