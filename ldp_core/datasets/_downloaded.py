"""Data sets that are downloaded once, by one process at a time while others wait."""

import shutil
import sys
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from filelock import FileLock, Timeout

from ldp_core.datasets._download import FULL, Failed, Remote, download
from ldp_core.datasets.base import Dataset, Report, Step, quiet
from ldp_core.errors import DataUnavailable
from ldp_core.settings import DATA_MIRROR

WAIT_SECONDS = 0.3
DOWNLOADS = "downloads"
MISSING = ("nms", "qnms")
SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


class Downloaded(Dataset):
    """A data set from archives: downloaded to `downloads/` in the data folder, unpacked, and removed."""

    @abstractmethod
    def remotes(self) -> Sequence[Remote]:
        """Archives with the addresses and checksums of torchvision or scikit-learn."""

    @abstractmethod
    def unpack(self, archives: Sequence[Path], root: Path) -> None:
        """Unpack the archives, each file atomically."""

    def fetch(self, root: Path, report: Report = quiet) -> None:
        if self.there(root):
            return
        downloads = root / DOWNLOADS / self.name
        try:
            downloads.mkdir(parents=True, exist_ok=True)
            with self._alone(downloads, report):
                if not self.there(root):  # another process may have brought it meanwhile
                    self._bring(root, downloads, report)
        except Failed as error:
            mirror = f"mend the mirror that {DATA_MIRROR.name} names, or " if DATA_MIRROR.value() else ""
            raise DataUnavailable(
                f"{self.label} is not on this machine and cannot be downloaded ({error}); {mirror}connect to "
                "the internet and launch again, put its files in "
                f"{self.files} of the data folder, or choose the digits, which need no download"
            ) from error
        except OSError as error:
            if error.errno in FULL:
                raise  # the caller has a message for a full disk
            raise DataUnavailable(
                f"{self.label} is not on this machine and the data folder cannot be written "
                f"({error.strerror}); name another folder in EPSILON_DATA_DIR, or choose the digits, which "
                "need no download"
            ) from error

    def _bring(self, root: Path, downloads: Path, report: Report) -> None:
        report(Step(f"Downloading {self.label}", 0, self.download))  # torchvision takes seconds to load
        remotes = [remote.mirrored(self.name) for remote in self.remotes()]
        # the archives and what they hold, which may be six times as large
        needed, free = 7 * self.download, shutil.disk_usage(downloads).free
        if free < needed:
            raise DataUnavailable(
                f"{self.label} needs {needed / 1e6:.0f} MB on the disk of the data folder while it is "
                f"unpacked, and {free / 1e6:.0f} MB are free; remove something and launch again"
            )
        archives, before, most = [downloads / remote.name for remote in remotes], 0, 2 * self.download + 2**20

        def brought(got: int) -> None:
            total = max(self.download, before + got)
            report(Step(f"Downloading {self.label}", before + got, total))

        for remote, target in zip(remotes, archives, strict=True):
            brought(0)
            download(remote, target, most, brought)
            before += target.stat().st_size
        report(Step(f"Unpacking {self.label}"))
        try:
            self.unpack(archives, root)
        except (ValueError, EOFError) as error:
            raise Failed(f"its archive cannot be unpacked: {type(error).__name__}") from error
        for archive in archives:
            archive.unlink()
        shutil.rmtree(downloads / "unpacked", ignore_errors=True)

    @contextmanager
    def _alone(self, downloads: Path, report: Report) -> Iterator[None]:
        """Hold this data set's lock; the system releases it if the process dies."""
        lock = FileLock(downloads / "lock")
        while not lock.is_locked:
            try:
                lock.acquire(timeout=WAIT_SECONDS)
            except Timeout:
                report(Step(f"Waiting for {self.label}, which another job is downloading"))
        try:
            yield
        finally:
            lock.release()


class OfTorchvision(Downloaded):
    def source(self) -> Any:
        """torchvision's class with addresses, checksums and parser."""
        return getattr(load_torchvision().datasets, type(self).__name__)


def load_torchvision() -> ModuleType:
    """torchvision without its compiled operators: PyPI's wheel is compiled for the CUDA build of torch, and
    beside a CPU build its import fails at the first one registered, so two are declared by name.
    """
    try:
        import torchvision
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        import torch

        for operator in MISSING:
            torch.library.define(f"torchvision::{operator}", SIGNATURE)
        import torchvision
    return torchvision
