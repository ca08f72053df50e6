"""The command `doctor`: checks of the program and its settings on this machine, a printed line each.

Nothing here trains, loads torch, or changes stored data. The settings are those of the calling shell, so run
it where the server is started.
"""

import difflib
import os
import shutil
import tempfile
import textwrap
import time
import tomllib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TextIO

from ldp_core import datasets, lessons, models, papers, presets
from ldp_core import settings as variables
from ldp_core.contract.registries import REGISTRIES
from ldp_core.errors import StudioError, on_one_line, shown
from ldp_core.plugins.candidates import unread
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.machine.slots import slots
from ldp_core.runs.queue.table import looking
from ldp_core.runs.record import quota
from ldp_core.runs.storage import disk_space, inventory
from ldp_core.runs.storage.disk_space import SPARE
from ldp_core.runs.storage.locks_and_heartbeats import STALLED_SECONDS, WORKER, holder, is_waiting
from ldp_core.runs.storage.paths import data_dir, runs_dir
from ldp_core.system import kernel_lock, native_code, open_files, private_files, resources
from ldp_core.system.shipped import CONFIG

LEAST_MEMORY = 10**9
"""Least useful memory of a training process in bytes; PyTorch takes a fifth of it."""
SHORT = 8
"""Characters of a secret that is guessed within hours despite the rate limit."""
CheckResult = tuple[str, str]
"""Grade, "ok", "note" or "wrong", and what was found, with a remedy behind “→”."""


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def parts() -> CheckResult:
    """Whether all plug-ins were loaded."""
    held = [registry.kind(name) for registry in REGISTRIES.values() for name in registry.names()]
    plugged = [f"{kind.name} ({kind.plugin.rpartition(' ')[0]})" for kind in held if kind.plugin]
    presets.names()
    papers.names()
    lessons.languages(), lessons.names()
    refused = [why for registry in REGISTRIES.values() for why in registry.refused.values()]
    refused += [*presets.refused.values(), *papers.refused.values(), *lessons.refused.values()]
    packages = [presets.__name__, *(registry.package for registry in REGISTRIES.values())]
    refused += [f"{file} is ignored: no kind of part has that folder" for file in unread(packages)]
    return ("note", "; ".join(refused)) if refused else ("ok", ", ".join(plugged) or "none from outside")


def kernel() -> CheckResult:
    """Whether fused kernels can be compiled; the kernel stays cached."""
    reason = native_code.refusal()
    if not reason:
        from ldp_core.engines.fused.compiled import failure, folder

        reason = failure(models.get("logistic_regression"), (8, 8), 10)
    if reason:
        return "note", f"{reason} → PyTorch trains, several times slower"
    try:
        why = private_files.open_to_others(folder())
    except OSError as error:
        why = f"{folder()} cannot be made ({error.strerror})"
    cache = "→ set XDG_CACHE_HOME to a folder that this user alone can write"
    return ("note", f"compiled, and not kept: {why} {cache}") if why else ("ok", "compiled, and kept")


def machine() -> CheckResult:
    """Cores, memory, GPUs and how many jobs share them."""
    shares, gpus = slots(), resources.gpus()
    found = (
        f"{resources.cores()} cores, {resources.memory() / 1e9:.1f} GB, {len(gpus)} GPUs; {len(shares)} jobs "
    )
    found += f"at a time, each with {shares[0].cores} cores and {shares[0].memory / 1e9:.1f} GB"
    if shares[0].memory < LEAST_MEMORY:
        return (
            "note",
            f"{found} → larger models may end for want of memory; fewer EPSILON_SLOTS give each more",
        )
    if gpus and _installed("torch").endswith("+cpu"):
        return "note", f"{found} → PyTorch uses no GPU: install CUDA wheels of torch and torchvision"
    return "ok", found if rates() else f"{found}; speed not measured yet: the first worker does"


def runs() -> CheckResult:
    """Whether the folder of runs is usable, has locks, and is closed to other accounts."""
    folder = runs_dir()
    if why := _unwritable(folder):
        return "wrong", f"{folder} cannot be written to ({why}) → set EPSILON_RUNS_DIR"
    if why := kernel_lock.missing(folder):
        return "wrong", f"{folder} has no locks ({why}) → set EPSILON_RUNS_DIR to a disk of this machine"
    if (mode := folder.stat().st_mode) & 0o007:
        return "note", f"{folder} is open to every account of this machine ({mode & 0o777:o}) → chmod 700 it"
    return "ok", str(folder)


def _unwritable(folder: Path) -> str:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def disk() -> CheckResult:
    free, taken, most = shutil.disk_usage(runs_dir()).free, quota.taken(), quota.most_bytes()
    left = inventory.taken()
    more = ", ".join(f"{count} {inventory.KINDS[kind].what}" for kind, (count, _) in left.items())
    beside = sum(size for _, size in left.values())
    found = f"{free / 1e9:.1f} GB free; runs take {taken / 1e9:.2f} of {most / 1e9:g} GB"
    found += f", and {beside / 1e6:.1f} MB what visitors left beside ({more or 'nothing'})"
    if disk_space.out_of_files():
        return "wrong", f"{found}, and no inodes are left → delete files of any kind on that disk"
    if free < SPARE:
        return "wrong", f"{found} → nothing is launched below {SPARE / 1e9:g} GB; delete runs, or make room"
    others = sum(map(inventory.most_bytes, inventory.KINDS.values()))
    if free + taken + beside < most + others + SPARE:
        return "note", f"{found} → the disk is full before the quota is; lower EPSILON_QUOTA_GB"
    return "ok", found


def queue() -> CheckResult:
    with looking() as db:
        query = "SELECT status, COUNT(*) FROM jobs GROUP BY status ORDER BY status"
        jobs = ", ".join(f"{count} {status}" for status, count in db.execute(query)) if db else ""
    if (noted := holder(runs_dir() / WORKER)) is None:
        return "ok", f"jobs: {jobs or 'none'}; no worker: a launch, or the server, starts one"
    silent = time.time() - (runs_dir() / WORKER).stat().st_mtime
    if silent > STALLED_SECONDS and not is_waiting(noted):
        return "note", f"{noted.in_words()}, not heard of for {silent:.0f} s → kill -CONT, or kill -KILL it"
    return "ok", f"jobs: {jobs or 'none'}; {noted.in_words()}"


def data() -> CheckResult:
    folder, names = data_dir(), datasets.registry.labels()
    missing = [name for name in names if not datasets.get(name).there(folder)]
    above = next(one for one in (folder, *folder.parents) if one.is_dir())
    notes = [*datasets.registry.unusable()]
    if why := _unwritable(above):
        notes.append(f"{folder} cannot be written to ({why}) → for more set EPSILON_DATA_DIR")
    there = (
        f"{len(names) - len(missing)} data sets in {folder}; to be fetched: {', '.join(missing) or 'none'}"
    )
    return ("note", "; ".join(notes)) if notes else ("ok", there)


def settings() -> CheckResult:
    """Whether every set variable exists and is valid."""
    known = [one.name for one in variables.SETTINGS]
    given = sorted(name for name in os.environ if name.startswith("EPSILON_"))
    variables.refuse_nonsense()
    for name in given:
        if name not in (*known, *variables.INTERNAL, *variables.GONE):
            near = difflib.get_close_matches(name, known, 1, cutoff=0.8)
            return (
                "wrong" if near else "note",
                f"nothing reads {shown(name)}{' → ' if near else ''}{''.join(near)}",
            )
    if gone := variables.given_and_gone():
        return "note", "; ".join(gone)
    return "ok", ", ".join(given) or "none: all by default"


def teacher() -> CheckResult:
    """Whether a teacher's secret is set; it is never printed."""
    if not (secret := variables.TEACHER.value()):
        return "note", f"no secret is set: nobody stops others' jobs from a page → {variables.TEACHER.name}"
    return "note" if len(secret) < SHORT else "ok", f"a secret of {len(secret)} characters is set"


def visitors() -> CheckResult:
    """How many pages may be open, and how addresses and host names are told apart."""
    server = tomllib.loads(CONFIG.read_text(encoding="utf-8")).get("server", {}) if CONFIG.exists() else {}
    given = os.environ.get("STREAMLIT_SERVER_ALLOWED_HOSTS")
    names = given.replace(",", " ").split() if given else [str(one) for one in server.get("allowedHosts", [])]
    pages, header = open_files.most_pages(), variables.ADDRESS_HEADER.value()
    told = f"the header {header}, which only a proxy may write" if header else "their connections"
    found = f"{pages} pages at most; addresses by {told}; answers to {', '.join(names) or 'any name'}"
    if not names or "*" in names:
        return (
            "note",
            f"{found} → another site's name may be made to lead here; name the host that people type",
        )
    if pages < variables.PAGES.value():
        return "note", f"{found} → for {variables.PAGES.value()} raise the limit of open files (ulimit -Hn)"
    return "ok", found


CHECKS: dict[str, Callable[[], CheckResult]] = {
    "parts": parts, "compiled kernel": kernel, "machine": machine,
    "folder of runs": runs, "disk, quota": disk, "queue": queue, "data sets": data, "settings": settings,
    "teacher": teacher, "visitors": visitors,
}  # fmt: skip


def doctor(out: TextIO | None = None) -> int:
    """Print the result of each check; 1 if one is "wrong", else 0."""
    failed = False
    for name, check in CHECKS.items():
        grade, found = checked(check)
        failed |= grade == "wrong"
        first = f"{grade:<6}{name:<16}"
        indent = " " * len(first)
        print(
            textwrap.fill(on_one_line(found), 110, initial_indent=first, subsequent_indent=indent), file=out
        )
    return int(failed)


def checked(check: Callable[[], CheckResult]) -> CheckResult:
    """Result of one check; an exception counts as "wrong"."""
    try:
        return check()
    except StudioError as error:
        return "wrong", str(error)
    except Exception as error:  # a report that breaks off tells nothing of what follows
        return "wrong", f"cannot be looked at ({type(error).__name__}: {error})"
