"""What lies in a folder of images: its classes and files, listed without opening any, links not followed out.

A folder has one subfolder of images a class, or such folders in `train` and in `test`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ldp_core.datasets._place import data_dir
from ldp_core.errors import DataUnavailable, printable, shown
from ldp_core.limits import spelled
from ldp_core.streams import stream

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
SUFFIXES = (".png", ".jpg", ".jpeg")
SPLIT = ("train", "test")
HELD_OUT = 5
"""Where there is no test folder, one image of so many is held out."""
MOST_IMAGES, MOST_CLASSES = 500_000, 1000

Sample = tuple[str, int]
"""An image's path below the data set's folder, and its class."""
Stamp = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Contents:
    """What a folder holds."""

    classes: tuple[str, ...]
    train: tuple[Sample, ...]
    test: tuple[Sample, ...]
    version: str


def candidates() -> list[str]:
    """Folders of the data folder in whose subfolders, or theirs, an image lies."""
    return [name for name in _with_images() if ID.fullmatch(name)]


def misnamed() -> list[str]:
    """The same, where the name is none that a data set can have; hidden ones are nobody's business."""
    return [name for name in _with_images() if not ID.fullmatch(name) and not name.startswith(".")]


def _with_images() -> list[str]:
    root = data_dir().resolve()
    try:
        with os.scandir(root) as entries:
            found = sorted(e.name for e in entries if e.is_dir())
    except OSError:
        return []
    return [name for name in found if _has_images(root / name, root)]


def _has_images(folder: Path, root: Path) -> bool:
    try:
        return not _inside(folder, root) or _looks(folder, root, stamp_of(folder))
    except OSError:
        return False


@lru_cache(maxsize=256)
def _looks(folder: Path, root: Path, stamp: Stamp) -> bool:
    """True for a folder with images, and for links to elsewhere: that is said, not followed."""
    split = folder / SPLIT[0]
    inner = split if split.is_dir() else folder
    if not _inside(inner, root):
        return True
    return any(not _inside(inner / part, root) or _image_in(inner / part) for part in _subfolders(inner))


def _image_in(folder: Path) -> bool:
    with os.scandir(folder) as entries:
        return any(entry.name.lower().endswith(SUFFIXES) for entry in entries)


def stamp_of(folder: Path) -> Stamp:
    """Changes when an image or a class is added, removed or renamed (but not when one is written over)."""
    found = [("", folder.stat().st_mtime_ns)]
    for name in _subfolders(folder)[:MOST_CLASSES]:
        found.append((name, (folder / name).stat().st_mtime_ns))
        if name in SPLIT:
            inner = _subfolders(folder / name)[:MOST_CLASSES]
            found += [(f"{name}/{one}", (folder / name / one).stat().st_mtime_ns) for one in inner]
    return tuple(found)


def _subfolders(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))


def contents_of(root: Path, identity: str) -> Contents:
    folder = root / identity
    _keep_inside(folder, root, identity)
    parts = {name: folder / name for name in SPLIT if (folder / name).is_dir()} or {"": folder}
    for part in parts:
        _keep_inside(parts[part], root, f"{identity}/{part}".rstrip("/"))
    if len(parts) == 1 and "" not in parts:
        raise wrong(identity, "holds only one of train and test", "give it both, or classes alone")
    classes = tuple(_subfolders(next(iter(parts.values()))))
    if not 2 <= len(classes) <= MOST_CLASSES:
        raise wrong(
            identity,
            f"holds {len(classes)} class folder{'s' if len(classes) != 1 else ''}",
            f"2 to {MOST_CLASSES} are needed, one for each kind of image",
        )
    digest = hashlib.sha256()
    samples: dict[str, list[Sample]] = {name: [] for name in parts}
    for part in parts:
        for label in _subfolders(parts[part]):
            if label not in classes or not printable(label):
                raise wrong(
                    identity, f"tests on a class {shown(label)} that it does not train on", "rename it"
                )
            before = len(samples[part])
            for path, size, changed in _images(root, identity, f"{part}/{label}".lstrip("/")):
                samples[part].append((path, classes.index(label)))
                digest.update(f"{path}\0{size}\0{changed}\0".encode("utf-8", "replace"))
                if len(samples[part]) > MOST_IMAGES:
                    raise wrong(identity, f"holds more than {spelled(MOST_IMAGES)} images", "remove some")
            if len(samples[part]) == before and part != "test":
                raise wrong(identity, f"holds no PNG or JPEG in its class {shown(label)}", "add or remove it")
    train, test = samples[next(iter(parts))], samples.get("test", [])
    if "" in parts:
        order = stream(0, "holdout").permutation(len(train))
        cut = max(1, len(train) // HELD_OUT)
        test, train = [train[i] for i in order[:cut]], [train[i] for i in order[cut:]]
    if not train or not test:
        raise wrong(identity, "holds too few images to train and test on", "add some")
    return Contents(classes, tuple(train), tuple(test), digest.hexdigest()[:12])


def _images(root: Path, identity: str, part: str) -> Iterator[tuple[str, int, int]]:
    """The images directly in one class folder, in order of their names: path, bytes, time of change."""
    folder = root / identity / part
    _keep_inside(folder, root, f"{identity}/{part}")
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.lower().endswith(SUFFIXES) and entry.is_file():
                if entry.is_symlink():
                    _keep_inside(folder / entry.name, root, f"{identity}/{part}/{entry.name}")
                about = entry.stat()
                yield f"{part}/{entry.name}", about.st_size, about.st_mtime_ns


def _inside(path: Path, root: Path) -> bool:
    """True if a path, links followed, lies in the data folder."""
    return path.resolve().is_relative_to(root)


def _keep_inside(path: Path, root: Path, name: str) -> None:
    if not _inside(path, root):
        raise wrong(name, "is a link that leaves the data folder", "put the images themselves there")


def wrong(name: str, what: str, remedy: str) -> DataUnavailable:
    return DataUnavailable(f"the folder of images {shown(name)} {what}; {remedy}")
