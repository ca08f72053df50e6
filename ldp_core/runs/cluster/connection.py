"""Connection to the Ray cluster: address, token, which addresses are refused, and the versions on its
machines, which must be equal: they decide the last bits of figures.
"""

import ipaddress
import logging
import os
import platform
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from ldp_core.contract.registries import REGISTRIES
from ldp_core.errors import StudioError
from ldp_core.settings import DATA_MIRROR, ENGINE, RAY_ADDRESS, SLOT_CORES
from ldp_core.system.resources import gpus

ADDRESS, TOKEN = RAY_ADDRESS.name, "RAY_AUTH_TOKEN"
LIKE = f"{ADDRESS} must be {RAY_ADDRESS.reader.wanted}"
KNOCK_SECONDS = 10.0
GONE_SECONDS = 20.0
TRIES, ANSWER_SECONDS = 5, 20  # at a cluster that refuses the connection, a second apart
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "pydantic", "llvmlite")
PLUGGED = "the part "
"""Beginning of a plug-in's entry. One that a machine lacks is not compared: what names it is refused."""
PROBE_SECONDS = 120.0


def connected(address: str) -> Any:
    """The ray module, connected for the life of this process. StudioError: the cluster is refused, is
    unreachable, or has other packages.
    """
    refuse_open(address)
    if os.environ.get(TOKEN):
        os.environ["RAY_AUTH_MODE"] = "token"  # which Ray reads as it is imported
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", str(TRIES))
    os.environ.setdefault("RAY_gcs_server_request_timeout_seconds", str(ANSWER_SECONDS))
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
    passed_on = {one.name: os.environ.get(one.name, "") for one in (ENGINE, DATA_MIRROR)}
    passed_on[SLOT_CORES.name] = "1"
    program = {"py_modules": [str(Path(__file__).parents[2])], "env_vars": passed_on}
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        with _unheard():
            ray.init(address=address, runtime_env=program, **quiet)
    except Exception as error:
        why = " ".join(str(error).split())[:300] or type(error).__name__
        raise StudioError(
            f"the cluster at {address} does not take this program in ({why}): it must run Ray "
            f"{metadata.version('ray')}, this machine must belong to it (ray start --address {address}), and "
            f"{TOKEN} must hold its token, if it has one"
        ) from None
    try:
        refuse_others(own(), probed(ray))
    except StudioError:
        ray.shutdown()
        raise
    return ray


def refuse_open(address: str) -> None:
    """StudioError for a public address without token or encryption: a fake's pickles could run code."""
    host, port = _place(address)
    if os.environ.get(TOKEN) or os.environ.get("RAY_AUTH_MODE") == "token" or _encrypted():
        return
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return  # no answer there, which is said next
    if outside := sorted(one for one in found if not _is_own(one)):
        raise StudioError(
            f"{ADDRESS} names {address}, which is on no private network ({outside[0]}), and whoever answers "
            f"there may run programs on this machine: give the cluster a token and set {TOKEN} to it, or "
            "reach it by a private address"
        )


def _is_own(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_private or address.is_link_local


def _place(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise StudioError(f"{LIKE}; got {address}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def knock(address: str) -> None:
    """StudioError within seconds where no server answers; Ray itself would retry for minutes."""
    try:
        socket.create_connection(_place(address), KNOCK_SECONDS).close()
    except OSError as error:
        why = error.strerror or "no answer"
        raise StudioError(f"no cluster answers at {address} ({why}); {LIKE}") from None


def _encrypted() -> bool:
    return os.environ.get("RAY_USE_TLS", "0") not in ("", "0")


def still_there(answered: float) -> float:
    """Time of its latest answer, now or `answered`; StudioError after GONE_SECONDS of silence. Ray itself
    would end the process after a minute.
    """
    try:
        knock(RAY_ADDRESS.value())
    except StudioError as error:
        if time.monotonic() - answered > GONE_SECONDS:
            raise StudioError(f"the cluster was lost: {error}") from None
        return answered
    return time.monotonic()


@contextmanager
def _unheard() -> Iterator[None]:
    """Silence Ray's start, which writes to stderr below Python, and keep this process's SIGTERM handler."""
    sys.stderr.flush()
    stop = signal.getsignal(signal.SIGTERM)
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        signal.signal(signal.SIGTERM, stop)
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


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
