"""What the program computes: figures of a fixed set of short runs and of its data, recorded beside this file.

`version` stands beside everything that is stored. It changes when a figure changes that was recorded of a
part in use: a rename or a comment keeps every stored run, and so does a part that joins or changes elsewhere.
Each part of each registry is in the set by itself. Who adds one, or changes what is computed, runs
`python -m ldp_core.behaviour --record`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from ldp_core import attacks
from ldp_core.component import Registry
from ldp_core.contract.registries import REGISTRIES
from ldp_core.experiment import Experiment
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.system.json_file import read_json

RECORDED = Path(__file__).with_name("recorded.json")
Part = tuple[str, str]
"""A kind (`ldp_core.contract.registries`) and a name."""


def version(*of: Experiment | Ladder) -> str:
    """Eight hex digits for what these compute, and what is plugged in among their parts; or for all that is
    the program's own.
    """
    every = {(kind, name) for kind, registry in REGISTRIES.items() for name in own(registry)} | {
        ("ladder", "")
    }
    return _version(frozenset(part for one in of for part in parts_of(one)) if of else frozenset(every))


def version_for(request: str) -> str:
    """Version of the program for a job's request: of all built-in parts and of the plug-ins it names."""
    names = {(kind, name) for kind, registry in REGISTRIES.items() for name in registry.names()}
    return "+".join([version(), *plugged(part for part in names if f'"{part[1]}"' in request)])


def parts_of(one: Experiment | Ladder) -> set[Part]:
    """Parts that an experiment uses, all possible attackers included."""
    if isinstance(one, Ladder):
        tried = [parts_of(one.experiment(mechanism)) for mechanism in (None, *one.mechanisms)]
        return set().union(*tried, _attackers(), {("ladder", "")})
    used = {
        ("aggregator", one.aggregator.name),
        ("dataset", one.dataset),
        ("mechanism", one.mechanism.name),
        ("model", one.model.name),
        ("optimizer", one.local.optimizer.name),
        ("partition", one.partition.name),
        ("selection", one.selection.name),
    }
    used |= set() if one.features.identity else {("features", one.features.name)}
    used |= {("system", one.system.name)} if one.system else set()
    return used | _attackers() if one.attack else used


def _attackers() -> set[Part]:
    return {("attacker", name) for name in attacks.names()}


@cache
def _recorded() -> dict[str, dict[str, Any]]:
    """Recorded behaviour, read once per process, as files may be replaced meanwhile."""
    known: dict[str, dict[str, Any]] = read_json(RECORDED)
    return known


@cache
def _version(used: frozenset[Part]) -> str:
    kinds = {kind for kind, _ in used} | {"setting"}
    lines = []
    for name, figures in sorted(_recorded().items()):
        kind, _, rest = name.partition(" ")
        if kind in kinds and (kind not in REGISTRIES or (kind, rest.partition(",")[0]) in used):
            lines.append(f"{name} {json.dumps(figures, sort_keys=True)}")
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]
    return "+".join([digest, *plugged(part for part in used if part[0] in REGISTRIES)])


def plugged(parts: Iterable[Part]) -> list[str]:
    """Parts from outside with their versions; they are not recorded here."""
    return sorted({REGISTRIES[kind].kind(name).plugin for kind, name in parts} - {""})


def own(registry: Registry[Any]) -> list[str]:
    """The names of the parts that are the program's own, and so recorded; no folder of images."""
    return [name for name in registry.names() if not registry.kind(name).plugin and ":" not in name]
