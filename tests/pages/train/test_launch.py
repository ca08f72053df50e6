"""Train's first lines: which run it shows for settings that none was of."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import datasets, presets
from ldp_core.experiment import Draft, parse
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import drafts
from pages.parts.runs.job_state import missing
from pages.parts.train.chosen_job import closest, lesson_of
from tests.pages.conftest import drawn

DRAFT = presets.get("two_volunteers").draft


def job(identity: str, draft: Draft) -> Job:
    request = {"draft": draft.as_json(), "reference": True}
    text = json.dumps(request)
    return Job(identity, "run", "a draft", text, "completed", "", 0.0, None, None, None, 0)


def test_the_run_that_differs_least_is_shown():
    far = DRAFT.with_base({"rounds": 40, "mechanism.name": "duchi", "clients.epsilon": 2.0})
    prepared, other = job("prepared", DRAFT), job("other", presets.get("half_and_half").draft)
    found = [job("far", far), other, job("again", DRAFT), prepared]
    shown = closest(found, DRAFT.with_base({"local.epochs": 2}))
    assert shown is not None
    assert shown.id == "again", "the newest of those that are as close"
    exact = closest(found, far)
    assert exact is not None
    assert exact.id == "far"
    assert closest([other], DRAFT) is None


def test_lesson_is_shown_for_unchanged_scenarios_only():
    assert lesson_of(job("prepared", DRAFT)) == presets.get("two_volunteers").says
    assert lesson_of(job("edited", DRAFT.with_base({"rounds": 2}))) == ()
    assert lesson_of(job("renamed", DRAFT.with_base({"name": "mine"}))) == ()
    assert lesson_of(None) == ()


def page() -> None:
    """Train's first lines and the foot of its settings, after something was refused."""
    import streamlit as st

    from ldp_core.errors import NotNow
    from ldp_core.runs import jobs
    from ldp_core.runs.record import drafts
    from pages.parts.train.launch import again_bar, launch
    from pages.parts.ui.job_actions import refusing
    from pages.parts.ui.workspace import Workspace

    identity, job = st.session_state["draft"], st.session_state["job"]
    draft = drafts.load(identity)
    assert draft is not None
    if st.session_state.pop("refused now", False):
        with refusing():
            raise NotNow("another request was quicker")
    workspace, shown = Workspace(identity, draft, "train"), jobs.look(job) if job else None
    launch(workspace, shown)
    again_bar(workspace, shown)


def opened(draft: str, job: str | None = None, refused: bool = False) -> AppTest:
    return drawn(page, draft=draft, job=job, **{"refused now": refused})


@pytest.mark.usefixtures("runs_dir")
def test_refusal_is_shown_while_another_job_runs():
    """Said later, when that has ended, it would no longer be so."""
    identity = drafts.new(DRAFT)
    job = queue.add("run", {"draft": DRAFT.as_json()}, identity)
    assert queue.claim()
    app = opened(identity, job, refused=True)
    assert [one.value for one in app.error] == ["another request was quicker"]
    assert [one.value for one in app.run().error] == []


@pytest.mark.usefixtures("runs_dir")
def test_missing_data_set_is_stated_before_the_launch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    app = opened(drafts.new(DRAFT.with_base({"dataset": "mnist"})))
    assert "is not on this server: 11.6\u202fMB are downloaded first" in app.caption[0].value
    for name in datasets.names():
        source = datasets.get(name)
        result = missing([parse({"dataset": name, "model": "mlp"})])
        assert bool(result) == (not source.there(tmp_path)) == bool(source.download), name


@pytest.mark.usefixtures("runs_dir")
def test_a_button_is_at_the_foot_of_settings_that_were_changed():
    identity = drafts.new(DRAFT)
    job = queue.add("run", {"draft": DRAFT.as_json()}, identity)
    queue.cancel(job)
    for seed, offered in ((DRAFT.base.seed, False), (5, True)):
        drafts.update(identity, lambda draft, seed=seed: draft.with_base({"seed": seed}))  # type: ignore[misc]
        labels = [button.label for button in opened(identity, job).button]
        assert ("Train these settings" in labels) == offered
