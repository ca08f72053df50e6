"""Predict, then run: the three states of a scenario's question on Train, and the way around it."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from ldp_core import presets
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.presets.questions import CompletedRun
from ldp_core.runs import queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.lockstep import Turn
from ldp_core.runs.queue.permissions import person
from ldp_core.runs.record import drafts, guesses
from pages.parts.learn import lesson
from pages.parts.learn.lesson import Guessed
from pages.parts.watch import prediction
from pages.parts.watch.prediction import question_about
from tests.extent import every
from tests.pages.conftest import drawn
from tests.runs.in_process import queued, record_of, recorder_of
from tests.runs.processes import PATIENCE_SECONDS

DRAFT = presets.get("two_volunteers").draft
HALVES = presets.get("half_and_half").draft
ME = person("a" * 32).owner or ""


def page() -> None:
    """What Train asks, over the job that it shows."""
    import streamlit as st

    from ldp_core.runs import jobs
    from ldp_core.runs.record import drafts
    from pages.parts.train.launch import title
    from pages.parts.ui.workspace import Workspace
    from pages.parts.watch.prediction import asked, prediction

    draft = drafts.load(st.session_state["draft"])
    assert draft is not None
    workspace = Workspace(st.session_state["draft"], draft, "train")
    job = jobs.look(st.session_state["job"]) if "job" in st.session_state else None
    prediction(workspace, job, asked(workspace, job), beside=title(draft))


def said(app: AppTest) -> str:
    app.run()
    assert not app.exception
    return " ".join(one.value for one in [*app.markdown, *app.caption]).replace("\\", "")


def opened(draft: str) -> AppTest:
    app = AppTest.from_function(page, default_timeout=PATIENCE_SECONDS)
    app.session_state["draft"] = draft
    app.session_state["token of this session"] = "a" * 32  # one and the same browser
    return app


def _button(app: AppTest) -> Button:
    return next(one for one in app.button if one.label == "Guess")


def guess(app: AppTest) -> None:
    _button(app).click().run()


def accuracies(*ends: float) -> list[CompletedRun]:
    return [CompletedRun("mean", seed, end) for seed, end in enumerate(ends)]


@pytest.mark.usefixtures("at_work")
def test_guess_is_shown_before_during_and_after_a_run(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lesson, "me", lambda: ME)
    identity = drafts.new(DRAFT)
    app = opened(identity)
    assert "How accurate will the plain mean be?" in said(app) and "Kept" not in said(app)
    app.slider[0].set_value(60).run()
    assert guesses.of(ME, DRAFT) is None, "a slider that is moved guesses nothing"
    guess(app)
    assert "Kept: 60" in said(app) and "Now press Train" in said(app)
    assert guesses.of(ME, DRAFT) == 60
    same = app.slider[0].proto.id, _button(app).proto.id
    app.slider[0].set_value(61).run()
    assert guesses.of(ME, DRAFT) == 60
    guess(app)
    assert guesses.of(ME, DRAFT) == 61, "it can be changed until the answer is asked for"
    app.slider[0].set_value(60).run()
    guess(app)
    assert (app.slider[0].proto.id, _button(app).proto.id) == same, "the focus stays on them"
    assert guesses.of(ME, DRAFT) == 60
    assert opened(identity).run().slider[0].value == 60, "a reload keeps it"

    app.session_state["job"] = launched = queue.add("run", {"draft": DRAFT.as_json()}, identity)
    assert queue.claim()
    assert "You guessed 60\u202f%**; the runs will tell." in said(app)
    assert not app.slider

    monkeypatch.setattr(prediction, "results_of", lambda job: accuracies(0.18, 0.2, 0.19))
    assert queue.move(launched, "completed")
    assert Guessed.here().is_open("two_volunteers")
    words = said(app)
    assert not Guessed.here().is_open("two_volunteers"), "nor is it asked on Start any more"
    assert "A surprise: you guessed 60\u202f%, and it came out at 19\u202f%" in words
    assert "drowns in the noise of the eighteen" in words, "why"
    monkeypatch.setattr(prediction, "results_of", lambda job: accuracies(0.58, 0.6))
    assert "Well guessed" in said(app)
    monkeypatch.setattr(prediction, "results_of", lambda job: [])
    assert "These runs do not tell; you guessed 60" in said(app)

    # other settings are another question, and Undo brings the first one back
    drafts.update(identity, lambda draft: draft.with_base({"rounds": 40}))
    assert "Guess first" in said(app) and "you guessed" not in said(app)
    drafts.undo(identity)
    assert "you guessed 60" in said(app)


def test_stopped_run_answers_no_guess(runs_dir: Path):
    identity = drafts.new(DRAFT)
    app = opened(identity)
    app.session_state["job"] = launched = queue.add("run", {"draft": DRAFT.as_json()}, identity)
    assert "The runs will tell." in said(app), "nobody has guessed"
    queue.cancel(launched)
    assert "The runs stopped before they could tell." in said(app)


def test_guess_can_be_skipped_and_asked_again(runs_dir: Path):
    identity = drafts.new(HALVES)
    app = opened(identity)
    assert "Will 1/\u2060σ² end more than 5 points ahead" in said(app)
    app.button(f"skip {HALVES.base.name}").click()
    assert "Guess first" not in said(app)
    app = opened(identity)
    assert "Guess first" not in said(app), "it is remembered"
    app.button(f"ask {HALVES.base.name}").click()
    assert "Guess first" in said(app)
    assert _button(app).disabled, "nothing is chosen yet"
    app.segmented_control[0].set_value("no").run()
    assert guesses.of(ME, HALVES) is None
    guess(app)
    assert "Kept" in said(app)
    assert guesses.of(ME, HALVES) == "no"


@pytest.mark.parametrize("name", every(3, presets.names()))  # a page of its own is drawn for each
def test_every_scenario_is_asked_with_a_real_form_element(name: str, runs_dir: Path):
    draft = presets.get(name).draft
    app = opened(drafts.new(draft))
    said(app)
    fields = [*app.slider, *app.segmented_control, *app.selectbox]
    assert [one.label for one in fields] == [presets.get(name).ask.text]


@pytest.mark.parametrize(
    ("change", "asks"),
    [
        ({"rounds": 3, "mechanism.name": "duchi"}, True),
        ({"clients.epsilon": 1.0}, False),
        ({"clients.count": 30}, False),
        ({"partition.kind": "dirichlet"}, False),
        ({"name": "mine"}, False),
        ({"dataset": "mnist_sample"}, False),
        ({"model": "mlp"}, False),
    ],
)
def test_question_is_asked_while_the_draft_fits(change: dict[str, object], asks: bool):
    assert (question_about(DRAFT.with_base(change)) is not None) is asks


PLAIN = Draft(parse({"rounds": 15, "attack": None}), (Variant("run"),))


@pytest.mark.usefixtures("at_work")
def test_the_curves_of_the_one_that_trains_are_shown(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lookup, "ensure_worker", lambda newest: None)
    first, second = (queued(PLAIN, owner=name).id for name in ("anna", "ben"))
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
    job = queued(PLAIN)
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
