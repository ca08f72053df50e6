"""Tables and folders of images in the data folder as data sets `table:NAME` and `images:NAME`, with the card
`NAME.json` beside them; addressed by name only, never by path.
"""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Registry
from ldp_core.datasets import _brought, _parquet, _table
from ldp_core.datasets._brought import IMAGES, TABLE, Look, look_of
from ldp_core.datasets._data_card import MOST_CARD, Card, Seen
from ldp_core.datasets._downloaded import DOWNLOADS
from ldp_core.datasets._pictures import SIDE, BadImage, arranged, decoded, hidden, is_image
from ldp_core.datasets.base import Dataset, Report, Step
from ldp_core.errors import DataUnavailable, InvalidInput, UnknownName, on_one_line, shown
from ldp_core.system.bounded import answer
from ldp_core.system.data_folder import data_dir

BROUGHT = (IMAGES, TABLE)
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
RENAME = "has a name that no data set can have; rename it with up to 40 letters (a to z), digits, - and _"
SUFFIXES = (".parquet", *_brought.TEXTS)
OTHERS = (".xlsx", ".xls", ".ods", ".arff", ".sav", ".dta", ".feather", ".json", ".zip", ".pkl", ".npz")
TELL_EVERY, MOST_NAMED = 200, 200


class Sources(Registry[Dataset]):
    """Registry of this package's data sets and of what lies in the data folder."""

    def names(self) -> list[str]:
        return [*super().names(), *self._labels()]

    def holds(self, name: object) -> bool:
        """Whether it is one of `names`; the data folder is listed only for the name of a folder or table."""
        return name in super().names() or (str(name).startswith(BROUGHT) and name in self.names())

    def labels(self) -> dict[str, str]:
        return super().labels() | self._labels()

    def _labels(self) -> dict[str, str]:
        """Name → label of the folders and tables that will do."""
        found = {}
        for name in self.brought():
            try:
                found[name] = self.look(name).trains.label
            except InvalidInput:
                continue
        return found

    def unusable(self) -> list[str]:
        """Why folders and tables of the data folder are not listed, a sentence each."""
        said = []
        for name in self.brought():
            try:
                self.kind(name)
            except DataUnavailable as error:
                said.append(str(error))
        known = {name.partition(":")[2] for name in self.brought()}
        for file in _files(data_dir().resolve()):
            if file.suffix.lower() in OTHERS and file.stem not in known:
                said.append(f"the file {shown(file.name)} is not read here; save it as CSV, or unpack it")
        return said

    def brought(self) -> list[str]:
        """Names of all folders and tables in the data folder, whether they will do or not."""
        taken = {super(Sources, self).kind(name).files.partition("/")[0] for name in super().names()}
        root = data_dir().resolve()
        pictures = [f"{IMAGES}{name}" for name in _folders(root) if name not in taken | {DOWNLOADS}]
        return pictures + [f"{TABLE}{name}" for name in _tables(root)]

    def look(self, name: str) -> Look:
        """What is known of a folder or table, in its current state."""
        root, (prefix, _, identity) = data_dir().resolve(), name.partition(":")
        if not ID.fullmatch(identity):
            return _no(RENAME)
        card, place = root / f"{identity}.json", root / identity
        try:
            if f"{prefix}:" == TABLE:
                files = _tables(root)[identity]
                if len(files) > 1:
                    return _no(f"has {shown(files[1])} beside it; remove one")
                place = root / files[0]
                stamp: object = place.stat().st_mtime_ns, place.stat().st_size
            else:
                stamp = _stamp(place)
            for one in (place, card):
                if not one.resolve().is_relative_to(root):
                    return _no("is a link that leaves the data folder; put the files themselves there")
            described = card.stat() if card.exists() else None
            state = stamp, described and (described.st_mtime_ns, described.st_size)
            return _look(name, root, place, card, state)
        except OSError as error:
            return _no(f"cannot be read ({error.strerror}); look at its permissions")

    def kind(self, name: str) -> type[Dataset]:
        """Class of a data set, made on demand of a folder or table; UnknownName, or DataUnavailable if that
        is no valid data set, or leaves questions open.
        """
        if not isinstance(name, str) or not name.startswith(BROUGHT):
            return super().kind(name)
        if own := _brought.NAMED.fullmatch(name):
            found, where = _brought.current(own), "answer on Clients"
        else:
            found = self.look(name) if name in self.brought() else None
            where = f"see python -m ldp_core data --show {name}"
        if found is None:
            raise UnknownName("the data set's name", name, self.names())
        try:
            return found.trains
        except InvalidInput as error:
            asks = f"; {where}" if found.seen.open else ""
            raise DataUnavailable(f"{called(name)} {error}{asks}") from None

    def look_anew(self) -> None:
        _look.cache_clear()
        _brought.forget()

    def named_in(self, request: str) -> bool:
        """Whether a job's request (JSON) may name a folder or a table."""
        return any(f'"{prefix}' in request for prefix in BROUGHT)


def called(name: str) -> str:
    """A folder or table in a sentence."""
    if own := _brought.NAMED.fullmatch(name):
        return f"your data {shown(_brought.title_of(_brought.file_of(own)))}"
    prefix, _, identity = name.partition(":")
    if f"{prefix}:" == IMAGES:
        return f"the folder of images {shown(identity)}"
    return f"the table {shown((_tables(data_dir().resolve()).get(identity) or [identity])[0])}"


def _no(why: str) -> Look:
    return Look(Seen(), None, why)


def _files(root: Path) -> list[Path]:
    try:
        return sorted(file for file in root.iterdir() if not hidden(file.name) and file.is_file())
    except OSError:
        return []


def _tables(root: Path) -> dict[str, list[str]]:
    """Tables in a folder: files of a known ending, by name without ending."""
    found: dict[str, list[str]] = {}
    for file in _files(root):
        if ending := max((one for one in SUFFIXES if file.name.lower().endswith(one)), key=len, default=""):
            found.setdefault(file.name[: -len(ending)], []).append(file.name)
    return found


def _folders(place: Path) -> list[str]:
    try:
        with os.scandir(place) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir() and not hidden(entry.name))
    except FileNotFoundError:
        return []


def _stamp(folder: Path, depth: int = 2) -> tuple[object, ...]:
    """Value that changes when an image or class is added, removed or renamed, not when one is overwritten."""
    inner = tuple((name, _stamp(folder / name, depth - 1)) for name in _folders(folder)) if depth else ()
    return folder.stat().st_mtime_ns, *inner


@lru_cache(maxsize=64)
def _look(name: str, root: Path, place: Path, card: Path, state: object) -> Look:
    """What is known of a folder or table; cached by its `state`."""
    seen, title = Seen(), name.partition(":")[2]
    try:
        described = card.read_bytes()[: MOST_CARD + 1] if card.exists() else b""
        try:
            seen = Seen(Card.of(described))
        except InvalidInput as error:
            raise InvalidInput(f"has a card {shown(card.name)}, which {error}") from None
        if name.startswith(IMAGES):
            return _pictures_in(place, root, seen, title, name, described)
        data = _bytes_of(place)
        found, _ = _table.understand(_table.read(data, seen), seen)
        version = _version(described, data)
        return look_of(found, seen, name, title, version, partial(_rows_again, place, described, version))
    except InvalidInput as error:
        return Look(seen, None, str(error))


def _version(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join([b"scales of rows that train", *parts])).hexdigest()[:12]


def _bytes_of(file: Path) -> bytes:
    """A table in CSV. InvalidInput: the end of a sentence that begins with its name."""
    if (size := file.stat().st_size) > _table.MOST_BYTES:
        most = _table.MOST_BYTES >> 20
        raise InvalidInput(f"has {size / 2**20:.1f} MB; at most {most} MB are read")
    data = file.read_bytes()
    if file.suffix.lower() != ".parquet":
        return _brought.as_csv(file.name, data)
    asked = {"most": _table.MOST_BYTES}
    found = answer(_parquet.__name__, asked, {"": data}, _parquet.MEMORY, _parquet.SECONDS)
    found.checked("cannot be read as Parquet within 2 GB of memory; save it as CSV")
    return found.data


def _rows_again(file: Path, described: bytes, version: str, report: Report) -> NDArray[np.float32]:
    try:
        data, seen = _bytes_of(file), Seen(Card.of(described))
        if _version(described, data) != version:
            raise InvalidInput("has just been changed; launch again")
        return _table.understand(_table.read(data, seen), seen)[1][:, None, :]
    except InvalidInput as error:
        raise DataUnavailable(f"the table {shown(file.name)} {error}") from None


def _pictures_in(folder: Path, root: Path, seen: Seen, title: str, name: str, described: bytes) -> Look:
    paths, about = list[str](), list[str]()
    for place, inner, files in os.walk(folder, followlinks=True):
        inner[:] = sorted(one for one in inner if not hidden(one))
        below = Path(place).relative_to(folder).as_posix().removeprefix(".")
        for one in [*inner, *files]:
            path = Path(place) / one
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise InvalidInput(f"holds {shown(one)}, which is a link that leaves the data folder")
        if len(Path(below).parts) > 8:
            raise InvalidInput("has folders too deep in one another")
        for one in sorted(files) or ([] if inner or not below else [""]):
            paths.append(f"{below}/{one}".lstrip("/"))
            if is_image(one):
                now = (Path(place) / one).stat()
                about.append(f"{paths[-1]}\0{now.st_size}\0{now.st_mtime_ns}")
    found = arranged(paths, seen)
    where = [f"{paths[i]}" for i in found.order.tolist()]
    read = partial(_decoded, folder, root, where)
    version = _version(described, json.dumps([where, about]).encode("utf-8", "replace"))
    return look_of(found, seen, name, title, version, read)


def _decoded(folder: Path, root: Path, where: Sequence[str], report: Report) -> NDArray[np.float32]:
    x, bad, name = np.empty((len(where), 3, SIDE, SIDE), np.float32), list[BadImage](), folder.name
    for i, path in enumerate(where):
        if i % TELL_EVERY == 0:
            report(Step(f"Reading Images: {name}", i, len(where), "images"))
        try:
            if not (folder / path).resolve().is_relative_to(root):
                raise BadImage(f"{name}/{path}", "is a link that leaves the data folder")
            x[i] = decoded(folder / path, f"{name}/{path}") / np.float32(255)
        except BadImage as error:
            bad.append(error)
    if len(bad) == 1:
        raise bad[0]
    if bad:
        why: dict[str, list[str]] = {}
        for one in bad:
            why.setdefault(one.what, []).append(one.name.removeprefix(f"{name}/"))
        named = "; ".join(f"{what}: {_listed(names)}" for what, names in why.items())
        raise DataUnavailable(
            f"{len(bad)} images of {shown(name)} will not do ({named}); remove or replace them and launch "
            "again"
        )
    return x


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(map(on_one_line, sorted(names)[:MOST_NAMED])) + more
