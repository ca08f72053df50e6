"""Checks of the program: Python, packages, plug-ins, compiled kernels."""

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, version

from ldp_core import models, presets
from ldp_core.contract.registries import REGISTRIES
from ldp_core.doctor.finding import Finding, note, ok, wrong
from ldp_core.system import native_code, private_files
from ldp_core.system.shipped import PINS

PIN = re.compile(r"^([\w.-]+)==([\w.]+)$", re.MULTILINE)
OPTIONAL = {"llvmlite"}
INSTALL = "pip install -r requirements.txt"
LEAST, TOO_NEW, TRIED = (3, 11), (3, 15), (3, 11)
MOST_NAMED = 5


def python() -> Finding:
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if not LEAST <= sys.version_info[:2] < TOO_NEW:
        return wrong(found, "use Python 3.11 to 3.14")
    if sys.version_info[:2] != TRIED:
        return note(found, "the gate runs with Python 3.11")
    return ok(found)


def packages() -> Finding:
    """Whether installed packages have the pinned versions; builds for a device (`+cpu`) count as equal."""
    if not PINS.exists():
        return note("no requirements.txt beside the program", "nothing says which versions were tested")
    pins = PIN.findall(PINS.read_text(encoding="utf-8"))
    here = {name: _installed(name) for name, _ in pins}
    missing = [name for name, _ in pins if not here[name] and name not in OPTIONAL]
    if missing:
        return wrong(f"missing: {_few(missing)}", INSTALL)
    others = [f"{name} {here[name]}, not {pin}" for name, pin in pins if here[name] not in ("", pin)]
    if others:
        return note(_few(others), f"what was not tested together may not fit; {INSTALL}")
    return ok(f"all {sum(map(bool, here.values()))} as pinned")


def _installed(name: str) -> str:
    """Installed version; "" if missing."""
    try:
        return version(name).partition("+")[0]
    except PackageNotFoundError:
        return ""


def _few(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def parts() -> Finding:
    """Whether all plug-ins were loaded."""
    held = [registry.kind(name) for registry in REGISTRIES.values() for name in registry.names()]
    plugged = [f"{kind.name} ({kind.plugin.rpartition(' ')[0]})" for kind in held if kind.plugin]
    presets.names()
    refused = [why for registry in REGISTRIES.values() for why in registry.refused.values()]
    refused += presets.refused.values()
    return note("; ".join(refused)) if refused else ok(_few(plugged) or "none from outside")


def kernel() -> Finding:
    """Whether fused kernels can be compiled; the kernel stays cached."""
    slower = "convolutional networks are trained by PyTorch, several times slower"
    if reason := native_code.refusal():
        return note(reason, slower)
    from ldp_core.engines.fused.compiled import failure, folder

    if reason := failure(models.get("logistic_regression"), (8, 8), 10):
        return note(reason, slower)
    try:
        if why := private_files.open_to_others(folder()):
            private = "set EPSILON_CACHE_DIR to a folder that this user alone can write"
            return note(f"compiled by llvmlite, and not kept: {why}", private)
    except OSError as error:
        return note(
            f"compiled by llvmlite, and not kept: {folder()} cannot be made ({error.strerror})",
            "set EPSILON_CACHE_DIR",
        )
    return ok("compiled by llvmlite, and kept")
