"""All checks of a part, whatever its kind."""

from collections.abc import Callable, Mapping
from typing import Any

from ldp_core import presets
from ldp_core.component import Component
from ldp_core.contract import learning, parts
from ldp_core.contract.in_use import of_any
from ldp_core.contract.mechanism import of_mechanism
from ldp_core.contract.promise import Promise, Promises, require
from ldp_core.contract.registries import REGISTRIES
from ldp_core.errors import InvalidInput, hint, shown
from ldp_core.presets import Preset

OWN: Mapping[str, Callable[[Any], Promises]] = {
    "mechanism": of_mechanism,
    "aggregator": parts.of_aggregator,
    "selection": parts.of_selection,
    "attacker": parts.of_attacker,
    "trust": parts.of_trust,
    "partition": parts.of_partition,
    "dataset": learning.of_dataset,
    "model": learning.of_model,
    "optimizer": learning.of_optimizer,
}


def left_out(name: str) -> str:
    """Why a plug-in was not registered; "" if it was, or if no plug-in has this name."""
    presets.names()
    for registry in REGISTRIES.values():
        registry.names()
        if name in registry.refused:
            return registry.refused[name]
    return presets.refused.get(name, "")


def promises(part: str) -> Promises:
    """Checks of a part by name, or `KIND:NAME` if several kinds have it; raises `InvalidInput` if none."""
    kind, _, name = part.rpartition(":") if part not in REGISTRIES["dataset"].names() else ("", "", part)
    held = [one for one in REGISTRIES if name in REGISTRIES[one].names() and kind in ("", one)]
    for one in held:
        found: Component = REGISTRIES[one].get(name)
        yield from of_any(one, found)
        yield from OWN[one](found) if one in OWN else ()
    if not held and name in presets.names():
        yield from _of_preset(presets.get(name))
    elif not held:
        known = [name for registry in REGISTRIES.values() for name in registry.names()]
        raise InvalidInput(f"there is no part {shown(part)}{hint(part, [*presets.names(), *known])}")


def _of_preset(preset: Preset) -> Promises:
    def kept() -> None:
        require(preset.draft.experiments(), "it has no variants")

    def says() -> None:
        for text in (preset.label, preset.question, preset.lesson, preset.ask.text):
            require(text, "a text is missing")

    yield Promise("its base and variants are experiments", kept)
    yield Promise("it says what it is, asks and teaches", says)
