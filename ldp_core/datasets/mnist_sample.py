"""A sample of MNIST that ships with the program: real handwritten digits without a network, drawn at random
without replacement from its training and test images by the stream (0, "holdout") of each, in their order.
"""

import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets.base import Data, Dataset, Report
from ldp_core.errors import DataUnavailable
from ldp_core.system.shipped import ASSETS

SHIPPED = ASSETS / "data" / "mnist_sample.npz"
TRAIN, TEST = 5_000, 1_000
SIDE = 28


class MNISTSample(Dataset):
    """Drawn at random from MNIST's training and test images."""

    label = "MNIST, a sample (28×28)"
    order = 2
    summary = (
        "6 000 of MNIST's handwritten digits of 28 × 28 pixels, drawn at random: 5 000 to train on, 1 000 "
        "to test; nothing to download."
    )
    reference = "LeCun, Cortes and Burges 1998; CC BY-SA 3.0"

    shape = (SIDE, SIDE)
    classes = 10
    class_names = tuple("0123456789")
    train_size = TRAIN
    test_size = TEST

    def read(self, root: Path, report: Report) -> Data:
        parts = [_shipped(name) for name in ("train_x", "train_y", "test_x", "test_y")]
        (train_x, train_y), (test_x, test_y) = (
            (x.astype(np.float32) / np.float32(255), y.astype(np.int64)) for x, y in (parts[:2], parts[2:])
        )
        return Data(train_x, train_y, test_x, test_y, self.classes)

    def labels(self, root: Path) -> NDArray[np.uint8]:
        return _shipped("train_y")

    def _damaged(self, how: str) -> DataUnavailable:
        return DataUnavailable(f"{self.label}: its file {how}; get assets/data/{SHIPPED.name} again")


def _shipped(name: str) -> NDArray[np.uint8]:
    try:
        with SHIPPED.open("rb") as file, np.load(file) as arrays:
            return arrays[name]
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
        raise ValueError("damaged") from error
