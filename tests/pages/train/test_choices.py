"""What Train compares, as its widgets show it."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import datasets, presets
from ldp_core.experiment import Draft, parse, parse_draft
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import drafts
from pages.parts.charts.series import Series
from pages.parts.runs.job_state import missing
from pages.parts.train.chosen_job import closest, lesson_of
from pages.parts.train.findings import held_back
from tests.pages.charts.test_base import run
from tests.pages.conftest import drawn

BY_MEAN = {"label": "by the mean", "set": {"aggregator.name": "mean"}}
BY_LOT = {"label": "by lot", "set": {"aggregator.name": "probability_selection"}}
AS_IT_IS = {"label": "as it is", "set": {}}
MORE = {"label": "and more", "set": {"aggregator.name": "inverse_std", "rounds": 3}}


def page() -> None:
    import streamlit as st

    from ldp_core.runs.record import drafts
    from pages.parts.train import choices
    from pages.parts.ui.workspace import Workspace

    identity = st.session_state["draft"]
    draft = drafts.load(identity)
    assert draft is not None
    getattr(choices, st.session_state["part"])(Workspace(identity, draft, "train"))


@pytest.mark.usefixtures("runs_dir")
@pytest.mark.parametrize(
    ("variants", "picked"),
    [
        ([BY_MEAN, BY_LOT], ["mean", "probability_selection"]),
        ([BY_MEAN, BY_MEAN | {"label": "the same again"}], ["mean"]),
        ([AS_IT_IS, BY_LOT], None),
        ([AS_IT_IS], None),
        ([BY_MEAN, MORE], None),
    ],
)
def test_comparison_is_one_field_or_as_prepared(variants: list[dict[str, Any]], picked: list[str] | None):
    draft = drafts.new(parse_draft({"base": {}, "variants": variants}))
    app = drawn(page, part="_compared", draft=draft)
    shown: Any = app.get("button_group")
    compared, *choice = [one.value for one in shown]
    if picked is None:
        assert compared == "As prepared"
        assert variants[0]["label"] in app.caption[0].value
    else:
        assert compared == "Aggregators"
        assert choice == [picked]


@pytest.mark.usefixtures("runs_dir")
def test_own_layers_take_text_or_json_and_keep_errors():
    identity = drafts.new(parse_draft({"base": {}, "variants": [AS_IT_IS]}))
    app = drawn(page, part="_training", draft=identity)

    def stored() -> str:
        draft = drafts.load(identity)
        assert draft is not None
        return draft.base.model.title

    next(one for one in app.selectbox if one.label == "Model").select("own").run()
    assert stored() == "own layers (dense 32 relu)"
    wrong = "conv 8 3, pool 8"
    app.text_area[0].set_value(wrong).run()
    assert app.text_area[0].value == wrong and "larger than the 6 × 6 pixels" in app.error[0].value
    app.text_area[0].set_value('[{"kind": "dense", "units": 7}, {"kind": "dense", "units": 5}]').run()
    assert not app.exception and not app.error
    assert stored() == "own layers (dense 7 relu, dense 5 relu)"
    assert app.text_area[0].value == "dense 7 relu, dense 5 relu"
    layers = " ".join(one.value for one in app.markdown if "relu" in one.value)
    assert {"455", "40", "60"} <= {*layers.replace("|", " ").split()}, "weights and biases of each layer"


@pytest.mark.usefixtures("runs_dir")
def test_output_layer_is_asked_about_and_the_answer_kept():
    identity = drafts.new(
        parse_draft({"base": {"model": {"layers": "dense 12 relu"}}, "variants": [AS_IT_IS]})
    )
    app = drawn(page, draft=identity, part="_training")
    (area,) = (one for one in app.text_area if "dense 12" in (one.value or ""))
    area.set_value("dense 32 relu, dense 10").run()
    kept = drafts.load(identity)
    assert kept and kept.base.model.title.count("12"), "what is open is not taken"
    next(one for one in app.button if one.label.startswith("yes")).click().run()
    kept = drafts.load(identity)
    assert kept and kept.base.as_json()["model"]["layers"][-1] == {
        "kind": "dense", "units": 10, "activation": "none",
    }  # fmt: skip
    assert not app.exception and not app.error


def test_training_below_the_ceiling_names_its_cause():
    held = {}
    for half, rounds in ((0.05, 15), (5, 1), (20, 40)):
        own = {"rounds": rounds, "mechanism": "none", "attack": None, "clients": {"count": 5, "range": half}}
        one = Series(0, "run", (run(0, "run", 0, own),))
        held[half] = held_back([one], None, 0.97)
    assert "clipped" in held[0.05] and "wider range" in held[0.05]
    assert held[5] and "clipped" not in held[5]
    one = Series(0, "run", (run(0, "run", 0, {"rounds": 15, "mechanism": "none", "attack": None}),))
    assert held_back([one], None, 0.5) == "", "above what one model reaches nothing is held back"
    noisy = Series(0, "run", (run(0, "run", 0, {"rounds": 2, "attack": None}),))
    assert held_back([noisy], None, 0.97) == ""


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


def first_lines() -> None:
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


def launched(draft: str, job: str | None = None, refused: bool = False) -> AppTest:
    return drawn(first_lines, draft=draft, job=job, **{"refused now": refused})


@pytest.mark.usefixtures("runs_dir")
def test_refusal_is_shown_while_another_job_runs():
    """Said later, when that has ended, it would no longer be so."""
    identity = drafts.new(DRAFT)
    job = queue.add("run", {"draft": DRAFT.as_json()}, identity)
    assert queue.claim()
    app = launched(identity, job, refused=True)
    assert [one.value for one in app.error] == ["another request was quicker"]
    assert [one.value for one in app.run().error] == []


@pytest.mark.usefixtures("runs_dir")
def test_missing_data_set_is_stated_before_the_launch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    app = launched(drafts.new(DRAFT.with_base({"dataset": "mnist"})))
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
        labels = [button.label for button in launched(identity, job).button]
        assert ("Train these settings" in labels) == offered
