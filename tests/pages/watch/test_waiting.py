"""Who waits for a job that trains the same sees how far that is, and its curves."""

from pathlib import Path

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.lockstep import Turn
from tests.pages.conftest import drawn
from tests.runs.in_process import queued, record_of, recorder_of

DRAFT = Draft(parse({"rounds": 15, "attack": None}), (Variant("run"),))


@pytest.mark.usefixtures("at_work")
def test_the_curves_of_the_one_that_trains_are_shown(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lookup, "ensure_worker", lambda newest: None)
    first, second = (queued(DRAFT, owner=name).id for name in ("anna", "ben"))
    assert queue.claim() is not None
    recorder = recorder_of(queue.get(first))
    start = {"event": "start", "round": 0, "accuracy": 0.1, "chance": 0.1, "loss": 2.3}
    recorder.write(Turn(0, [start, start | {"event": "round", "round": 1, "accuracy": 0.5}], None, 0.1))
    recorder.close()

    def page() -> None:
        import streamlit as st

        from ldp_core.runs import queue
        from pages.parts.watch.live import seen

        for job in queue.find():
            now = seen(job.id, live=True)
            if now is not None:
                accuracy = [round(value, 3) for value in now.shown[0].runs[0].curves["accuracy"]]
                st.text(f"{job.status} {now.moment.job} {now.job.id} {accuracy}")

    assert [one.value for one in drawn(page).text] == [
        f"queued {second} {second} [0.1, 0.5]",
        f"running {first} {first} [0.1, 0.5]",
    ]


def test_a_damaged_record_is_said_once(runs_dir: Path):
    job = queued(DRAFT)
    queue.cancel(job.id)
    record_of(job).parent.mkdir(parents=True, exist_ok=True)
    record_of(job).write_bytes(b"no database at all, " * 500)

    def page() -> None:
        from ldp_core.runs import jobs
        from pages.parts.watch.live import live_view, settings_of
        from pages.parts.watch.more import more

        (job,) = jobs.recent()
        draft = settings_of(job)
        assert draft
        live_view(draft, job)
        more(draft, job, ())

    assert [one.value.count("cannot be used") for one in drawn(page).error] == [1]
