"""Base class of data sets: properties known before loading, and loading."""

import math
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component
from ldp_core.errors import DataUnavailable
from ldp_core.limits import spelled

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Data:
    """Samples in memory as float32 (n, *shape), labels as int64 (n,). Pixels are in [0, 1]."""

    train_x: NDArray[np.float32]
    train_y: Labels
    test_x: NDArray[np.float32]
    test_y: Labels
    classes: int
    owned: int = 0
    """Number of leading training samples of the first clients, one each; the rest is partitioned."""

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.train_x.shape[1:])


@dataclass(frozen=True)
class Step:
    doing: str
    """Name of a preparatory step; "" for the job's own work."""
    done: float = 0
    total: float = 0
    """Amount of work of the step; 0 if unknown."""
    unit: str = "bytes"

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 0.0

    def __str__(self) -> str:
        if not self.total:
            return self.doing
        if self.unit == "bytes":
            return f"{self.doing}: {self.done / 1e6:.1f} of {self.total / 1e6:.1f} MB"
        phase = f"{self.doing}: " if self.doing else ""
        return f"{phase}{spelled(int(self.done))} of {spelled(math.ceil(self.total))} {self.unit}"


Report = Callable[[Step], None]


def quiet(step: Step) -> None:
    """Progress callback that does nothing."""


class Dataset(Component):
    """A data set; everything except the samples is known without loading."""

    shape: ClassVar[tuple[int, ...]]
    """Shape of one sample: (height, width), (channels, height, width), or (features,)."""
    classes: ClassVar[int]
    class_names: ClassVar[tuple[str, ...]]
    train_size: ClassVar[int]
    test_size: ClassVar[int]
    images: ClassVar[bool] = True
    """False if samples are no images, and are never shown or attacked as such."""
    download: ClassVar[int] = 0
    """Bytes of the first download."""
    files: ClassVar[str] = ""
    """Folder of its files below the data folder; "" for data shipped with a library."""
    also_from: ClassVar[str] = ""
    """Other sources of the files, as the end of a sentence; "" if there are none."""
    left_out: ClassVar[str] = ""
    """Sentence on files that are not read."""
    learnt: ClassVar[str] = ""
    """Information from training samples in all samples before any mechanism, so that no ε covers it."""
    clients: ClassVar[int] = 0
    """Number of clients named by the data; 0 if they name none."""
    rows_each: ClassVar[int] = 0
    """Largest number of samples of one person; 0 if the data do not name persons."""
    version: ClassVar[str] = ""
    """Version of data that can change, part of a run's key; "" for constant data."""

    def load(self, root: Path, report: Report = quiet) -> Data:
        """Samples and labels from `root` or a library; downloaded to `root` if missing. DataUnavailable, with
        a remedy, if they are damaged or cannot be downloaded.
        """
        self.fetch(root, report)
        try:
            data = self.read(root, report)
        except (OSError, ValueError, RuntimeError, AssertionError, EOFError) as error:
            why = error.strerror if isinstance(error, OSError) else None
            raise self._damaged(f"cannot be read ({why or 'cut short, or changed'})") from error
        for x, y, size in (
            (data.train_x, data.train_y, self.train_size),
            (data.test_x, data.test_y, self.test_size),
        ):
            if x.shape != (size, *self.shape) or y.shape != (size,):
                found = " × ".join(map(str, x.shape))
                raise self._damaged(f"hold {found} numbers where {size} samples of {self.shape} should be")
            if y.min() < 0 or y.max() >= self.classes:
                raise self._damaged(f"hold the label {y.max()} where there are {self.classes} classes")
        return data

    def there(self, root: Path) -> bool:
        return True

    def fetch(self, root: Path, report: Report = quiet) -> None:
        """Download missing files to `root`, or DataUnavailable with a remedy; nothing by default."""

    def check(self, root: Path, report: Report = quiet) -> None:
        """Verify every file on this machine; DataUnavailable with everything that is wrong."""
        self.load(root, report)

    @abstractmethod
    def read(self, root: Path, report: Report) -> Data:
        """Samples and labels from existing files; any error counts as damage."""

    def train_labels(self, root: Path) -> Labels | None:
        """Training labels in the order of `load`, without torch; None before a download or first reading."""
        with suppress(OSError, ValueError, EOFError):
            return self.labels(root).astype(np.int64)
        return None

    def labels(self, root: Path) -> NDArray[Any]:
        """Training labels for `train_labels`; any error counts as none."""
        raise FileNotFoundError

    @property
    def owners(self) -> Labels | None:
        """Client of each training sample, counted from 0; None if the data do not say whose a sample is."""
        return None

    @property
    def features(self) -> int:
        return int(np.prod(self.shape))

    @property
    def memory(self) -> int:
        """Bytes while loaded: a float32 and a source byte per number."""
        return 5 * self.features * (self.train_size + self.test_size)

    def _damaged(self, how: str) -> DataUnavailable:
        if not self.files:
            return DataUnavailable(f"{self.label}: its data {how}; install the packages of the README again")
        again = "and launch again, then it is downloaded anew" if self.download else "and put it there anew"
        return DataUnavailable(
            f"{self.label}: its files {how}; remove {self.files} from the data folder {again}"
        )
