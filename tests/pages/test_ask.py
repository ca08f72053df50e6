"""Ask: an answer stands there at once, a changed question is a job, and what was found can be taken on."""

import pytest

from ldp_core.runs import jobs, queue
from tests.pages.conftest import Opened
from tests.runs.in_process import settled

pytestmark = pytest.mark.usefixtures("no_worker")


def test_first_answer_needs_no_job(opened: Opened):
    app = opened("ask")
    assert "accuracy" in app.header[0].value
    assert len([one for one in app.button if one.label == "Take it"]) >= 3
    assert queue.find() == []


def test_changed_question_is_one_unlisted_job_and_its_answer_replaces_the_first(opened: Opened):
    app = opened("ask")
    before = app.header[0].value
    app.selectbox(key="ask whom of client").select("central").run()
    (job,) = queue.find()
    assert (job.kind, jobs.recent()) == ("ask", [])
    assert settled(job.id).status == "completed"
    app.run()
    assert not app.exception
    assert app.header[0].value != before
    app.number_input(key="ask many digits").set_value(50).run()
    app.number_input(key="ask many digits").set_value(60).run()
    states = {one.status for one in queue.find()}
    assert states == {"completed", "cancelled", "queued"}, "an earlier question is given up"


def test_address_brings_its_question(opened: Opened):
    app = opened("ask", unit="client", trust="central", clients="20", dataset="digits")
    assert app.number_input(key="ask many digits").value == 20
    assert app.selectbox(key="ask whom of client").value == "central"


def test_question_of_a_spoilt_address_is_the_first(opened: Opened):
    app = opened("ask", trust="nobody", clients="[]")
    assert app.header[0].value == opened("ask").header[0].value and queue.find() == []


def test_change_that_is_taken_is_the_question(opened: Opened):
    app = opened("ask")
    next(one for one in app.button if one.label == "Take it").click().run()
    assert not app.exception
    assert app.number_input(key="ask many digits").value == 500
