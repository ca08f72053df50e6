"""The same cells on a Ray cluster, where the environment names one; else here.

This process stays the only one that writes the record: machines of the cluster train, and send figures back.
The program travels with the work, so a machine needs no more than the same packages, which is seen to before
anything is trained. Ray starts a batch of cells once more whose process or machine was lost; whoever stops
this process kills what it has begun there. Ray is optional (tests/requirements-ray.txt), and no other file
imports it. Cells are trained on processors there, not on GPUs.
"""

from __future__ import annotations

import math
import os
import platform
import socket
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from ldp_core.datasets import Step, Told, quiet
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, parse
from ldp_core.runs.train_all import Figures
from ldp_core.runs.train_all import train_all as train_here
from ldp_core.system.resources import gpus

ADDRESS, TOKEN = "EPSILON_RAY_ADDRESS", "EPSILON_RAY_TOKEN"
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "pydantic", "llvmlite")
"""Of which another version may give other bits."""
KNOCK_SECONDS = 5.0
PROBE_SECONDS = 120.0
BATCHES_EACH = 4
"""Of a core: so that one that is slower does not keep all others waiting."""
AGAIN = 1
"""How often a batch is begun anew that was lost with its process or machine."""


def train_all(experiments: Sequence[Experiment], told: Told = quiet) -> Iterator[tuple[int, Figures]]:
    """As `runs.train_all.train_all`, on the cluster that EPSILON_RAY_ADDRESS names, if it names one.

    Raises:
        StudioError: nobody answers there, the token is not the cluster's, or its packages are others.
    """
    address = os.environ.get(ADDRESS, "").strip()
    if not address:
        yield from train_here(experiments, told)
        return
    told(Step("connecting to the cluster"))
    yield from _trained(_connected(address), experiments)


def _trained(ray: Any, experiments: Sequence[Experiment]) -> Iterator[tuple[int, Figures]]:
    task = ray.remote(num_cpus=1, max_retries=AGAIN)(_batch)
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
    under_way = {
        task.remote([experiments[i].as_json() for i in places]): places
        for places in batches(experiments, cores)
    }
    try:
        while under_way:
            (done,), _ = ray.wait(list(under_way), num_returns=1)
            places = under_way.pop(done)
            try:
                found, why = ray.get(done)
            except ray.exceptions.RayError as error:
                lost = f"lost twice on the cluster ({type(error).__name__})"
                yield from ((place, Figures("failed", message=lost)) for place in places)
                continue
            if why:
                raise StudioError(f"on the cluster: {why}")
            yield from ((places[place], Figures(**figures)) for place, figures in found)
    finally:
        for left in under_way:
            ray.cancel(left, force=True)


def batches(experiments: Sequence[Experiment], cores: int) -> list[list[int]]:
    """The places of the experiments, as many together as are worth training together, and several batches for
    each core.
    """
    from ldp_core.fold import at_once

    most = max(1, math.ceil(len(experiments) / (BATCHES_EACH * cores)))
    found: list[list[int]] = []
    for place, experiment in enumerate(experiments):
        room = min(most, at_once(experiment))
        if not found or len(found[-1]) >= room or experiments[found[-1][0]].dataset != experiment.dataset:
            found.append([])
        found[-1].append(place)
    return found


def _batch(wanted: list[dict[str, Any]]) -> tuple[list[tuple[int, dict[str, Any]]], str]:
    """On a machine of the cluster: what the cells came to, and what went wrong, if anything did."""
    from ldp_core.runs.lockstep import one_thread

    one_thread()
    try:
        experiments = [parse(one) for one in wanted]
        return [(place, figures.as_json()) for place, figures in train_here(experiments)], ""
    except StudioError as error:
        return [], str(error)


def _connected(address: str) -> Any:
    """Ray, connected to a cluster that has the same packages; it stays so for as long as this process lives.

    Raises:
        StudioError: in a sentence.
    """
    try:
        import ray
    except ImportError:
        raise StudioError(
            f"{ADDRESS} names a cluster, and Ray is not installed here: pip install -r "
            "tests/requirements-ray.txt, or unset it"
        ) from None
    if ray.is_initialized():
        return ray
    knock(address)
    if token := os.environ.get(TOKEN, "").strip():
        os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token})
    package = str(Path(__file__).parents[1])
    try:
        ray.init(
            address=address,
            runtime_env={"py_modules": [package], "env_vars": _passed_on()},
            log_to_driver=False,
            logging_level="ERROR",
        )
    except Exception as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise StudioError(
            f"the cluster at {address} does not take this program in: {first[:200]}; it must run Ray "
            f"{metadata.version('ray')}, and {TOKEN} must hold its token, if it has one"
        ) from None
    try:
        refuse_others(_versions(), _probed(ray))
    except StudioError:
        ray.shutdown()
        raise
    return ray


def knock(address: str) -> None:
    """Do nothing if somebody answers at HOST:PORT.

    Raises:
        StudioError: nobody does, or that is no address.
    """
    host, _, port = address.rpartition("//")[2].rpartition(":")
    like = f"{ADDRESS} must be HOST:PORT, as `ray start` prints it, like 10.0.0.5:6379"
    if not host or not port.isdecimal() or int(port) > 65535:
        raise StudioError(f"{like}; got {address}")
    try:
        socket.create_connection((host, int(port)), KNOCK_SECONDS).close()
    except OSError as error:
        why = error.strerror or "no answer"
        raise StudioError(f"no cluster answers at {address} ({why}); {like}") from None


def refuse_others(own: dict[str, str], theirs: dict[str, dict[str, str]]) -> None:
    """Do nothing where all machines of a cluster have what this one has.

    Raises:
        StudioError: which machine has what else.
    """
    for machine, versions in theirs.items():
        if other := [name for name in own if versions.get(name) != own[name]]:
            words = ", ".join(f"{name} {versions.get(name, 'none')} (here {own[name]})" for name in other)
            raise StudioError(
                f"the machine {machine} of the cluster would give other bits: it has {words}; install the "
                "same there, or take it out of the cluster"
            )


def _probed(ray: Any) -> dict[str, dict[str, str]]:
    """The versions on each machine that is there, by its address."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    probe = ray.remote(num_cpus=0, max_retries=AGAIN)(_versions)
    asked = {}
    for node in ray.nodes():
        if node["Alive"]:
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            asked[f"{node['NodeManagerAddress']}:{node['NodeManagerPort']}"] = probe.options(
                scheduling_strategy=there
            ).remote()
    found = {}
    for machine, answer in asked.items():
        try:
            found[machine] = ray.get(answer, timeout=PROBE_SECONDS)
        except (ray.exceptions.TaskUnschedulableError, ray.exceptions.NodeDiedError):
            continue  # it was lost, and the cluster is about to notice: nothing is trained there
        except ray.exceptions.RayError as error:
            last = str(error).strip().splitlines()[-1][:200]
            raise StudioError(
                f"the machine {machine} of the cluster cannot run this program: {last}"
            ) from None
    if not found:
        raise StudioError("the cluster has no machine that answers; look at it with `ray status`")
    return found


def _versions() -> dict[str, str]:
    """What decides the bits on this machine."""
    found = {"Python": platform.python_version(), "GPUs": "some" if gpus() else "none"}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def _passed_on() -> dict[str, str]:
    """What a machine of the cluster must be told: one thread a cell, and which engine was asked for."""
    kept = ("EPSILON_ENGINE", "EPSILON_DATA_MIRROR")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"EPSILON_CORES": "1"}
