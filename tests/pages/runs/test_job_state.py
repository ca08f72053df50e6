"""The line on where a job is: its round, its place in the queue, and where it was stopped."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from ldp_core import presets
from ldp_core.datasets import Step
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import queue
from ldp_core.runs.jobs.listing import describe
from ldp_core.runs.kinds import Words
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.time_left import Reporter
from ldp_core.runs.view.folded import CompactSeries
from ldp_core.runs.view.run_curves import Progress, RunProgress
from pages.parts.runs.job_state import _stopped, place_in_queue
from pages.parts.runs.said import _places, said, state
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


def test_a_request_of_another_version_keeps_its_name():
    request = {"draft": {"base": {"name": "older", "a field of then": 1, "rounds": 3}, "seeds": 1}}
    job = SimpleNamespace(kind="run", request=request, brief=request, long=False)
    assert said("a job", cast(Job, job)) == Words("older")


def test_job_state_states_its_progress(runs_dir: Path):
    request = {"draft": DRAFT.as_json(), "reference": True}
    first, second, third = (queue.add("run", request) for _ in range(3))
    assert queue.claim()

    def states() -> list[str]:
        _places.clear()
        return [state(describe(queue.get(identity))) for identity in (first, second, third)]

    folder = queue.get(first).folder
    folder.mkdir(parents=True)
    assert states()[0] == "running", "nothing is reported yet"
    Reporter(folder)(Step("", 4.5, 15, "rounds"))
    assert states() == ["running, 4 of 15 rounds", "queued, 1 before it", "queued, 2 before it"]
    queue.cancel(first)
    queue.cancel(second)
    assert states() == ["cancelling, 4 of 15 rounds", "stopped", "queued, 1 before it"]
    assert queue.move(first, "cancelled")
    assert states() == ["stopped", "stopped", "queued"]


REQUESTS = {"run": {}, "attack": {"ladder": Ladder().as_json()}}
GOES_ON = {"run": "Training: round 0 of 15", "attack": "training the model"}
HAS_ENDED = {"run": "Stopped at round 0 of 15", "attack": "Stopped after 0 of"}


def page() -> None:
    """A job's page. What happens to the job meanwhile happens once, between two looks at it."""
    import streamlit as st

    from ldp_core.errors import UnknownJob
    from ldp_core.experiment import parse_draft
    from ldp_core.runs import jobs, queue
    from pages.parts.attack.view import desk_view
    from pages.parts.ui.shared_cache import job_now
    from pages.parts.watch.live import live_view

    identity, happens = st.session_state["job"], st.session_state["happens"]
    st.session_state["happens"] = ""
    if happens == "it ends":
        job_now(identity)  # another visitor looks, right before
        queue.move(identity, "cancelled")
    try:
        job = jobs.look(identity)
    except UnknownJob:
        st.caption("the page without it")
        return
    if happens == "it is deleted":
        queue.move(identity, "interrupted")
        queue.delete(identity)
    if happens == "it is taken up":
        queue.requeue(identity)
        queue.claim()
    if job.kind == "attack":
        desk_view(job)
    else:
        live_view(parse_draft(job.request["draft"]), job)


def shown(identity: str, happens: str) -> str:
    app = drawn(page, job=identity, happens=happens)
    assert not app.session_state["happens"]
    return " ".join([*(bar.proto.text for bar in app.get("progress")), *(one.value for one in app.caption)])


@pytest.fixture(params=REQUESTS)
def asked(request: pytest.FixtureRequest, at_work: object) -> tuple[str, str]:
    """A job of each kind that waits, and its kind."""
    draft = presets.get("two_volunteers").draft.as_json()
    return queue.add(request.param, {"draft": draft} | REQUESTS[request.param]), request.param


def test_just_ended_job_is_not_shown_as_running(asked: tuple[str, str]):
    """Nothing on such a page would ever be drawn again: it would go on for ever."""
    identity, kind = asked
    assert queue.claim()
    assert GOES_ON[kind] in shown(identity, "nothing")
    queue.cancel(identity)
    words = shown(identity, "it ends")
    assert HAS_ENDED[kind] in words
    assert GOES_ON[kind] not in words


def test_resumed_job_is_not_shown_as_stopped(asked: tuple[str, str]):
    identity, kind = asked
    queue.cancel(identity)
    assert HAS_ENDED[kind] in shown(identity, "nothing")
    words = shown(identity, "it is taken up")
    assert GOES_ON[kind] in words
    assert HAS_ENDED[kind] not in words


def test_deleted_running_job_leaves_no_page(asked: tuple[str, str]):
    """Around the words that it is gone there would be a button to stop it."""
    assert queue.claim()
    assert shown(asked[0], "it is deleted") == "the page without it"
