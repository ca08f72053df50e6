"""MNIST and its likes: four gzipped IDX files, unpacked to where torchvision looks for them."""

from __future__ import annotations

import gzip
import shutil
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ldp_core.datasets._download import Remote
from ldp_core.datasets._downloaded import Downloaded
from ldp_core.datasets.base import Data, Labels, Report

PARTS = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")


class Idx(Downloaded):
    """70 000 grey images of 28 × 28 pixels in ten classes."""

    shape = (28, 28)
    classes = 10
    train_size = 60_000
    test_size = 10_000

    @abstractmethod
    def source(self) -> Any:
        """torchvision's class, which knows the addresses and checksums and reads the files."""

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
        kind = self.source()
        parts = [kind(root=str(root), train=train, download=False) for train in (True, False)]
        (train_x, train_y), (test_x, test_y) = map(_arrays, parts)
        return Data(train_x, train_y, test_x, test_y, self.classes)

    def train_labels(self, root: Path) -> Labels | None:
        """Straight from the file: eight bytes of header, then a byte a label."""
        file = root / self.files / "train-labels-idx1-ubyte"
        if not self.there(root) or file.stat().st_size != 8 + self.train_size:
            return None
        return np.fromfile(file, dtype=np.uint8, offset=8).astype(np.int64)


def _arrays(part: Any) -> tuple[Any, Any]:
    x = part.data.numpy().astype(np.float32)
    x /= 255
    return x, part.targets.numpy().astype(np.int64)
