"""A row that came back, attribute by attribute, against the column's own spread."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import streamlit as st

from ldp_core import datasets
from ldp_core.datasets import TableFile, data_dir
from ldp_core.errors import StudioError
from ldp_core.images import decode
from pages.parts.charts.series import Series
from pages.parts.train.server_panel import budget_of
from pages.parts.ui.tables import table
from pages.parts.ui.text import number, plain

IMAGES = re.compile(r"\b(?:image|picture)s?\b", re.IGNORECASE)
WORDS = {"image": "row", "picture": "strip"}
"""Words for a row of a table, which is drawn as a strip with a grey value per attribute."""
DRAWN = ("pixels", "figure")
NEAR = 0.1
"""Error, relative to a column's spread, below which a number counts as recovered."""
RULE = (
    "An attribute is back when its number is within a tenth of the column's spread (the standard deviation "
    "of the held-out rows), or its category is the right one; what the average of all rows gives without any "
    "upload stands beside. Numbers are compared and shown to 1/255 of their scale."
)


def is_table(dataset: str) -> bool:
    return dataset.startswith("table:")


def of_rows(said: Any, dataset: str) -> Any:
    """Data of a view in which words for images are replaced by words for rows, if the data set is a table."""
    if not is_table(dataset):
        return said
    if isinstance(said, str):
        return IMAGES.sub(_as_row, said)
    if isinstance(said, dict):
        return {key: one if key in DRAWN else of_rows(one, dataset) for key, one in said.items()}
    return type(said)(of_rows(one, dataset) for one in said) if isinstance(said, list | tuple) else said


def _as_row(found: re.Match[str]) -> str:
    word = found[0]
    said = WORDS[word.lower().removesuffix("s")] + ("s" if word.endswith("s") else "")
    return said.capitalize() if word[0].isupper() else said


def attributes_of_runs(shown: Sequence[Series], dataset: str) -> None:
    """Draw, for each attacked client, the closest reconstruction of its row in each run."""
    attacked = [one for one in shown if one.runs[0].targets]
    for client in attacked[0].runs[0].targets if attacked else ():
        closest = {
            one.label: tries.closest["image"]
            for one in attacked
            if (tries := one.runs[0].tries.get(("audit", client))) and tries.closest
        }
        if closest:
            run = attacked[0].runs[0]
            who = f"Client {client + 1}, {budget_of(attacked[:1], client)}: closest of all rounds"
            attributes(dataset, who, run.targets[client]["image"], closest, run.start["mean_image"])
    if not attacked:
        st.caption("Nothing was attacked so far.")


def attributes(dataset: str, who: str, row: Any, found: Mapping[str, Any], average: Any) -> None:
    """Draw true and reconstructed attributes of a row; nothing if the data set was deleted."""
    try:
        source = datasets.get(dataset)
        spreads = _spreads(dataset, source.version)
    except StudioError:
        return
    if not isinstance(source, TableFile) or decode(row).size != source.features:
        return
    guesses = [*found.items(), ("the average of all rows", average)]
    true, *said = (decode(one).ravel() / 255 for one in (row, *(body for _, body in guesses)))
    lines, back, at = [], np.zeros(len(guesses), np.int64), 0
    for column in source.found.columns:
        part = slice(at, at + column.width)
        at += column.width
        cells = [plain(column.heading, 40), _value(column, true[part])]
        for i, guess in enumerate(said):
            off = abs(float(guess[part][0] - true[part][0]))
            right = guess[part].argmax() == true[part].argmax()
            spread = off / max(spreads[part.start], 1e-9)
            back[i] += spread <= NEAR if column.number else right
            exact = "right" if right or column.number else "wrong"
            how = f"off by {number(spread, 2)} of its spread" if off and column.number else exact
            cells.append(f"{_value(column, guess[part])}, {how}")
        lines.append(cells)
    names = [plain(name, 40) for name, _ in guesses]
    counts = "; ".join(f"{name}: {n}" for name, n in zip(names, back.tolist(), strict=True))
    st.markdown(f"**{plain(who, 120)}** · attributes that are back, of {len(lines)}: {counts}")
    table(["column", "in the row", *names], lines)


def _value(column: Any, part: np.ndarray) -> str:
    if not column.number:
        return plain(str(column.scale[int(part.argmax())]), 40) if part.any() else "none"
    low, high = map(float, column.scale)
    return number(low + float(part[0]) * (high - low))


@lru_cache(maxsize=16)
def _spreads(dataset: str, version: str) -> tuple[float, ...]:
    """The standard deviation of each number of a row over the held-out rows."""
    rows = datasets.get(dataset).load(data_dir()).test_x
    return tuple(rows.reshape(len(rows), -1).std(axis=0).tolist())
