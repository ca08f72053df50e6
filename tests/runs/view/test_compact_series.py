"""Columns: what was appended, as numbers, and what was read stays as it was."""

import tracemalloc
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ldp_core.runs.view.compact_series import Column

FIGURES = st.lists(st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-100, 100)), max_size=60)


def column(values: Sequence[float | None]) -> Column:
    made = Column()
    for value in values:
        made.append(value)
    return made


@given(FIGURES, st.slices(60))
def test_a_column_holds_what_was_appended(values: list[float | None], part: slice):
    made = column(values)
    expected = [np.nan if value is None else float(value) for value in values]
    assert len(made) == len(values)
    np.testing.assert_allclose([*made], expected, rtol=1e-7)
    np.testing.assert_array_equal(made[part], np.array([*made])[part])
    np.testing.assert_array_equal([made[at] for at in range(-len(made), len(made))], [*made] * 2)


@given(FIGURES, FIGURES)
def test_what_was_read_stays_as_it_was(values: list[float | None], later: list[float | None]):
    made = column(values)
    read = made[:]
    before = read.copy()
    for value in later:
        made.append(value)
    np.testing.assert_array_equal(read, before)


def test_a_figure_takes_five_bytes():
    tracemalloc.start()
    made = column([n / 7 for n in range(100_000)])
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 5 * len(made) + 1000
