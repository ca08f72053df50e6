"""MNIST-like data sets: four gzipped IDX files, unpacked to torchvision's layout."""

import gzip
import math
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._download import Remote
from ldp_core.datasets._downloaded import OfTorchvision
from ldp_core.datasets.base import Data, Labels, Report

PARTS = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
BYTES = 8
"""Type code of unsigned bytes in an IDX file's header."""


class Idx(OfTorchvision):
    shape = (28, 28)
    classes = 10
    train_size = 60_000
    test_size = 10_000

    def remotes(self) -> Sequence[Remote]:
        kind = self.source()
        return [
            Remote(tuple(f"{mirror}{file}" for mirror in kind.mirrors), checksum)
            for file, checksum in kind.resources
        ]

    def there(self, root: Path) -> bool:
        return all((root / self.files / f"{part}-ubyte").is_file() for part in PARTS)

    def unpack(self, archives: Sequence[Path], root: Path) -> None:
        folder = root / self.files
        folder.mkdir(parents=True, exist_ok=True)
        for archive in archives:
            target = folder / archive.stem
            partial = target.with_name(f"{target.name}.partial")
            with gzip.open(archive) as packed, partial.open("wb") as plain:
                shutil.copyfileobj(packed, plain, 2**20)
            partial.replace(target)

    def read(self, root: Path, report: Report) -> Data:
        parts = (("train", self.train_size), ("t10k", self.test_size))
        (train_x, train_y), (test_x, test_y) = (self._part(root, *part) for part in parts)
        return Data(train_x, train_y, test_x, test_y, self.classes)

    def _part(self, root: Path, part: str, size: int) -> tuple[NDArray[np.float32], Labels]:
        x = _array(root / self.files / f"{part}-images-idx3-ubyte", (size, *self.shape)).astype(np.float32)
        x /= 255
        return x, _array(root / self.files / f"{part}-labels-idx1-ubyte", (size,)).astype(np.int64)

    def labels(self, root: Path) -> NDArray[np.uint8]:
        return _array(root / self.files / "train-labels-idx1-ubyte", (self.train_size,))


def _array(file: Path, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """The bytes of an IDX file in this shape: a header with number and sizes of the axes, then the bytes;
    else ValueError.
    """
    header = struct.pack(f">HBB{len(shape)}I", 0, BYTES, len(shape), *shape)
    found = np.fromfile(file, dtype=np.uint8)
    if found.size != len(header) + math.prod(shape) or found[: len(header)].tobytes() != header:
        raise ValueError(f"{file.name} holds no {shape} bytes")
    return found[len(header) :].reshape(shape)
