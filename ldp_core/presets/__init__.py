"""Prepared scenarios: one file each, found by discovery, in the order a newcomer should meet them."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ldp_core.errors import UnknownName
from ldp_core.presets import of_systems
from ldp_core.presets.base import Preset


@cache
def _found() -> dict[str, Preset]:
    found = {}
    for package in (__name__, of_systems.__name__):
        for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
            preset = getattr(importlib.import_module(f"{package}.{info.name}"), "PRESET", None)
            if isinstance(preset, Preset):
                found[info.name] = preset
    return dict(sorted(found.items(), key=lambda item: item[1].order))


def names() -> list[str]:
    """Every preset, the default first."""
    return list(_found())


def get(name: str) -> Preset:
    """The preset called `name`.

    Raises:
        UnknownName: there is none.
    """
    try:
        return _found()[name]
    except KeyError:
        raise UnknownName("the preset's name", name, _found()) from None


__all__ = ["Preset", "get", "names"]
