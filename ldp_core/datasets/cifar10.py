"""CIFAR-10: 60 000 colour photographs of 32 × 32 pixels, through torchvision.

Its files are Python pickles, which can run code. torchvision checks each file's MD5 before opening any, also
for files that a user has placed; unpacked files come from an archive with a verified checksum.
"""

import contextlib
import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._download import Remote
from ldp_core.datasets._downloaded import OfTorchvision
from ldp_core.datasets.base import Data, Report

LABELS = "train-labels.npy"


class CIFAR10(OfTorchvision):
    """Samples are (3, 32, 32): red, green, blue, each in [0, 1]."""

    label = "CIFAR-10 (colour, 32×32)"
    order = 5
    summary = "60 000 photographs of ten kinds of things, 32 × 32 pixels in colour; 170 MB, if not here yet."
    reference = "Krizhevsky 2009; papers 002 and 003; torchvision.datasets.CIFAR10"

    shape = (3, 32, 32)
    classes = 10
    class_names = (
        "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
    )  # fmt: skip
    train_size = 50_000
    test_size = 10_000
    download = 170_498_071
    files = "cifar-10-batches-py"

    def remotes(self) -> Sequence[Remote]:
        kind = self.source()
        return [Remote((kind.url,), kind.tgz_md5)]

    def there(self, root: Path) -> bool:
        return (root / self.files / "batches.meta").is_file()

    def unpack(self, archives: Sequence[Path], root: Path) -> None:
        unpacked = archives[0].parent / "unpacked"
        shutil.rmtree(unpacked, ignore_errors=True)  # of an attempt that was cut
        with tarfile.open(archives[0]) as archive:
            archive.extractall(unpacked, filter="data")
        shutil.rmtree(root / self.files, ignore_errors=True)
        (unpacked / self.files).replace(root / self.files)

    def read(self, root: Path, report: Report) -> Data:
        kind = self.source()
        parts = [kind(root=str(root), train=train, download=False) for train in (True, False)]
        (train_x, train_y), (test_x, test_y) = map(_arrays, parts)
        with contextlib.suppress(OSError):  # a folder that cannot be written has no picture of the split
            np.save(root / self.files / LABELS, train_y.astype(np.uint8))
        return Data(train_x, train_y, test_x, test_y, self.classes)

    def labels(self, root: Path) -> NDArray[np.uint8]:
        """Cached by the last reading, which opened pickles."""
        return np.load(root / self.files / LABELS).reshape(self.train_size)


def _arrays(part: Any) -> tuple[Any, Any]:
    x = np.ascontiguousarray(part.data.transpose(0, 3, 1, 2), dtype=np.float32)
    x /= 255
    return x, np.array(part.targets, dtype=np.int64)
