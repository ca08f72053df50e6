"""Folders of images in the data folder, found as the data sets of this package are found.

Such a folder is the data set `images:NAME`. It is named by that id only, never by a path; nothing outside
the data folder is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Registry
from ldp_core.datasets._contents import (
    Contents,
    Sample,
    Stamp,
    candidates,
    contents_of,
    misnamed,
    stamp_of,
    wrong,
)
from ldp_core.datasets._decode import SIDE, decoded
from ldp_core.datasets._place import data_dir
from ldp_core.datasets.base import Data, Dataset, Labels, Step, Told
from ldp_core.errors import DataUnavailable, UnknownName
from ldp_core.limits import spelled

PREFIX = "images:"
TELL_EVERY = 200
RENAME = "rename it with up to 40 letters (a to z), digits, - and _"


class ImageFolder(Dataset):
    """PNG and JPEG images, cropped to a square, scaled to 32 × 32 and turned into colour."""

    shape = (3, SIDE, SIDE)
    reference = "a folder of images in the data folder"
    order = 90
    contents: ClassVar[Contents]

    def read(self, root: Path, told: Told) -> Data:
        train_x, train_y = self._read(self.contents.train, 0, root, told)
        test_x, test_y = self._read(self.contents.test, self.train_size, root, told)
        return Data(train_x, train_y, test_x, test_y, self.classes)

    def _read(
        self, samples: Sequence[Sample], before: int, root: Path, told: Told
    ) -> tuple[NDArray[np.float32], Labels]:
        x = np.empty((len(samples), *self.shape), dtype=np.float32)
        for i, (path, _) in enumerate(samples):
            if i % TELL_EVERY == 0:
                total = self.train_size + self.test_size
                told(Step(f"Reading {self.files}", before + i, total, "images"))
            x[i] = decoded(root / self.files / path, root, f"{self.files}/{path}")
        return x, np.array([label for _, label in samples], dtype=np.int64)

    def train_labels(self, root: Path) -> Labels | None:
        return np.array([label for _, label in self.contents.train], dtype=np.int64)


class Sources(Registry[Dataset]):
    """The data sets of this package, and the folders of images in the data folder."""

    def names(self) -> list[str]:
        return [*super().names(), *(f"{PREFIX}{name}" for name in _usable())]

    def labels(self) -> dict[str, str]:
        return super().labels() | {f"{PREFIX}{name}": f"Images: {name}" for name in _usable()}

    def kind(self, name: str) -> type[Dataset]:
        """The class called `name`, made for a folder of images.

        Raises:
            UnknownName: there is none, or no such folder.
            DataUnavailable: there is such a folder, and something in it will not do.
        """
        if not isinstance(name, str) or not name.startswith(PREFIX):
            return super().kind(name)
        identity = name.removeprefix(PREFIX)
        if identity not in candidates():
            raise UnknownName("the data set's name", name, self.names())
        return _current(identity)

    def look_anew(self) -> None:
        """Forget what folders held: one who trains must also notice a file that was written over."""
        _kind.cache_clear()

    def unusable(self) -> list[str]:
        """Why folders that look like images are not listed, a sentence each."""
        found = [str(wrong(name, "has a name that no data set can have", RENAME)) for name in misnamed()]
        for identity in candidates():
            try:
                self.kind(PREFIX + identity)
            except DataUnavailable as error:
                found.append(str(error))
        return found


def _usable() -> list[str]:
    return [identity for identity in candidates() if _works(identity)]


def _works(identity: str) -> bool:
    try:
        _current(identity)
    except DataUnavailable:
        return False
    return True


def _current(identity: str) -> type[Dataset]:
    """The data set of a folder as it is now."""
    root = data_dir().resolve()
    try:
        return _kind(root, identity, stamp_of(root / identity))
    except OSError as error:
        raise wrong(identity, f"cannot be read ({error.strerror})", "look at its permissions") from None


@lru_cache(maxsize=16)
def _kind(root: Path, identity: str, stamp: Stamp) -> type[Dataset]:
    """The data set of one folder in one state; `stamp` tells states apart."""
    found = contents_of(root, identity)
    total = len(found.train) + len(found.test)

    class Images(ImageFolder):
        label = f"Images: {identity}"
        summary = (
            f"{spelled(total)} images of {len(found.classes)} classes from the folder “{identity}”, cropped "
            f"to a square and scaled to {SIDE} × {SIDE} pixels in colour."
        )
        classes = len(found.classes)
        class_names = found.classes
        train_size = len(found.train)
        test_size = len(found.test)
        files = identity
        version = found.version
        contents = found

    Images.name = f"{PREFIX}{identity}"
    return Images
