"""Designs of a draft that is open in two windows."""

from ldp_core.experiment import changed
from ldp_core.presets import get
from ldp_core.runs.view.styles import styles
from pages.parts.noise.designs import Design, views


def test_noise_in_a_sum_has_its_own_name():
    draft = get("two_volunteers").draft
    summed = {"trust.kind": "secure_sum", "clients.epsilon_scope": "run", "clients.epsilon": 8}
    experiment = changed(draft.experiments()[0], summed)
    (view,) = views([Design(0, draft.variants[0], experiment, styles(draft)[0])], 0)
    assert view.name == "Skellam noise in the sum"
