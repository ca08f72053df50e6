"""A row comes back attribute by attribute: how far off, against the column's own spread, beside a guess."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import datasets
from ldp_core.images import encode
from tests.pages.conftest import drawn

ROWS = [(i * 37 % 100, ["red", "green", "blue"][i % 3], "yes" if i % 2 else "no") for i in range(200)]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    lines = ["age,colour,target", *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "mine.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "mine.json").write_text('{"scales": {"age": [0, 255]}}', encoding="utf-8")
    return datasets.get("table:mine")


def page() -> None:
    import streamlit as st

    from pages.parts.train.attributes import attributes

    row, close, far, average = st.session_state["rows"]
    attributes("table:mine", "Client 1", row, {"close": close, "far": far}, average)


def test_how_far_off_stands_against_the_columns_own_spread(source: Any):
    spread = source.load(Path()).test_x[:, 0, 0].std() * 255
    rows = [[40, 0, 0, 255], [40 + 0.05 * spread, 10, 9, 90], [40 + spread, 0, 200, 0], [40, 99, 77, 88]]
    app = drawn(page, rows=[encode(np.array([row]) / 255) for row in rows])
    _, table = (one.value for one in app.markdown)
    assert source.found.columns[1].scale == ("blue", "green", "red")
    age, colour = table.splitlines()[2:]
    assert age.startswith("| age | 40 | ")
    assert [cell.partition(", ")[2].strip() for cell in age.split("|")[3:6]][2] == "right"
    off = [float(cell.split("off by ")[1].split()[0]) for cell in age.split("|")[3:5]]
    assert np.allclose(off, [0.05, 1.0], atol=0.51 / spread)
    assert [cell.strip() for cell in colour.split("|")[2:6]] == [
        "red",
        "red, right",
        "green, wrong",
        "blue, wrong",
    ]
