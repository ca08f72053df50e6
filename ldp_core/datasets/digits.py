"""scikit-learn's digits: 1 797 handwritten digits of 8 × 8 pixels, carried by the library."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ldp_core.datasets.base import Data, Dataset
from ldp_core.streams import stream

TEST_SIZE = 360


class Digits(Dataset):
    """The embedded default: needs no download. The test set is the same in every run."""

    label = "Digits (8×8)"
    order = 1
    summary = "1 797 handwritten digits of 8 × 8 pixels, part of scikit-learn: nothing to download."
    reference = "Alpaydin and Kaynak 1998, UCI repository; sklearn.datasets.load_digits"

    shape = (8, 8)
    classes = 10
    train_size = 1797 - TEST_SIZE
    test_size = TEST_SIZE

    def load(self, root: Path) -> Data:
        from sklearn.datasets import load_digits

        digits = load_digits()
        x = (digits.images / 16).astype(np.float32)
        y = digits.target.astype(np.int64)
        order = stream(0, "holdout").permutation(len(y))
        test, train = order[:TEST_SIZE], order[TEST_SIZE:]
        return Data(x[train], y[train], x[test], y[test], self.classes)
