"""Versions that decide the last bits of figures, compared between the machines of a cluster."""

import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from ldp_core.contract.registries import REGISTRIES
from ldp_core.errors import StudioError
from ldp_core.system.resources import gpus

PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "pydantic", "llvmlite")
PLUGGED = "the part "
"""Beginning of a plug-in's entry. One that a machine lacks is not compared: what names it is refused."""
PROBE_SECONDS = 120.0


def refuse_others(own: Mapping[str, str], theirs: Mapping[str, Mapping[str, str]]) -> None:
    """Raise StudioError where a machine of the cluster has other versions than this one."""
    for machine, versions in theirs.items():
        needed = [name for name in own if name in versions or not name.startswith(PLUGGED)]
        if other := [name for name in needed if versions.get(name) != own[name]]:
            words = ", ".join(f"{name} {versions.get(name, 'none')} (here {own[name]})" for name in other)
            raise StudioError(
                f"the machine {machine} of the cluster would give other bits: it has {words}; install the "
                "same there, or take it out of the cluster"
            )


def own() -> dict[str, str]:
    """Versions that decide the bits on this machine."""
    found = {"Python": platform.python_version(), "GPUs": _some(gpus())}
    here = ((name, metadata.distributions(name=name)) for name in PACKAGES)
    found |= {name: next((one.version for one in known), "none") for name, known in here}
    parts = [registry.kind(name) for registry in REGISTRIES.values() for name in registry.names()]
    return found | {f"{PLUGGED}{one.name}": one.plugin for one in parts if one.plugin}


def probed(ray: Any) -> dict[str, dict[str, str]]:
    """Versions on each machine, by its address; StudioError where one cannot run this program, or none is."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    probe = ray.remote(num_cpus=0, max_retries=1)(own)
    asked = {}
    for node in ray.nodes():
        if node["Alive"] and node["Resources"].get("CPU"):
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            machine = f"{node['NodeManagerAddress']}:{node['NodeManagerPort']}"
            asked[machine] = node, probe.options(scheduling_strategy=there).remote()
    found = {}
    for machine, (node, answer) in asked.items():
        try:
            found[machine] = ray.get(answer, timeout=PROBE_SECONDS)
        except (ray.exceptions.TaskUnschedulableError, ray.exceptions.NodeDiedError):
            continue  # it was lost, and the cluster is about to notice: nothing is trained there
        except ray.exceptions.RayError as error:
            last = str(error).strip().splitlines()[-1][:200]
            raise StudioError(
                f"the machine {machine} of the cluster cannot run this program ({last}): install there what "
                "tests/requirements-ray.txt names, or take it out of the cluster"
            ) from None
        found[machine]["GPUs"] = _some(node["Resources"].get("GPU"))
    if not found:
        raise StudioError("the cluster has no machine that trains; look at it with `ray status`")
    return found


def _some(number: object) -> str:
    return "some" if number else "none"
