"""Connection to the Ray cluster: address, token, and which addresses are refused."""

import ipaddress
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from ldp_core.errors import StudioError
from ldp_core.runs.cluster import versions
from ldp_core.settings.table import DATA_MIRROR, ENGINE, RAY_ADDRESS, SLOT_CORES

ADDRESS, TOKEN = RAY_ADDRESS.name, "RAY_AUTH_TOKEN"
LIKE = f"{ADDRESS} must be {RAY_ADDRESS.reader.wanted}"
KNOCK_SECONDS = 10.0
SETTINGS = b"\4"
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + SETTINGS + bytes(5)
"""First bytes of an HTTP/2 client, with empty SETTINGS, which a server answers (RFC 9113, 3.4)."""
GONE_SECONDS = 20.0
TRIES, ANSWER_SECONDS = 5, 20  # at a cluster that refuses the connection, a second apart


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
        versions.refuse_others(versions.own(), versions.probed(ray))
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
    """StudioError within seconds where no Ray server answers; Ray itself would retry for minutes."""
    place = _place(address)
    try:
        with socket.create_connection(place, KNOCK_SECONDS) as door:
            door.sendall(GREETING)
            if not _encrypted() and door.recv(9)[3:4] != SETTINGS:
                raise OSError(0, "what answers is no Ray")
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
