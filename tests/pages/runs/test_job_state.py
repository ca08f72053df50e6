"""The line on where a job is: its round, its place in the queue, and where it was stopped."""

from pathlib import Path

import pytest

from ldp_core import presets
from ldp_core.runs import queue
from ldp_core.runs.view.folded import CompactSeries
from ldp_core.runs.view.run_curves import Progress, RunProgress
from pages.parts.runs.job_state import _stopped, place_in_queue
from tests.pages.conftest import drawn

DRAFT = presets.get("two_volunteers").draft


def progress(*rounds: int, ended: int = 0) -> Progress:
    """Runs that have come so far; of the first ones so many have ended early."""
    found = Progress((), ())
    for number, done in enumerate(rounds):
        run = RunProgress(number, f"run {number}", 0, "{}")
        run.curves["accuracy"] = CompactSeries()
        for _ in range(done + 1):
            run.curves["accuracy"].append(0.1)
        run.start = {"round": 0} if done >= 0 else {}
        run.end = {"status": "diverged"} if number < ended else None
        found.runs.append(run)
    return found


def test_a_run_that_has_diverged_does_not_hold_the_counter_back():
    assert progress(6, 6, 7).at() == 6
    assert progress(1, 6, 7, ended=1).at() == 6
    assert progress(1, 3, ended=2).at() == 3
    assert progress().at() == 0


def test_unstarted_run_does_not_hold_the_counter():
    assert progress(6, 7, -1, -1).at() == 6
    assert progress(15, 15, -1, ended=2).at() == 15


def lines() -> None:
    from dataclasses import replace

    import streamlit as st

    from ldp_core.runs import queue
    from pages.parts.runs.job_state import job_state
    from pages.parts.watch.watch_only import whose
    from tests.pages.runs.test_job_state import DRAFT

    job = replace(queue.find()[0], **st.session_state["now"])
    whose(job)
    for found in st.session_state["found"]:
        job_state(job, DRAFT, found)


def test_the_line_tells_the_round_of_the_runs_that_go_on(runs_dir: Path):
    queue.add("run", {"draft": DRAFT.as_json()})
    now = {"status": "running", "started": 0.0}
    app = drawn(lines, now=now, found=[progress(1, 6, 7, ended=1)])
    assert app.get("progress")[0].proto.text.startswith("Training: round 6 of 15, 3 runs, 1 of them done")


@pytest.mark.parametrize(("rounds", "follow"), [((15, 15), True), ((15, 6), False)])
def test_line_tells_that_attacks_follow_the_last_round(rounds: tuple[int, ...], follow: bool, runs_dir: Path):
    queue.add("run", {"draft": DRAFT.as_json()})
    app = drawn(lines, now={"status": "running", "started": 0.0}, found=[progress(*rounds)])
    assert ("attacks follow" in app.get("progress")[0].proto.text) is follow


def test_waiting_job_shows_progress_of_shared_runs(runs_dir: Path):
    queue.add("run", {"draft": DRAFT.as_json()})
    app = drawn(lines, now={}, found=[progress(6, 6, 7), progress()])
    line, own = app.get("progress")
    assert line.proto.text.startswith("Round 6 of 15, 3 runs: the same is trained already")
    assert line.proto.value == 42  # 19 of 45 rounds
    assert own.proto.text.startswith("In the queue")


def test_begun_job_does_not_wait_for_itself(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    """A page holds how a job was a moment ago; the queue of now has it no more."""
    monkeypatch.setenv("EPSILON_SLOTS", "1")
    seen = queue.get(queue.add("run", {"draft": DRAFT.as_json()}))
    assert queue.claim(1) is not None
    assert seen.status == "queued"
    assert place_in_queue(seen) == "it starts in a moment"


def test_job_stopped_in_round_one_restarts_there():
    """It said that nothing is kept, beside a button to go on where it stopped."""
    assert "nothing" not in _stopped(DRAFT, progress(0, 0))
    assert _stopped(DRAFT, progress(0, 0)).endswith("to go on begins with the first round")
    assert _stopped(DRAFT, progress(2, 3)) == "Stopped at round 2 to 3 of 15; whole rounds are kept"
