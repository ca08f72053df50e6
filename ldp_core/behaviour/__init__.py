"""Version of what the program computes: a digest of recorded results of short runs and of shipped data.

Stored results carry `version`. It changes when a recorded result of a part in use changes; renaming, comments
and changes of other parts keep it. Each part of each registry is recorded by itself. After adding or changing
a part, run `python -m ldp_core.behaviour --record`.
"""

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
"""A kind of part (`ldp_core.contract.registries`) and a name."""


def version(*of: Experiment | Ladder) -> str:
    """Eight hex digits for these parts and the versions of plug-ins among them; by default all built-in."""
    if of:
        return _version(frozenset(part for one in of for part in parts_of(one)))
    every = {(kind, name) for kind, registry in REGISTRIES.items() for name in own(registry)}
    return _version(frozenset(every | {("ladder", "")}))


def version_for(request: str) -> str:
    """Version of the program for a job's request: of all built-in parts and of the plug-ins it names."""
    names = {(kind, name) for kind, registry in REGISTRIES.items() for name in registry.names()}
    return "+".join([version(), *plugged(part for part in names if f'"{part[1]}"' in request)])


def parts_of(one: Experiment | Ladder) -> set[Part]:
    """Parts that an experiment or attack grid uses, all possible attackers included."""
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
    used |= {("trust", one.trust.name)} - {("trust", "local")}
    return used | _attackers() if one.attack else used


def _attackers() -> set[Part]:
    return {("attacker", name) for name in attacks.names()}


@cache
def _recorded() -> dict[str, dict[str, Any]]:
    """Recorded results as this process first read them: the file may be replaced meanwhile."""
    return read_json(RECORDED)


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
    """Plug-ins among the parts, with their versions; plug-ins are not recorded."""
    return sorted({REGISTRIES[kind].kind(name).plugin for kind, name in parts} - {""})


def own(registry: Registry[Any]) -> list[str]:
    """Names of the built-in parts, which are recorded; no plug-ins and no folders of images."""
    return [name for name in registry.names() if not registry.kind(name).plugin and ":" not in name]
