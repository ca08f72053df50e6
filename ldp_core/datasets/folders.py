"""Folders of images in the data folder as data sets `images:NAME`, addressed by name only, never by path."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Registry
from ldp_core.datasets import _table, _uploaded
from ldp_core.datasets._contents import (
    ID,
    RENAME,
    Contents,
    Stamp,
    contents_of,
    folders,
    stamp_of,
)
from ldp_core.datasets._downloaded import DOWNLOADS
from ldp_core.datasets._overlooked import wrong
from ldp_core.datasets._pictures import SIDE, BadImage, decoded
from ldp_core.datasets.base import Data, Dataset, Labels, Report, Step, quiet
from ldp_core.errors import DataUnavailable, UnknownName, on_one_line, shown
from ldp_core.limits import spelled
from ldp_core.system.data_folder import data_dir

PREFIX = "images:"
BROUGHT = (PREFIX, _table.PREFIX)
TELL_EVERY = 200
MOST_NAMED = 200


class ImageFolder(Dataset):
    """PNG, JPEG and WebP images, cropped to a square, scaled to 32 × 32 and turned into colour."""

    shape = (3, SIDE, SIDE)
    reference = "a folder of images in the data folder"
    order = 90
    contents: ClassVar[Contents]
    home: ClassVar[Path]

    def read(self, root: Path, report: Report) -> Data:
        train_x, test_x = (
            np.empty((size, *self.shape), dtype=np.float32) for size in (self.train_size, self.test_size)
        )
        bad = []
        for i, found in enumerate(self._each(root, report)):
            if isinstance(found, BadImage):
                bad.append(found)
            elif i < self.train_size:
                train_x[i] = found
            else:
                test_x[i - self.train_size] = found
        self._refuse(bad)
        test_y = np.array([label for _, label in self.contents.test], dtype=np.int64)
        return Data(train_x, self.labels(root), test_x, test_y, self.classes)

    def check(self, root: Path, report: Report = quiet) -> None:
        self._refuse([one for one in self._each(root, report) if isinstance(one, BadImage)])

    def _each(self, root: Path, report: Report) -> Iterator[NDArray[np.float32] | BadImage]:
        """All images in order, training images first; a `BadImage` with the reason for an unreadable one."""
        for i, (path, _) in enumerate((*self.contents.train, *self.contents.test)):
            if i % TELL_EVERY == 0:
                report(Step(f"Reading {self.label}", i, self.train_size + self.test_size, "images"))
            try:
                file, name = self.home / self.files / path, f"{self.files}/{path}"
                if not file.resolve().is_relative_to(self.home):
                    raise BadImage(name, "is a link that leaves the data folder")
                yield decoded(file, name).astype(np.float32) / np.float32(255)
            except BadImage as error:
                yield error

    def _refuse(self, bad: Sequence[BadImage]) -> None:
        if len(bad) == 1:
            raise bad[0]
        if not bad:
            return
        why: dict[str, list[str]] = {}
        for one in bad:
            why.setdefault(one.what, []).append(one.name.removeprefix(f"{self.files}/"))
        named = "; ".join(f"{what}: {_listed(names)}" for what, names in why.items())
        raise DataUnavailable(
            f"{len(bad)} images of {shown(self.files)} will not do ({named}); remove or replace them and "
            "launch again"
        )

    def labels(self, root: Path) -> Labels:
        return np.array([label for _, label in self.contents.train], dtype=np.int64)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(map(on_one_line, sorted(names)[:MOST_NAMED])) + more


class Sources(Registry[Dataset]):
    """Registry of this package's data sets and of the folders of images."""

    def names(self) -> list[str]:
        return [*super().names(), *self._brought()]

    def holds(self, name: object) -> bool:
        """Whether it is one of `names`; the data folder is listed only for the name of a folder or table."""
        return name in super().names() or (str(name).startswith(BROUGHT) and name in self.names())

    def labels(self) -> dict[str, str]:
        return super().labels() | self._brought()

    def _brought(self) -> dict[str, str]:
        """Name → label of the folders and tables that will do."""
        return {one.name: one.label for one in self._made() if not isinstance(one, DataUnavailable)}

    def unusable(self) -> list[str]:
        """Why folders and tables of the data folder are not listed, a sentence each."""
        return [str(one) for one in self._made() if isinstance(one, DataUnavailable)]

    def _made(self) -> Iterator[type[Dataset] | DataUnavailable]:
        """Data set of each folder and table in the data folder, or why it is none."""
        root = data_dir().resolve()
        for name in self._folders():
            yield _images(root, name)
        yield from _table.every(root)

    def _folders(self) -> list[str]:
        """Folders that may be data sets, without those of downloaded data sets."""
        taken = {super(Sources, self).kind(name).files.partition("/")[0] for name in super().names()}
        return [name for name in folders() if name not in taken | {DOWNLOADS}]

    def kind(self, name: str) -> type[Dataset]:
        """Class of a data set, made on demand of a folder or table; UnknownName, or DataUnavailable if that
        is no valid data set.
        """
        if isinstance(name, str) and (own := _uploaded.NAMED.fullmatch(name)):
            if uploaded := _uploaded.current(own):
                return uploaded
            raise UnknownName("the data set's name", name, self.names())
        if isinstance(name, str) and name.startswith(_table.PREFIX):
            if known := _table.current(data_dir().resolve(), name.removeprefix(_table.PREFIX)):
                return known
            raise UnknownName("the data set's name", name, self.names())
        if not isinstance(name, str) or not name.startswith(PREFIX):
            return super().kind(name)
        root, identity = data_dir().resolve(), name.removeprefix(PREFIX)
        if not ID.fullmatch(identity) or identity not in self._folders():
            raise UnknownName("the data set's name", name, self.names())
        if isinstance(made := _images(root, identity), DataUnavailable):
            raise made
        return made

    def look_anew(self) -> None:
        _kind.cache_clear()
        _table.forget()
        _uploaded.forget()

    def named_in(self, request: str) -> bool:
        """Whether a job's request (JSON) may name a folder or a table."""
        return any(f'"{prefix}' in request for prefix in BROUGHT)


def _images(root: Path, identity: str) -> type[Dataset] | DataUnavailable:
    """Data set of a folder in its current state, or why it is none."""
    if not ID.fullmatch(identity):
        return wrong(identity, "has a name that no data set can have", RENAME)
    try:
        return _kind(root, identity, stamp_of(root / identity))
    except OSError as error:
        return wrong(identity, f"cannot be read ({error.strerror})", "look at its permissions")


@lru_cache(maxsize=64)
def _kind(root: Path, identity: str, stamp: Stamp) -> type[Dataset] | DataUnavailable:
    """Data set of a folder, or why it is none; cached by `stamp`."""
    try:
        found = contents_of(root, identity)
    except DataUnavailable as error:
        return error
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
        left_out = found.left_out
        contents = found
        home = root

    Images.name = f"{PREFIX}{identity}"
    return Images
