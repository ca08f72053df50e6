"""Ask: an answer stands there at once, a changed question is a job, and what was found can be taken on."""

import pytest

from ldp_core.experiment import Draft
from ldp_core.runs import Person, jobs, own_data, queue
from ldp_core.runs.record import drafts
from ldp_core.tuning.needs import parse_needs
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
    app.selectbox(key="ask whom of client, 0").select("central").run()
    (job,) = queue.find()
    assert (job.kind, jobs.recent()) == ("ask", [])
    assert settled(job.id).status == "completed"
    app.run()
    assert not app.exception
    assert app.header[0].value != before
    app.number_input(key="ask many digits, 0").set_value(50).run()
    app.number_input(key="ask many digits, 0").set_value(60).run()
    states = {one.status for one in queue.find()}
    assert states == {"completed", "cancelled", "queued"}, "an earlier question is given up"
    app.number_input(key="ask many digits, 0").set_value(50).run()
    (live,) = (one for one in queue.find() if one.live)
    assert live.request["needs"]["clients"] == 50, "and asked anew by who comes back to it"


def test_address_brings_its_question(opened: Opened):
    app = opened("ask", unit="client", trust="central", clients="20", dataset="digits")
    assert app.number_input(key="ask many digits, 1").value == 20
    assert app.selectbox(key="ask whom of client, 1").value == "central"


def test_question_of_a_spoilt_address_is_the_first(opened: Opened):
    app = opened("ask", trust="nobody", clients="[]")
    assert app.header[0].value == opened("ask").header[0].value and queue.find() == []


def test_change_that_is_taken_is_the_question(opened: Opened):
    app = opened("ask")
    next(one for one in app.button if one.label == "Take it").click().run()
    assert not app.exception
    assert app.number_input(key="ask many digits, 1").value == 500


def test_network_of_an_address_is_asked_about(opened: Opened):
    app = opened("ask", dataset="mnist_sample", model="cnn", trust="central", clients="100", epsilon="8")
    assert app.selectbox(key="ask model of mnist_sample, 1").value == "cnn"
    (job,) = queue.find()
    assert job.request["needs"]["model"] == "cnn"


def test_own_table_is_asked_about_with_its_clients(opened: Opened, monkeypatch: pytest.MonkeyPatch):
    rows = [f"{bank},{n % 7},{n % 3},{'yes' if n % 7 > 3 else 'no'}" for bank in "abcde" for n in range(40)]
    table = "\n".join(["client,sum,age,repaid", *rows]).encode()
    own = own_data.take({"loans.csv": table}, "anna")
    for module in ("clients.own_data", "ui.visitor", "ui.shared_cache"):
        monkeypatch.setattr(f"pages.parts.{module}.visitor", lambda: Person("anna"))
    app = opened("ask")
    assert app.button(key=f"about {own.name}").disabled, "what is predicted is open"
    next(one for one in app.button if "repaid" in one.label).click().run()
    app.button(key=f"about {own.name}").click().run()
    assert not app.exception
    assert app.number_input(key=f"ask many {own.name}, 1").value == 5
    (job,) = queue.find()
    asked = job.request["needs"]
    assert (asked["dataset"], asked["clients"]) == (own.name, 5)
    assert parse_needs(asked).designs(4.0)[0].partition.name == "as_given"


def test_design_without_pictures_leads_to_one_that_has_them(opened: Opened):
    design = parse_needs({"unit": "record", "trust": "secure_sum", "clients": 20, "epsilon": 4.0}).designs(
        4.0
    )[0]
    app = opened("attack", draft=drafts.new(Draft.alone(design)))
    attack = next(one for one in app.button if one.label == "Attack")
    assert attack.disabled and app.error
    next(one for one in app.button if one.label.endswith("instead")).click().run()
    assert not app.exception and not app.error
    assert not next(one for one in app.button if one.label == "Attack").disabled
