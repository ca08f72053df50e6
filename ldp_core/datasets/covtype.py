"""Forest cover types: 581 012 patches of forest with 54 measurements each, as distributed by scikit-learn;
its fetch_covtype cannot resume downloads, takes minutes and gigabytes to parse, and stores pickles, so only
its address and checksum are used, and the table is stored as plain numbers.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._download import Remote
from ldp_core.datasets._downloaded import Downloaded
from ldp_core.datasets.base import Data, Labels, Report
from ldp_core.streams import stream

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/covtype/covtype.data.gz"
MEASURED = 10
"""Number of leading columns with measurements; the other 44 are binary."""
FILES = ("features.npy", "labels.npy")


class CoverTypes(Downloaded):
    """Paper 001's split: 500 000 training and 30 000 test samples, drawn once for all runs. The ten
    measurements are standardised by the training samples' mean and deviation.
    """

    label = "Forest cover types (54 numbers)"
    order = 6
    summary = (
        "500 000 patches of forest to train on and 30 000 to test, each with ten measurements (in standard "
        "deviations of the training samples) and 44 yes-or-no columns; 11 MB, if not here yet."
    )
    reference = "Blackard and Dean 1999, UCI repository; paper 001, section 5; sklearn.datasets.fetch_covtype"

    shape = (54,)
    learnt = "the mean and deviation of ten measurements over all training samples, which scale everybody's"
    classes = 7
    class_names = (
        "spruce or fir", "lodgepole pine", "ponderosa pine", "cottonwood or willow", "aspen",
        "Douglas fir", "krummholz",
    )  # fmt: skip
    train_size = 500_000
    test_size = 30_000
    images = False
    download = 11_240_707
    files = "covtype"

    def remotes(self) -> Sequence[Remote]:
        from sklearn.datasets._covtype import ARCHIVE

        # the first address ends in a number: the file is known by the name that UCI gives it
        return [Remote((UCI, ARCHIVE.url), ARCHIVE.checksum)]

    def there(self, root: Path) -> bool:
        return all((root / self.files / file).is_file() for file in FILES)

    def unpack(self, archives: Sequence[Path], root: Path) -> None:
        import pandas

        table = pandas.read_csv(archives[0], header=None, dtype=np.int16, compression="gzip").to_numpy()
        if table.shape[1] != self.features + 1:
            raise ValueError(f"{table.shape[1]} columns")
        folder = root / self.files
        folder.mkdir(parents=True, exist_ok=True)
        for file, columns in zip(FILES, (table[:, :-1], table[:, -1] - 1), strict=True):
            with (folder / f"{file}.partial").open("wb") as partial:
                np.save(partial, columns)
            (folder / f"{file}.partial").replace(folder / file)

    def read(self, root: Path, report: Report) -> Data:
        x = np.load(root / self.files / FILES[0])
        y = np.load(root / self.files / FILES[1]).astype(np.int64)
        train, test = self._split(len(y))
        train_x, test_x = x[train].astype(np.float32), x[test].astype(np.float32)
        measured = train_x[:, :MEASURED].astype(np.float64)
        mean, deviation = measured.mean(0), measured.std(0)
        deviation[deviation == 0] = 1
        for part in (train_x, test_x):
            part[:, :MEASURED] = (part[:, :MEASURED] - mean) / deviation
        return Data(train_x, y[train], test_x, y[test], self.classes)

    def labels(self, root: Path) -> NDArray[np.int16]:
        y = np.load(root / self.files / FILES[1])
        if len(y) < self.train_size + self.test_size:
            raise ValueError(f"{len(y)} rows")
        return y[self._split(len(y))[0]]

    def _split(self, count: int) -> tuple[Labels, Labels]:
        order = stream(0, "holdout").permutation(count)
        return order[: self.train_size], order[self.train_size : self.train_size + self.test_size]
