"""Designs of a draft that is open in two windows."""

from ldp_core.experiment import changed
from ldp_core.presets import get
from ldp_core.runs.view.styles import styles
from pages.parts.noise.designs import Design, _changed, _without, views


def test_removed_design_is_not_changed():
    draft = get("two_volunteers").draft
    there = len(draft.variants)
    assert _changed(draft, there, "mechanism.name", "laplace") == draft
    assert _without(draft, there) == draft
    assert _changed(draft, 0, "mechanism.name", "laplace") != draft


def test_noise_in_a_sum_has_its_own_name():
    draft = get("two_volunteers").draft
    summed = {"trust.kind": "secure_sum", "clients.epsilon_scope": "run", "clients.epsilon": 8}
    experiment = changed(draft.experiments()[0], summed)
    (view,) = views([Design(0, draft.variants[0], experiment, styles(draft)[0])], 0)
    assert view.name == "Skellam noise in the sum"
