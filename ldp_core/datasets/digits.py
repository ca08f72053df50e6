"""scikit-learn's digits: 1 797 handwritten digits of 8 × 8 pixels, part of the library."""

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets.base import Data, Dataset, Labels, Report
from ldp_core.streams import stream

TEST_SIZE = 360


class Digits(Dataset):
    """The default data set, without download. The test set is the same in every run."""

    label = "Digits (8×8)"
    order = 1
    summary = "1 797 handwritten digits of 8 × 8 pixels, part of scikit-learn: nothing to download."
    reference = "Alpaydin and Kaynak 1998, UCI repository; sklearn.datasets.load_digits"

    shape = (8, 8)
    classes = 10
    class_names = tuple("0123456789")
    train_size = 1797 - TEST_SIZE
    test_size = TEST_SIZE

    def read(self, root: Path, report: Report) -> Data:
        table = _table()
        x = (table[:, :-1] / 16).astype(np.float32).reshape(-1, *self.shape)
        y = table[:, -1].astype(np.int64)
        train, test = places(len(y))
        return Data(x[train], y[train], x[test], y[test], self.classes)

    def labels(self, root: Path) -> NDArray[np.float64]:
        y = _table()[:, -1]
        return y[places(len(y))[0]]


def _table() -> NDArray[np.float64]:
    """scikit-learn's file (1797, 65): pixels in [0, 16], then the digit; OSError if it is missing. Parsed
    like `load_digits` without importing the library, which takes longer than importing PyTorch.
    """
    found = find_spec("sklearn")
    if found is None or found.origin is None:
        raise FileNotFoundError(None, "scikit-learn is not installed", "digits.csv.gz")
    with gzip.open(Path(found.origin).parent / "datasets" / "data" / "digits.csv.gz", "rt") as lines:
        return np.loadtxt(lines, delimiter=",")


def places(count: int = 1797) -> tuple[Labels, Labels]:
    """Indices of training and of held-out samples in scikit-learn's order."""
    order = stream(0, "holdout").permutation(count)
    return order[TEST_SIZE:], order[:TEST_SIZE]
