"""MNIST: 70 000 handwritten digits of 28 × 28 pixels, through torchvision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ldp_core.datasets.base import Data, Dataset
from ldp_core.errors import DataUnavailable


class MNIST(Dataset):
    """The papers' MNIST, in torchvision's own layout below the data folder."""

    label = "MNIST (28×28)"
    summary = "70 000 handwritten digits of 28 × 28 pixels, the papers' own data; 12 MB to download once."
    reference = "LeCun, Cortes and Burges 1998; torchvision.datasets.MNIST"

    shape = (28, 28)
    classes = 10
    train_size = 60_000
    test_size = 10_000

    def load(self, root: Path) -> Data:
        from ldp_core.datasets._vision import load_torchvision

        source = load_torchvision().datasets.MNIST
        try:
            parts = [source(root=str(root), train=train, download=False) for train in (True, False)]
        except RuntimeError:
            parts = [self._download(source, root, train) for train in (True, False)]
        (train_x, train_y), (test_x, test_y) = map(_arrays, parts)
        return Data(train_x, train_y, test_x, test_y, self.classes)

    def _download(self, source: Any, root: Path, train: bool) -> Any:
        try:
            root.mkdir(parents=True, exist_ok=True)
            return source(root=str(root), train=train, download=True)
        except (OSError, RuntimeError) as error:
            raise DataUnavailable(
                f"MNIST is not in {root.name}/MNIST/raw and could not be downloaded "
                f"({type(error).__name__}); connect to the internet once, put torchvision's MNIST "
                "files there, or choose the digits, which need no download"
            ) from error


def _arrays(part: Any) -> tuple[Any, Any]:
    x = part.data.numpy().astype(np.float32) / 255
    return x, part.targets.numpy().astype(np.int64)
