"""Designs of a draft that is open in two windows."""

from ldp_core.presets import get
from pages.parts.noise.designs import _changed, _without


def test_a_design_that_was_removed_in_another_window_is_not_changed():
    draft = get("two_volunteers").draft
    there = len(draft.variants)
    assert _changed(draft, there, "mechanism.name", "laplace") == draft
    assert _without(draft, there) == draft
    assert _changed(draft, 0, "mechanism.name", "laplace") != draft
