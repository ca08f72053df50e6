"""Version of what the program computes, by hand: stored results carry it, and it is part of their keys.

`tests/behaviour/results.json` has a short run of every part and engine. Where one comes out otherwise,
VERSION is raised and the table recorded anew; renaming, comments and new parts keep it.
"""

from collections.abc import Iterable

from ldp_core import attacks
from ldp_core.contract.registries import REGISTRIES
from ldp_core.experiment import Experiment
from ldp_core.experiment.attack_grid import Ladder

VERSION = 1

PartName = tuple[str, str]
"""A kind of part (`ldp_core.contract.registries`) and a name."""


def version(*of: Experiment | Ladder) -> str:
    """The version, and those of the plug-ins that these use."""
    return "+".join([str(VERSION), *plugged(part for one in of for part in _parts_of(one))])


def version_for(request: str) -> str:
    """The version, and those of the plug-ins that a job's request names."""
    names = ((kind, name) for kind, registry in REGISTRIES.items() for name in registry.names())
    return "+".join([str(VERSION), *plugged(part for part in names if f'"{part[1]}"' in request)])


def _parts_of(one: Experiment | Ladder) -> set[PartName]:
    """Parts that an experiment or attack grid uses, all possible attackers included."""
    if isinstance(one, Ladder):
        tried = (_parts_of(one.experiment(mechanism)) for mechanism in (None, *one.mechanisms))
        return set().union(*tried, _attackers(), {("server", one.server.name)})
    used = {
        ("aggregator", one.aggregator.name),
        ("dataset", one.dataset),
        ("features", one.features.name),
        ("mechanism", one.mechanism.name),
        ("model", one.model.name),
        ("optimizer", one.local.optimizer.name),
        ("partition", one.partition.name),
        ("selection", one.selection.name),
        ("trust", one.trust.name),
    }
    used |= {("system", one.system.name)} if one.system else set()
    return used | _attackers() | {("server", one.attack.server.name)} if one.attack else used


def _attackers() -> set[PartName]:
    return {("attacker", name) for name in attacks.names()}


def plugged(parts: Iterable[PartName]) -> list[str]:
    """Plug-ins among the parts, with their versions."""
    return sorted({REGISTRIES[kind].kind(name).plugin for kind, name in parts} - {""})
