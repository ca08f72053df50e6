"""The panel says what the formulas say, with what each ε is for, or why there is no answer."""

from pathlib import Path

import pytest

from ldp_core import presets
from ldp_core.experiment import parse
from ldp_core.runs.record import drafts
from ldp_core.tuning import inverses
from ldp_core.tuning.inverses import Follows
from pages.parts.tune.formulas import _first, _row, answers
from tests.pages.conftest import drawn

BASE = parse({"clients": {"count": 10, "epsilon": 2}, "rounds": 4})


def page() -> None:
    import streamlit as st

    from ldp_core.runs.record import drafts
    from pages.parts.tune.formulas import formulas
    from pages.parts.ui.workspace import Workspace

    draft = drafts.load(st.session_state["draft"])
    assert draft is not None
    formulas(Workspace(st.session_state["draft"], draft, "tune"))


def test_the_fields_begin_with_what_the_draft_has():
    sigma, epsilon, budget = _first(BASE)
    now = inverses.follows(BASE, 2.0)
    assert epsilon == 2
    assert (sigma, budget) == pytest.approx((now.aggregate, now.run.bound), rel=0.05)


def test_each_field_has_its_answer_and_an_empty_one_none():
    found = dict(answers(BASE, 0.2, 2.0, 700.0))
    assert list(found) == [
        "σ 0.2: the least ε",
        "ε 2",
        "a run’s ε 700: the largest ε",
        "σ 0.2 at ε 2: how many clients",
    ]
    assert found["σ 0.2: the least ε"] == inverses.at_noise(BASE, 0.2)
    assert [name for name, _ in answers(BASE, None, 2.0, None)] == ["ε 2"]
    row = _row("ε 2", inverses.follows(BASE, 2.0))
    assert row[2] == "10" and "δ 10⁻⁵" in row[-1].replace("\\", "")


def test_what_has_no_answer_is_stated_and_not_shown_as_a_figure():
    ((_, why),) = answers(parse({"mechanism": "duchi"}), 1e-12, None, None)
    assert isinstance(why, str) and "must lie between" in why
    assert _row("σ", why)[1:] == ["no answer"] * 5
    clear = parse({"mechanism": "none"})
    assert all(isinstance(one, str) for _, one in answers(clear, *_first(clear)))
    printed = parse({"mechanism": "piecewise", "form": "as_printed"})
    ((_, found),) = answers(printed, None, 2.0, None)
    assert isinstance(found, Follows) and "no guarantee" in _row("ε", found)[-1]


def test_an_answer_is_taken_over_into_the_draft(runs_dir: Path):
    identity = drafts.new(presets.get("two_volunteers").draft)
    app = drawn(page, draft=identity)
    app.number_input[0].set_value(0.1).run()
    assert not app.exception
    assert "one weight of one upload" in app.markdown[0].value.replace("\\", "")
    app.button[0].click().run()
    draft = drafts.load(identity)
    assert draft is not None
    assert draft.base.clients.epsilon == pytest.approx(inverses.at_noise(draft.base, 0.1).epsilon)
