"""Prepared scenarios, one file each, found by discovery, in the order for newcomers; plug-ins last."""

from functools import cache

from ldp_core.errors import InvalidInput, named
from ldp_core.plugins.candidates import Candidate, built_in, by_order, outside
from ldp_core.presets import of_systems, of_trusts
from ldp_core.presets.base import Preset

refused = dict[str, str]()
"""Why a plug-in scenario was left out, by name; complete after discovery."""


@cache
def _found() -> dict[str, Preset]:
    found = dict[str, Preset]()
    for room in (__name__, of_systems.__name__, of_trusts.__name__):
        found |= built_in(room, "PRESET", Preset)
    found = by_order(found)
    return found | outside(__name__, _admitted, refused, found)


def _admitted(candidate: Candidate) -> Preset:
    loaded = candidate.load()
    preset = getattr(loaded, "PRESET", loaded)
    if not isinstance(preset, Preset):
        raise InvalidInput("it is no ldp_core.presets.Preset, nor a module with one as PRESET")
    preset.draft.experiments()
    return preset


def names() -> list[str]:
    return list(_found())


def of_papers() -> list[str]:
    """Scenarios of the published systems."""
    own = built_in(of_systems.__name__, "PRESET", Preset)
    return [name for name in names() if name in own]


def get(name: str) -> Preset:
    return named("the preset's name", name, _found(), refused.get(name, ""))
