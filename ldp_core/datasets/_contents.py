"""Classes and image files of a folder: a subfolder of images per class, directly or in `train` and `test`.
Listed without opening files or leaving the data folder by links.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._overlooked import KINDS, is_image, left_out, misplaced, note, subfolders, wrong
from ldp_core.errors import printable, shown
from ldp_core.limits import spelled
from ldp_core.streams import stream
from ldp_core.system.data_folder import data_dir

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
RENAME = "rename it with up to 40 letters (a to z), digits, - and _"
SPLIT = ("train", "test")
HELD_OUT = 5
"""One image of so many is held out if there is no test folder."""
MOST_IMAGES, MOST_CLASSES = 500_000, 1000

Whole = NDArray[np.int64]
Sample = tuple[str, int]
"""An image's path below the data set's folder, and its class."""
Stamp = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Contents:
    classes: tuple[str, ...]
    train: tuple[Sample, ...]
    test: tuple[Sample, ...]
    version: str
    left_out: str
    """Sentence on files that are not read; "" if all are."""


def folders() -> list[str]:
    """Names of all folders in the data folder except hidden ones."""
    try:
        return subfolders(data_dir().resolve())
    except OSError:
        return []


def stamp_of(folder: Path) -> Stamp:
    """Value that changes when an image or class is added, removed or renamed, not when one is overwritten."""
    found = [("", folder.stat().st_mtime_ns)]
    for name in subfolders(folder)[:MOST_CLASSES]:
        found.append((name, (folder / name).stat().st_mtime_ns))
        if name.lower() in SPLIT:
            inner = subfolders(folder / name)[:MOST_CLASSES]
            found += [(f"{name}/{one}", (folder / name / one).stat().st_mtime_ns) for one in inner]
    return tuple(found)


def contents_of(root: Path, identity: str) -> Contents:
    """Classes and image files of a folder in the data folder; DataUnavailable if it is no data set, with a
    remedy, OSError if it cannot be read.
    """
    folder = root / identity
    _keep_inside(folder, root, identity)
    parts = _parts(folder)
    for part in parts.values():
        _keep_inside(folder / part, root, f"{identity}/{part}".rstrip("/"))
    classes = tuple(subfolders(folder / next(iter(parts.values()))))
    if not 2 <= len(classes) <= MOST_CLASSES:
        raise (misplaced(folder) if "" in parts else None) or wrong(
            identity,
            f"holds {len(classes)} class folder{'s' if len(classes) != 1 else ''}",
            f"2 to {MOST_CLASSES} are needed, one for each kind of image",
        )
    others = Counter[str]()
    digest = hashlib.sha256()
    samples: dict[str, list[Sample]] = {name: [] for name in parts}
    for part, place in parts.items():
        for label in subfolders(folder / place):
            if label not in classes or not printable(label):
                raise wrong(
                    identity, f"tests on a class {shown(label)} that it does not train on", "rename it"
                )
            before = len(samples[part])
            for path, size, changed in _images(root, identity, f"{place}/{label}".lstrip("/"), others):
                samples[part].append((path, classes.index(label)))
                digest.update(f"{path}\0{size}\0{changed}\0".encode("utf-8", "replace"))
                if len(samples[part]) > MOST_IMAGES:
                    raise wrong(identity, f"holds more than {spelled(MOST_IMAGES)} images", "remove some")
            if len(samples[part]) == before and part != "test":
                raise (misplaced(folder) if "" in parts else None) or wrong(
                    identity, f"holds no {KINDS} in its class {shown(label)}", "add or remove it"
                )
    train, test = samples[next(iter(parts))], samples.get("test", [])
    if "" in parts:
        kept, held = held_out(len(train))
        test, train = [train[i] for i in held], [train[i] for i in kept]
    if not train or not test:
        raise wrong(identity, "holds too few images to train and test on", "add some")
    said = left_out(folder, classes if "" in parts else tuple(parts.values()), others)
    return Contents(classes, tuple(train), tuple(test), digest.hexdigest()[:12], said)


def held_out(count: int) -> tuple[Whole, Whole]:
    """Images to train on, and those held out, drawn once for all runs."""
    order = stream(0, "holdout").permutation(count)
    cut = max(1, count // HELD_OUT)
    return order[cut:], order[:cut]


def _parts(folder: Path) -> dict[str, str]:
    """Names of the subfolders for training and test, in any case; without them the folder itself, as “”."""
    found = subfolders(folder)
    parts = {part: name for part in SPLIT for name in found if name.lower() == part}
    if len(parts) == 1:
        others = [shown(name) for name in found if name not in parts.values()]
        rename = f" (rename {others[0]}, say)" if others else ""
        raise wrong(
            folder.name, "holds only one of train and test", f"give it both{rename}, or classes alone"
        )
    if sum(name.lower() in SPLIT for name in found) > len(parts):
        raise wrong(folder.name, "holds two folders called train, or test", "rename one")
    return parts or {"": ""}


def _images(root: Path, identity: str, part: str, others: Counter[str]) -> Iterator[tuple[str, int, int]]:
    """Images directly in a class folder, by name: path, bytes, time of change; `others` counts the rest."""
    folder = root / identity / part
    _keep_inside(folder, root, f"{identity}/{part}")
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if not is_image(entry.name) or not entry.is_file():
                note(entry, others)
            else:
                if entry.is_symlink():
                    _keep_inside(folder / entry.name, root, f"{identity}/{part}/{entry.name}")
                about = entry.stat()
                yield f"{part}/{entry.name}", about.st_size, about.st_mtime_ns


def _keep_inside(path: Path, root: Path, name: str) -> None:
    if not path.resolve().is_relative_to(root):
        raise wrong(name, "is a link that leaves the data folder", "put the images themselves there")
