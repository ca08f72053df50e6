"""Cells of the heat map: text and colour, trained or predicted."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core.experiment.sweep import Sweep
from pages.parts.tune.axes import axis_of
from pages.parts.tune.found import Setting, verdict
from pages.parts.ui.text import percent

SCALE = ((0.0, (250, 240, 214)), (0.5, (170, 205, 222)), (1.0, (92, 158, 210)))
"""Colour by accuracy, each light enough for black letters; lightness falls monotonically."""
EXPECTED = {"learns": "should learn", "borderline": "borderline", "chance": "chance", "unknown": "unknown"}


def heat_data(sweep: Sweep, found: Sequence[Setting], chosen: int | None) -> dict[str, Any]:
    """Data for assets/web/heat.js: the first field across, others down."""
    if not sweep.grid:
        return _one_by_one(sweep, found, chosen)
    (across, columns), *rest = sweep.grid.items()
    first, made = axis_of(across, columns), [one.experiment for one in found]
    others = [axis_of(path, values) for path, values in rest]
    inner = len(found) // len(columns)
    rows = []
    for r in range(inner):
        ours = [found[c * inner + r] for c in range(len(columns))]
        name = ", ".join(axis.says(ours[0].set[axis.path]) for axis in others)
        rows.append({"name": name, "cells": [_cell(one, name, first.says(one.set[across])) for one in ours]})
    place = None if chosen is None else (chosen % inner) * len(columns) + chosen // inner
    return {
        "across": f"{first.titled(made)} →",
        "down": ", ".join(axis.titled(made) for axis in others),
        "columns": [first.says(value) for value in columns],
        "rows": rows,
        "chosen": place,
    }


def number_at(sweep: Sweep, place: int) -> int:
    """Number of the setting at a position of the heat map, row by row."""
    if not sweep.grid:
        return place
    columns = len(next(iter(sweep.grid.values())))
    inner = len(sweep.cells) // sweep.seeds // columns
    return (place % columns) * inner + place // columns


def _one_by_one(sweep: Sweep, found: Sequence[Setting], chosen: int | None) -> dict[str, Any]:
    """A row per setting, for listed or drawn ones."""
    rows = [{"name": one.values, "cells": [_cell(one, one.values, "")]} for one in found]
    made = [one.experiment for one in found]
    down = ", ".join(axis_of(path, (found[0].set.get(path),)).titled(made) for path in sweep.fields)
    return {"across": "", "down": down, "columns": ["accuracy"], "rows": rows, "chosen": chosen}


def _cell(one: Setting, row: str, column: str) -> dict[str, Any]:
    where = ", ".join(part for part in (row, column) if part)
    mean = one.mean
    if mean is None:
        expected = verdict(one.experiment)
        word = one.failed or expected.word
        text = EXPECTED.get(word, word)
        if expected.band and not one.failed:
            low, high = expected.band
            text = f"{100 * low:.0f}–{percent(high)}"
        said = f"{where}: {word}" if one.failed else f"{where}: not trained yet; expected: {word}, {text}"
        return {"text": text, "more": "", "fill": "", "mark": word, "label": said}
    spread = f"± {percent(min(1.0, mean.half), 1)}" if mean.half >= 5e-4 else f"{mean.seeds} seeds alike"
    alone = f"1 of {one.seeds} seeds" if one.seeds > 1 else "one seed"
    more = one.failed or (spread if mean.seeds > 1 else alone)
    return {
        "text": percent(mean.mean, 1),
        "more": more,
        "fill": paint(mean.mean),
        "mark": "trained",
        "label": f"{where}: accuracy {percent(mean.mean, 1)}, {more}",
    }


def paint(accuracy: float) -> str:
    places = [place for place, _ in SCALE]
    rgb = [float(np.interp(accuracy, places, [tint[i] for _, tint in SCALE])) for i in range(3)]
    return "#" + "".join(f"{round(c):02x}" for c in rgb)
