"""A visitor's own data: of uploaded files `main`, in a bounded process, makes an npz file of what was
understood, which is kept as `own/ROOM/ID.table` or `own/ROOM/ID.images`.
"""

import hashlib
import io
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets import _pictures, _table
from ldp_core.datasets._contents import held_out
from ldp_core.datasets._pictures import SIDE
from ldp_core.datasets._table import Card, TableFile
from ldp_core.datasets._table.features import Feature
from ldp_core.datasets._table.understood import Understood, understand
from ldp_core.datasets.base import Data, Dataset, Labels, Report, Step
from ldp_core.errors import DataUnavailable, InvalidInput, shown
from ldp_core.limits import spelled
from ldp_core.system.data_folder import own_dir
from ldp_core.tables import Table

NAMED = re.compile(r"(table|images):([0-9a-f]{16})\.([0-9a-f]{8})")
MOST_ROWS, MOST_NUMBERS = 200_000, 10_000_000
ARRAYS = ("train", "test", "labels", "owners")
CELLS = ("headings", "lines", "rows", "delimiter")


def main(asked: Mapping[str, str], files: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    """The npz file of uploaded files, or of a table's earlier one with another card. InvalidInput: the end of
    a sentence that begins with the data's name.
    """
    if "card" in asked:
        table = _cells(io.BytesIO(files["stored"]))
        about, arrays = _of_table(table, Card.of(asked["card"].encode()))
    elif next(iter(files)).lower().endswith(_table.TEXTS):
        table = _table.parsed(*files.values())
        _table.refuse_unreadable(table)
        about, arrays = _of_table(table, Card())
    else:
        about, arrays = _of_pictures(files)
    about["version"] = hashlib.sha256(
        b"".join(one.tobytes() for one in arrays.values()) + repr(about).encode()
    ).hexdigest()[:12]
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, about=_bytes(about), **arrays)
    return {"version": about["version"]}, out.getvalue()


def _of_pictures(files: Mapping[str, bytes]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    found = _pictures.by_kind(files)
    x = np.stack([one for those in found.values() for one in those])
    y = np.repeat(np.arange(len(found)), [len(those) for those in found.values()])
    train, test = held_out(len(y))
    order = np.concatenate([train, test])
    return {"classes": [*found], "train": len(train)}, {"x": x[order], "y": y[order]}


def _of_table(table: Table, card: Card) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if len(table.rows) > MOST_ROWS:
        raise InvalidInput(f"has {spelled(len(table.rows))} rows; at most {spelled(MOST_ROWS)} are taken")
    about: dict[str, Any] = {"headings": table.headings, "card": card.as_json().decode()}
    arrays = {"cells": _bytes([getattr(table, name) for name in CELLS])}
    try:
        card.refuse_unknown(table.headings)
        found = understand(table, card)
    except InvalidInput as error:  # its owner may describe it otherwise
        return about | {"refused": str(error)}, arrays
    if (numbers := len(table.rows) * found.width) > MOST_NUMBERS:
        raise InvalidInput(f"becomes {spelled(numbers)} numbers; at most {spelled(MOST_NUMBERS)} are taken")
    parts = {one.name: getattr(found, one.name) for one in fields(found)}
    arrays |= {name: one for name in ARRAYS if (one := parts.pop(name)) is not None}
    parts["features"] = [asdict(one) for one in found.features]
    return about | {"understood": parts}, arrays


def _bytes(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _json(stored: Mapping[str, NDArray[np.uint8]], name: str) -> Any:
    return json.loads(stored[name].tobytes())


def _cells(file: Path | io.BytesIO) -> Table:
    with np.load(file) as stored:
        headings, lines, rows, delimiter = _json(stored, "cells")
    return Table(tuple(headings), tuple(lines), tuple(rows), delimiter)


def described(file: Path) -> tuple[tuple[str, ...], Card]:
    """Headings and card of a stored table."""
    with np.load(file) as stored:
        about = _json(stored, "about")
    return tuple(about["headings"]), Card.of(about["card"].encode())


class OwnTable(TableFile):
    def table(self) -> Table:
        return _cells(self.home / self.files)


class OwnPictures(Dataset):
    shape = (3, SIDE, SIDE)
    file: ClassVar[Path]
    y: ClassVar[Labels]

    def read(self, root: Path, report: Report) -> Data:
        report(Step(f"Reading {self.label}"))
        with np.load(self.file) as stored:
            x, cut = stored["x"].astype(np.float32) / np.float32(255), self.train_size
        return Data(x[:cut], self.y[:cut], x[cut:], self.y[cut:], self.classes)

    def labels(self, root: Path) -> Labels:
        return self.y[: self.train_size]


def file_of(named: re.Match[str]) -> Path:
    return own_dir() / named[2] / f"{named[3]}.{named[1]}"


def current(named: re.Match[str]) -> type[Dataset] | None:
    """Data set of a name (`NAMED`), None if it is gone; DataUnavailable if a table needs another card."""
    try:
        return _kind(named[0], file := file_of(named), file.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError, BadZipFile):
        return None


def forget() -> None:
    _kind.cache_clear()


@lru_cache(maxsize=64)
def _kind(called: str, at: Path, changed: int) -> type[Dataset]:
    title = title_of(at)
    with np.load(at) as stored:
        about = _json(stored, "about")
        arrays = {name: stored[name] for name in ("y", *ARRAYS) if name in stored}
    if "refused" in about:
        raise DataUnavailable(f"the table {shown(title)} {about['refused']}")
    if "understood" in about:
        parts: dict[str, Any] = {
            key: tuple(one) if isinstance(one, list) else one for key, one in about["understood"].items()
        }
        parts["features"] = tuple(
            Feature(**one | {"scale": tuple(one["scale"])}) for one in parts["features"]
        )
        parts |= {"owners": None} | arrays
        found = Understood(**parts)
        return _table.of_rows(OwnTable, found, at.parent, at.name, title, called, about["version"])
    total = len(arrays["y"])

    class Pictures(OwnPictures):
        name = called
        label = f"Images: {title}"
        summary = (
            f"{spelled(total)} images of {len(about['classes'])} classes, “{title}”, cropped to a square and "
            f"scaled to {SIDE} × {SIDE} pixels in colour."
        )
        classes = len(about["classes"])
        class_names = tuple(about["classes"])
        train_size = about["train"]
        test_size = total - about["train"]
        version = about["version"]
        file = at
        y = arrays["y"]

    return Pictures


def title_of(file: Path) -> str:
    """Name of the uploaded file."""
    return file.with_suffix(".title").read_text(encoding="utf-8").partition("\n")[0]
