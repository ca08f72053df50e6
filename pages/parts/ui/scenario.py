"""The scenario that a draft came from, and whether it was changed."""

from ldp_core import presets
from ldp_core.experiment import Draft
from ldp_core.features.base import Features
from ldp_core.presets import Preset
from pages.parts.ui.text import plain


def preset_of(draft: Draft) -> Preset | None:
    found = (presets.get(name) for name in presets.names())
    return next((preset for preset in found if preset.label == draft.base.name), None)


def at_a_glance(preset: Preset) -> str:
    """Text before the first run: the scenario's sentence, and what the features of its question assume."""
    if not preset.glance:
        return ""
    asked = zip(preset.draft.variants, preset.draft.experiments(), strict=True)
    used = {assumed(one.features) for variant, one in asked if variant.label in preset.ask.of}
    return " ".join([plain(preset.glance, 700), *sorted(used)])


def assumed(made: Features) -> str:
    """What features assume to be public, and what an attacker sees of them."""
    return (
        f"Assumed public: {plain(made.assumed[0].lower() + made.assumed[1:], 400)} "
        "An attacker on an upload recovers such numbers, not pixels."
    )


def named(draft: Draft) -> str:
    """Name of the draft, with a mark if it was changed."""
    preset = preset_of(draft)
    edited = preset is not None and preset.draft != draft
    return f"{draft.base.name} (edited)" if edited else draft.base.name
