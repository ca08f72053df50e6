"""Clients speaks only of what can be done there."""

from inspect import unwrap
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import presets
from ldp_core.accounting import least_promised, promise
from ldp_core.experiment import Draft, Variant, changed, parse, plan
from ldp_core.runs import Person, own_data
from ldp_core.runs.record import drafts
from pages.parts.clients.own_data import _use
from pages.parts.clients.unit import promised, with_unit
from pages.parts.ui.text import at_most
from pages.parts.ui.workspace import Workspace
from tests.pages.conftest import Opened

DRAFT = presets.get("two_volunteers").draft


def folded(app: AppTest) -> Any:
    return next(one for one in app.expander if one.label == "Client by client")


def test_rows_are_folded_where_groups_stand_for_them(opened: Opened):
    for budgets, expanded in ((1, False), (DRAFT.base.clients.epsilon, False), ([*range(1, 21)], True)):
        draft = DRAFT.with_base({"clients.epsilon": budgets})
        assert folded(opened("clients", draft=drafts.new(draft))).proto.expanded is expanded


@pytest.mark.usefixtures("_anna")
def test_drafts_of_two_own_tables_have_names_of_their_own(opened: Opened):
    rows = "\n".join(f"{n % 7},{n % 5},{'ab'[n % 2]}" for n in range(60))
    found = []
    for title in ("one", "two"):
        own = own_data.take({f"{title}.csv": f"u,v,label\n{rows}\n".encode()}, "anna")
        identity = drafts.new(DRAFT)
        workspace = Workspace(identity, DRAFT)
        unwrap(_use)(workspace, own)
        found.append(workspace.draft.base)
    assert len({base.name for base in found}) == len({base.dataset for base in found}) == 2


@pytest.fixture
def _anna(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("clients.own_data", "clients.data_names", "ui.workspace"):
        monkeypatch.setattr(f"pages.parts.{module}.visitor", lambda: Person("anna"))


def labelled(app: AppTest, words: str) -> Any:
    return next(one for one in app.button if words in one.label)


@pytest.mark.usefixtures("_anna")
def test_own_data_wait_for_an_answer_on_their_card(opened: Opened):
    rows = "\n".join(f"{n % 6},{n % 5},{'ab'[n % 2]}" for n in range(60))
    own = own_data.take({"har.csv": f"subject,x,label\n{rows}\n".encode()}, "anna")
    app = opened("clients", draft=drafts.new(DRAFT))
    assert labelled(app, "Use them here").disabled and own.name not in own_data.labels("anna")
    labelled(app, "“subject” names").click().run()
    assert not app.exception and not labelled(app, "Use them here").disabled
    labelled(app, "Use them here").click().run()
    draft = drafts.load(
        app.session_state["draft"] if "draft" in app.session_state else app.query_params["draft"]
    )
    assert draft is not None
    assert (draft.base.dataset, draft.base.clients.count) == (own.name, 6)


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
