"""The question whose secret ε covers, and what the pages say of its answer."""

import pytest

from ldp_core import presets
from ldp_core.accounting import least_promised, promise
from ldp_core.experiment import Draft, Variant, changed, parse, plan
from ldp_core.runs.record import drafts
from pages.parts.clients.unit import promised, with_unit
from pages.parts.ui.text import at_most
from tests.pages.conftest import Opened

RECORD = parse({"unit": "record", "clients": {"count": 10, "epsilon": 1}})
PAGES = ("clients", "noise", "train", "attack", "tune", "compare")


@pytest.mark.parametrize("page", PAGES)
def test_pages_open_with_records_and_without_a_client_unit(page: str, opened: Opened) -> None:
    app = opened(page, draft=drafts.new(Draft(RECORD, (Variant("run"),), 1)))
    assert not app.exception
    said = " ".join(one.value for one in app.caption)
    assert ("10 records" in said) or page != "clients"
    assert "The budget is for a" not in [one.label for one in app.selectbox]


def test_answer_each_record_is_kept_with_its_fields(opened: Opened) -> None:
    identity = drafts.new(presets.get("two_volunteers").draft)
    app = opened("clients", draft=identity)
    (asked,) = [one for one in app.segmented_control if one.label == "Whose secret is it?"]
    asked.set_value("record").run()
    assert not app.exception
    kept = drafts.load(identity)
    assert kept and kept.base.unit == "record" and kept.base.local.clip
    assert [*kept.experiments()]


def test_every_preset_takes_records_or_says_why() -> None:
    for name in presets.names():
        draft = presets.get(name).draft
        try:
            found = with_unit(draft, "record")
        except ValueError as error:
            assert str(error)
        else:
            rows = [
                e for e, v in zip(found.experiments(), found.variants, strict=True) if "unit" not in v.set
            ]
            assert {one.unit for one in rows} == {"record"}


def test_promise_in_words_states_epsilon_of_record_and_of_ten() -> None:
    entry = promise(plan(RECORD), least_promised(plan(RECORD)))
    words = promised(RECORD)
    assert entry.some and entry.whole
    for one in (entry.run_worst, entry.some, entry.whole):
        assert at_most(one.bound) in words
    assert "56 of 100" in words
    assert "record" not in promised(changed(RECORD, {"unit": "client"}))
