"""A table as a data set: of the data folder, as `table:NAME`, or as others keep it."""

import contextlib
import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from ldp_core.datasets._contents import ID, RENAME
from ldp_core.datasets._table import parquet
from ldp_core.datasets._table.card import MOST_CARD, Card
from ldp_core.datasets._table.features import columns
from ldp_core.datasets._table.understood import Understood, understand
from ldp_core.datasets.base import Data, Dataset, Labels, Report, Step, quiet
from ldp_core.errors import DataUnavailable, InvalidExperiment, InvalidInput, shown
from ldp_core.limits import spelled
from ldp_core.system.bounded import answer
from ldp_core.tables import Table, read_table

PREFIX = "table:"
TEXTS = (".csv", ".tsv")
SUFFIXES = (*TEXTS, ".parquet")
MOST_BYTES = 20 * 2**20
Stamp = tuple[tuple[int, int], ...]


class TableFile(Dataset):
    """Rows of a CSV or Parquet file: numbers scaled to [0, 1], categories as 0 and 1 for each value.

    A row has the shape of an image one pixel high, so that what reads images off uploads reads rows as well.
    """

    images = False
    reference = "a table in the data folder"
    order = 95
    home: ClassVar[Path]
    understood: ClassVar[Understood]

    def load(self, root: Path, report: Report = quiet) -> Data:
        """As `Dataset.load`; `root` is ignored, since the path of the table is known."""
        try:
            return super().load(root, report)
        except InvalidInput as error:
            raise _wrong(self.files, f"has changed: it {error}") from None

    def read(self, root: Path, report: Report) -> Data:
        report(Step(f"Reading {self.label}"))
        table = self.table()
        known, cells = self.understood, columns(table)
        x = np.hstack([one.of(cells[one.place], table) for one in known.features])
        x, y = x[:, None, :], known.labels
        return Data(x[known.train], y[known.train], x[known.test], y[known.test], self.classes)

    def table(self) -> Table:
        return read(self.home / self.files)

    def labels(self, root: Path) -> Labels:
        return self.understood.labels[self.understood.train]

    @property
    def owners(self) -> Labels | None:
        return self.understood.owners

    def said(self) -> list[str]:
        """Sentences, without full stops, on how the table was understood."""
        known = self.understood
        rows = f"{spelled(self.train_size)} rows to train on, {spelled(self.test_size)} held out"
        first = f"{rows}; “{known.target}” is predicted from {spelled(known.width)} numbers a row"
        whose = f"; “{known.client}” names {spelled(len(known.clients))} clients" if known.clients else ""
        return [first + whose, *known.notes]


def tables(root: Path) -> dict[str, list[str]]:
    """Tables in a folder: files of a known ending, by name without ending."""
    found: dict[str, list[str]] = {}
    with contextlib.suppress(OSError):
        for file in sorted(root.iterdir()):
            if file.suffix.lower() in SUFFIXES and not file.name.startswith(".") and file.is_file():
                found.setdefault(file.stem, []).append(file.name)
    return found


def current(root: Path, identity: str) -> type[TableFile] | None:
    """Data set of a table file in its current state, or DataUnavailable; None if there is no such file."""
    if not (files := tables(root).get(identity)):
        return None
    if not ID.fullmatch(identity):
        raise _wrong(files[0], f"has a name that no data set can have; {RENAME}")
    if len(files) > 1:
        raise _wrong(files[0], f"has {shown(files[1])} beside it; remove one")
    file, card = root / files[0], root / f"{identity}.json"
    try:
        for one in (file, card):
            if not one.resolve().is_relative_to(root):
                raise _wrong(one.name, "is a link that leaves the data folder; put the file itself there")
        made = _kind(root, identity, files[0], (_stamp(file), _stamp(card)))
    except OSError as error:
        raise _wrong(files[0], f"cannot be read ({error.strerror}); look at its permissions") from None
    if isinstance(made, DataUnavailable):
        raise made
    return made


def every(root: Path) -> Iterator[type[TableFile] | DataUnavailable]:
    """Data set of each table in a folder, by name; the reason, as text, for an invalid table."""
    for name in tables(root):
        try:
            if made := current(root, name):
                yield made
        except DataUnavailable as error:
            yield error


def forget() -> None:
    """Clear the cache of tables, so that overwritten files are read again."""
    _kind.cache_clear()


def _stamp(file: Path) -> tuple[int, int]:
    try:
        about = file.stat()
    except FileNotFoundError:
        return 0, 0
    return about.st_mtime_ns, about.st_size


@lru_cache(maxsize=16)
def _kind(root: Path, identity: str, file: str, stamp: Stamp) -> type[TableFile] | DataUnavailable:
    """Data set class of a table file, or why the file is no valid table; cached by its `stamp`."""
    described = card_of(root / f"{identity}.json")
    at = f"{identity}.json"
    try:
        card = Card.of(described) if described else Card()
        at = file
        table = read(root / file)
        card.refuse_unknown(table.headings)
        found = understand(table, card)
    except InvalidInput as error:
        return _wrong(at, str(error))
    digest = hashlib.sha256(described)
    digest.update((root / file).read_bytes())
    return of_rows(TableFile, found, root, file, identity, f"{PREFIX}{identity}", digest.hexdigest()[:12])


def of_rows(
    kind: type[TableFile], found: Understood, root: Path, file: str, title: str, called: str, state: str
) -> type[TableFile]:
    class Rows(kind):  # type: ignore[misc, valid-type]
        label = f"Table: {title}"
        summary = (
            f"{spelled(len(found.train) + len(found.test))} rows of the table “{title}”, of "
            f"{len(found.classes)} classes ({shown(found.target)}), from {len(found.features)} columns: "
            "numbers scaled to 0 … 1, categories as 0 and 1 for each value."
        )
        shape = (1, found.width)
        classes = len(found.classes)
        class_names = found.classes
        clients = len(found.clients)
        train_size = len(found.train)
        test_size = len(found.test)
        files = file
        version = state
        left_out = "; ".join(found.notes)
        learnt = found.learnt
        home = root
        understood = found

    Rows.name = called
    return Rows


def card_of(file: Path) -> bytes:
    """Content of a table's card, at most its size limit; empty without a card."""
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_CARD + 1)
    except FileNotFoundError:
        return b""


def read(file: Path) -> Table:
    """Headings and cells of a CSV or Parquet file. InvalidInput: the end of a sentence that begins with its
    name.
    """
    if (size := file.stat().st_size) > MOST_BYTES:
        raise InvalidInput(f"has {size / 2**20:.1f} MB; at most {MOST_BYTES >> 20} MB are read")
    data = file.read_bytes()
    if file.suffix.lower() == ".parquet":
        found = answer(parquet.__name__, {"most": MOST_BYTES}, {"": data}, parquet.MEMORY, parquet.SECONDS)
        found.checked("cannot be read as Parquet within 2 GB of memory; save it as CSV")
        data = found.data
    return parsed(data)


def parsed(data: bytes) -> Table:
    try:
        return read_table(data, MOST_BYTES)
    except InvalidExperiment as error:
        one = error.problems[0]
        raise InvalidInput(f"cannot be read: {one}") from None


def _wrong(name: str, what: str) -> DataUnavailable:
    return DataUnavailable(f"the table {shown(name)} {what}")
