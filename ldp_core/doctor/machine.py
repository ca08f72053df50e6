"""Checks of the machine: cores, memory, GPU, measured speed."""

from importlib.metadata import PackageNotFoundError, version

from ldp_core.doctor.finding import Finding, note, ok
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.machine.slots import slots
from ldp_core.settings.table import CONNECTIONS, PAGES
from ldp_core.system import resources
from ldp_core.system.open_files import KEPT, PER_PAGE, descriptors

LEAST_MEMORY = 10**9
"""Least useful memory of a training process in bytes; PyTorch takes a fifth of it."""


def cores() -> Finding:
    """Cores and memory, and the number of parallel jobs."""
    shares = slots()
    found = (
        f"{resources.cores()} cores, {resources.memory() / 1e9:.1f} GB; {len(shares)} at a time, each with "
        f"{shares[0].cores} cores and {shares[0].memory / 1e9:.1f} GB"
    )
    if shares[0].memory < LEAST_MEMORY:
        return note(found, "larger models may end for want of memory; fewer EPSILON_SLOTS give each more")
    return ok(found)


def gpu() -> Finding:
    """Whether there is a GPU, and a build of PyTorch for it."""
    devices = resources.gpus()
    try:
        built = version("torch")
    except PackageNotFoundError:
        return note("PyTorch is not installed", "nothing can be trained")
    if devices and built.endswith("+cpu"):
        return note(
            f"{len(devices)}, and PyTorch {built} uses none", "install CUDA wheels of torch and torchvision"
        )
    return ok(f"{len(devices)}, PyTorch {built}" if devices else "none; everything runs on the processor")


def connections() -> Finding:
    room, wanted = descriptors() - KEPT, (CONNECTIONS.value(), PAGES.value())
    connections, pages = min(room, wanted[0]), min(room // PER_PAGE, wanted[1])
    if (connections, pages) != wanted:
        return note(
            f"{max(1, connections)} at most, for {max(1, pages)} pages, "
            f"and {wanted[0]} for {wanted[1]} were to be allowed",
            "raise the limit of open files (ulimit -Hn), or lower EPSILON_CONNECTIONS and EPSILON_PAGES",
        )
    return ok(f"{connections} at most, for {pages} pages")


def speed() -> Finding:
    """Whether this machine's speed is measured."""
    if rates() is None:
        return note(
            "not measured yet: how long jobs take is a guess", "the first worker measures; launch anything"
        )
    return ok("measured; how long jobs take is told before they begin")
