"""Which scenario a draft came from, and whether it is still as it was prepared."""

from __future__ import annotations

from ldp_core import presets
from ldp_core.experiment import Draft
from ldp_core.presets import Preset


def preset_of(draft: Draft) -> Preset | None:
    found = (presets.get(name) for name in presets.names())
    return next((preset for preset in found if preset.label == draft.base.name), None)


def named(draft: Draft) -> str:
    """Its name, with a mark if it is not as the scenario was prepared any more."""
    preset = preset_of(draft)
    edited = preset is not None and preset.draft != draft
    return f"{draft.base.name} (edited)" if edited else draft.base.name
