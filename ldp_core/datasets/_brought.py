"""Tables and pictures that people bring, as data sets. Of a visitor's files `main` makes, in a bounded
process, the npz file that is kept as `own/ROOM/ID.table` or `own/ROOM/ID.images`.
"""

import csv
import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets import _pictures, _table
from ldp_core.datasets._columns import Feature
from ldp_core.datasets._data_card import Card, Seen
from ldp_core.datasets._found import Found, pooled
from ldp_core.datasets._pictures import SIDE, BadImage, hidden, is_image
from ldp_core.datasets._table import MOST_BYTES
from ldp_core.datasets.base import Data, Dataset, Labels, Report, Step
from ldp_core.errors import InvalidInput, shown
from ldp_core.limits import spelled
from ldp_core.system.data_folder import own_dir
from ldp_core.tables import Table, decimal_mark

TABLE, IMAGES = "table:", "images:"
NAMED = re.compile(r"(table|images):([0-9a-f]{16})\.([0-9a-f]{8})")
TEXTS = (".csv", ".tsv", ".jsonl", ".ndjson", ".csv.gz", ".tsv.gz", ".jsonl.gz")
MOST_ROWS, MOST_NUMBERS = 200_000, 10_000_000
ARRAYS = ("order", "y", "owners")
Arrays = dict[str, NDArray[Any]]
Source = Callable[[Report], NDArray[np.float32]]


class Brought(Dataset):
    """Samples that someone brought; `source` reads those that train, then those held out."""

    found: ClassVar[Found]
    source: ClassVar[Source]

    def read(self, root: Path, report: Report) -> Data:
        report(Step(f"Reading {self.label}"))
        x, y, cut = type(self).source(report), self.found.y, self.train_size
        return Data(x[:cut], y[:cut], x[cut:], y[cut:], self.classes)

    def labels(self, root: Path) -> Labels:
        return self.found.y[: self.train_size]

    @property
    def owners(self) -> Labels | None:
        return self.found.owners


class TableFile(Brought):
    """Rows of a table: numbers scaled to [0, 1], categories as 0 and 1 for each value.

    A row has the shape of an image one pixel high, so that what reads images off uploads reads rows as well.
    """

    images = False
    reference = "a table of one's own"
    order = 95


class Pictures(Brought):
    """PNG, JPEG and WebP images, cropped to a square, scaled to 32 × 32 and turned into colour."""

    reference = "pictures of one's own"
    order = 90


@dataclass(frozen=True)
class Look:
    """What is known of data that someone brought."""

    seen: Seen
    kind: type[Brought] | None
    refused: str = ""
    """Why there is no `kind`: the end of a sentence that begins with the data's name."""

    @property
    def trains(self) -> type[Brought]:
        """The data set; InvalidInput while it is refused, or a question is open."""
        if not self.kind:
            raise InvalidInput(self.refused)
        if self.seen.open:
            raise InvalidInput(f"leaves open: {'; '.join(one['asks'] for one in self.seen.open)}")
        return self.kind


def look_of(found: Found, seen: Seen, name: str, title: str, state: str, read: Source) -> Look:
    rows = bool(found.columns)
    if rows:
        what = (
            f"rows of the table “{title}”, of {len(found.classes)} classes ({shown(found.target)}), from "
            f"{len(found.columns)} columns: numbers scaled to 0 … 1, categories as 0 and 1 for each value."
        )
    else:
        what = (
            f"images of {len(found.classes)} classes, “{title}”, cropped to a square and scaled to {SIDE} × "
            f"{SIDE} pixels in colour."
        )
    own = {
        "__module__": __name__,
        "label": f"{'Table' if rows else 'Images'}: {title}",
        "summary": f"{spelled(len(found.y))} {what}",
        "shape": (1, sum(one.width for one in found.columns)) if rows else (3, SIDE, SIDE),
        "classes": len(found.classes),
        "class_names": found.classes,
        "clients": len(found.clients),
        "train_size": found.train,
        "test_size": len(found.y) - found.train,
        "version": state,
        "left_out": "; ".join(seen.notes),
        "learnt": found.learnt,
        "rows_each": found.rows_each,
        "found": found,
        "source": staticmethod(read),
    }
    base: Any = TableFile if rows else Pictures
    made: type[Brought] = type(base)("Own", (base,), own)
    made.name = name
    return Look(seen, made)


def as_csv(name: str, data: bytes) -> bytes:
    """A table in CSV, of a compressed one or of JSON lines. InvalidInput: the end of a sentence."""
    if name.lower().endswith(".gz"):
        try:
            with gzip.open(io.BytesIO(data)) as opened:
                data = opened.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            raise InvalidInput("cannot be unpacked") from None
    if not name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return data
    try:
        rows = [json.loads(line) for line in data[:MOST_BYTES].splitlines() if line.strip()]
        headings = [*dict.fromkeys(heading for row in rows for heading in row)]
        if any(isinstance(cell, list | dict) for row in rows for cell in row.values()):
            raise InvalidInput("holds lists or objects in its lines; give each a column of its own")
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise InvalidInput("is not JSON, an object a line") from None
    text = io.StringIO()
    csv.writer(text).writerows([headings, *([row.get(one, "") for one in headings] for row in rows)])
    return text.getvalue().encode("utf-8", "replace")


def is_table(path: str) -> bool:
    return path.lower().endswith(TEXTS) and not any(map(hidden, path.split("/")))


def main(asked: Mapping[str, str], files: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    """The npz file of uploaded files, or of an earlier one with another card. InvalidInput: the end of a
    sentence that begins with the data's name.
    """
    if "card" in asked:
        about, arrays = _again(files["stored"], Card.of(asked["card"].encode()))
    else:
        about, arrays = _of_files(files)
    about["version"] = hashlib.sha256(
        b"".join(one.tobytes() for one in arrays.values()) + repr(about).encode()
    ).hexdigest()[:12]
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, about=_bytes(about), **arrays)
    return {"kind": "images" if "paths" in about else "table"}, out.getvalue()


def _of_files(files: Mapping[str, bytes]) -> tuple[dict[str, Any], Arrays]:
    found = _pictures.unpacked(files)
    tables = [path for path in found if is_table(path)]
    if tables and not any(map(is_image, found)):
        if len(tables) > 1:
            raise InvalidInput(f"holds {len(tables)} tables; bring them one by one")
        return _of_table(as_csv(tables[0], found[tables[0]]()), Card())
    x = list[NDArray[np.uint8]]()
    for path, read in found.items():
        if _pictures.is_picture(path):
            if len(x) == _pictures.MOST_FILES:
                raise InvalidInput(f"holds more than {_pictures.MOST_FILES} pictures")
            try:
                x.append(_pictures.decoded(io.BytesIO(read()), path))
            except BadImage as error:
                raise InvalidInput(f"{shown(path)} {error.what}") from None
    _pictures.arranged([*found], Seen())  # refuses what no card can mend
    return _of_pictures([*found], np.stack(x), Card())


def _of_pictures(paths: list[str], x: NDArray[np.uint8], card: Card) -> tuple[dict[str, Any], Arrays]:
    """`x` are the pictures among the files, in the order of their paths."""
    seen = Seen(card)
    found = _pictures.arranged(paths, seen)
    place = np.cumsum([*map(_pictures.is_picture, paths)]) - 1
    found = replace(found, order=place[found.order])
    _give(seen, (x[found.order].reshape(len(found.y), -1) / np.float32(255)).astype(np.float32), found)
    about, arrays = _kept(found, seen)
    return about | {"paths": paths}, arrays | {"x": x}


def _of_table(data: bytes, card: Card) -> tuple[dict[str, Any], Arrays]:
    seen, source = Seen(card), {"source": np.frombuffer(data, np.uint8)}
    table = _table.read(data, seen)
    _table.refuse_unreadable(table)
    if len(table.rows) > MOST_ROWS:
        raise InvalidInput(f"has {spelled(len(table.rows))} rows; at most {spelled(MOST_ROWS)} are taken")
    try:
        found, x = _table.understand(table, seen)
    except InvalidInput as error:  # its owner may describe it otherwise
        return {"seen": seen.as_json(), "refused": str(error)}, source
    if x.size > MOST_NUMBERS:
        raise InvalidInput(f"becomes {spelled(x.size)} numbers; at most {spelled(MOST_NUMBERS)} are taken")
    _give(seen, x, found)
    about, arrays = _kept(found, seen)
    return about, arrays | source | {"x": x}


def _kept(found: Found, seen: Seen) -> tuple[dict[str, Any], Arrays]:
    """What was found, as JSON and arrays."""
    parts = vars(found) | {"columns": [asdict(one) for one in found.columns]}
    arrays = {name: one for name in ARRAYS if (one := parts.pop(name)) is not None}
    return {"seen": seen.as_json(), "found": parts}, arrays


def _found(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Found:
    """Inverse of `_kept`, also of what an earlier version has kept."""
    own = {name: arrays[name] for name in ARRAYS if name in arrays}
    if "found" in about:
        parts = about["found"]
    elif "understood" in about:
        parts = {name: one for name, one in about["understood"].items() if name != "notes"}
        own["order"] = np.concatenate([arrays["train"], arrays["test"]])
        own["y"] = arrays["labels"][own["order"]]
        parts |= {"train": len(arrays["train"]), "columns": parts.pop("features")}
    else:
        parts = {"classes": about["classes"], "train": about["train"], "clients": ()}
        own["order"] = np.arange(len(own["y"]))
    lists = {name: tuple(parts.get(name, ())) for name in ("classes", "clients")}
    columns = tuple(Feature(**one | {"scale": tuple(one["scale"])}) for one in parts.get("columns", ()))
    return Found(**{"owners": None} | parts | own | lists | {"columns": columns})


def _give(seen: Seen, x: NDArray[np.float32], found: Found) -> None:
    seen.ceiling = pooled(x, found.y, found.train)
    seen.gives.append(f"one linear model of all the data, without noise, reaches {seen.ceiling:.0%}")


def give(look: Look, root: Path, report: Report) -> None:
    """Add to what is seen of data what a model without noise reaches."""
    if look.kind and look.seen.ceiling is None:
        data = look.kind().load(root, report)
        x = np.concatenate([data.train_x, data.test_x])
        _give(look.seen, x.reshape(len(x), -1), look.kind.found)


def _again(stored: bytes, card: Card) -> tuple[dict[str, Any], Arrays]:
    with np.load(io.BytesIO(stored)) as arrays:
        if "paths" in (about := _json(arrays, "about")):
            return _of_pictures(about["paths"], arrays["x"], card)
        if "source" in arrays:
            return _of_table(arrays["source"].tobytes(), card)
        table = _cells(arrays)
    text = io.StringIO()  # of an earlier version
    csv.writer(text, delimiter=table.delimiter).writerows([table.headings, *table.rows])
    return _of_table(text.getvalue().encode(), card)


def _bytes(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _json(stored: Mapping[str, NDArray[np.uint8]], name: str) -> Any:
    return json.loads(stored[name].tobytes())


def _cells(stored: Mapping[str, NDArray[Any]]) -> Table:
    """Table that an earlier version has stored cell by cell."""
    headings, lines, rows, delimiter = _json(stored, "cells")
    return Table(tuple(headings), tuple(lines), tuple(rows), delimiter)


def _rows(at: Path, found: Found, report: Report) -> NDArray[np.float32]:
    with np.load(at) as stored:
        if "x" in stored:
            return stored["x"][:, None, :]
        table = _cells(stored)
    decimal = decimal_mark({cell for row in table.rows for cell in row}, table.delimiter) or "."
    return _table.numbers_of(found, _table.columns_of(table, Card(), decimal))[:, None, :]


def _pixels(at: Path, report: Report) -> NDArray[np.float32]:
    with np.load(at) as stored:
        x = stored["x"]
        return (x[stored["order"]] if "order" in stored else x).astype(np.float32) / np.float32(255)


def file_of(named: re.Match[str]) -> Path:
    return own_dir() / named[2] / f"{named[3]}.{named[1]}"


def title_of(file: Path) -> str:
    """Name of the uploaded file."""
    return file.with_suffix(".title").read_text(encoding="utf-8").partition("\n")[0]


def current(named: re.Match[str]) -> Look | None:
    """What is known of a visitor's data by their name (`NAMED`); None if they are gone."""
    try:
        return _look(named[0], file := file_of(named), file.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError, BadZipFile):
        return None


def forget() -> None:
    _look.cache_clear()


@lru_cache(maxsize=64)
def _look(called: str, at: Path, changed: int) -> Look:
    with np.load(at) as stored:
        about = _json(stored, "about")
        arrays = {name: stored[name] for name in (*ARRAYS, "train", "test", "labels") if name in stored}
    earlier = {
        "card": json.loads(about.get("card", "{}")),
        "notes": about.get("understood", {}).get("notes", []),
    }
    seen = Seen.of(about.get("seen", earlier))
    if "refused" in about:
        return Look(seen, None, about["refused"])
    found = _found(about, arrays)
    read = partial(_rows, at, found) if found.columns else partial(_pixels, at)
    return look_of(found, seen, called, title_of(at), about["version"], read)
