"""The scenario that a draft came from, and whether it was changed."""

from __future__ import annotations

from ldp_core import presets
from ldp_core.experiment import Draft
from ldp_core.presets import Preset


def preset_of(draft: Draft) -> Preset | None:
    found = (presets.get(name) for name in presets.names())
    return next((preset for preset in found if preset.label == draft.base.name), None)


def named(draft: Draft) -> str:
    """Name of the draft, with a mark if it was changed."""
    preset = preset_of(draft)
    edited = preset is not None and preset.draft != draft
    return f"{draft.base.name} (edited)" if edited else draft.base.name
