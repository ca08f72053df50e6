"""A page that is drawn in the moment in which its job ends, or is taken up, shows the job as it is."""

import pytest

from ldp_core import presets
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import queue
from tests.pages.conftest import drawn

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
