"""The shipped sample of MNIST, always drawn equally by `python -m ldp_core.datasets._sample`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.streams import stream
from ldp_core.system.data_folder import data_dir
from ldp_core.system.shipped import ASSETS

SHIPPED = ASSETS / "data" / "mnist_sample.npz"
TRAIN, TEST = 5_000, 1_000
SIDE = 28
HEADERS = 16, 8
"""Bytes before the first pixel, and before the first label."""


def draw(root: Path) -> dict[str, NDArray[np.uint8]]:
    """5 000 of MNIST's 60 000 training and 1 000 of its 10 000 test images, at random without replacement, in
    MNIST's order: arrays `train_x`, `train_y`, `test_x`, `test_y`.
    """
    found: dict[str, NDArray[np.uint8]] = {}
    for number, (part, name, size) in enumerate((("train", "train", TRAIN), ("t10k", "test", TEST))):
        files = [root / "MNIST" / "raw" / f"{part}-{kind}-ubyte" for kind in ("images-idx3", "labels-idx1")]
        x, y = (np.fromfile(file, dtype=np.uint8, offset=n) for file, n in zip(files, HEADERS, strict=True))
        chosen = np.sort(stream(0, "holdout", number).permutation(len(y))[:size])
        found |= {f"{name}_x": x.reshape(-1, SIDE, SIDE)[chosen], f"{name}_y": y[chosen]}
    return found


if __name__ == "__main__":
    SHIPPED.parent.mkdir(exist_ok=True)
    np.savez_compressed(SHIPPED, **draw(data_dir()))  # type: ignore[arg-type]  # numpy's stub knows no arrays
