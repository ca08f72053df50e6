"""Imported rounds beside the compared runs: drawn, never judged.

Their ids are in the address (`?beside=ID,ID`).
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from ldp_core.errors import StudioError
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import OTHERWISE, Outside, outside, rounds_of_others
from pages.parts.charts.rounds import Beside
from pages.parts.ui.job_actions import act
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.tables import table
from pages.parts.ui.text import listed, number, percent, plain
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.visitor import visitor, who

PARAMETER = "beside"
MOST = 3
"""Largest number of imported lines beside six runs."""
MOST_FILES = 10
UPLOAD, SAID, KEY = "rounds from elsewhere", "what became of the rounds", "rounds beside"
HELP = (
    "A round a line: `round`, and `accuracy` (0 to 1), `loss` or `noise_variance`; where there are several "
    "runs, `label` and `seed`. It is drawn beside ours, marked as not ours"
)


class Curve(NamedTuple):
    """Runs of one label in one imported file, over seeds."""

    label: str
    file: str
    runs: tuple[rounds_of_others.Line, ...]

    def mean(self, name: str) -> tuple[Floats, Floats]:
        """Rounds that all seeds have, and the mean there; empty if there are none."""
        runs = [dict(run.figures.get(name, ())) for run in self.runs]
        rounds = sorted(set.intersection(*(set(run) for run in runs)))
        values = [[run[number] for run in runs] for number in rounds]
        # a value that the file calls no number is a gap in the curve
        means = [np.nan if None in some else sum(some) / len(runs) for some in values]  # type: ignore[arg-type]
        return np.array(rounds, dtype=np.float64), np.array(means)

    @property
    def gaps(self) -> int:
        return sum(
            value is None for run in self.runs for points in run.figures.values() for _, value in points
        )


def chosen() -> list[Outside]:
    """Imported rounds that the address names, as far as present."""
    named = [*dict.fromkeys(st.query_params.get(PARAMETER, "").split(","))][:MOST_FILES]
    return [found for identity in named if (found := outside.get(identity))]


def choose() -> None:
    with st.popover("Rounds measured elsewhere", type="tertiary"):
        kinds = [ending.removeprefix(".") for ending in outside.ROUNDS]
        st.file_uploader("CSV or JSON lines", type=kinds, key=UPLOAD, on_change=_take, help=HELP)
        good, words = st.session_state.get(SAID, (True, ""))
        if words:
            (st.success if good else st.error)(words)
        now = chosen()
        known = {one.id: one for one in [*now, *outside.known()]}
        if st.session_state.get(KEY) != (shown := [one.id for one in now]):
            st.session_state[KEY] = shown
        if known:
            names = {one.id: one.name for one in known.values()}
            words = "Shown beside ours"
            st.multiselect(words, list(names), format_func=names.__getitem__, key=KEY, on_change=_keep)
        for one in known.values():
            if visitor().owns(one.owner):
                words, key, do = f"Remove {plain(one.name, 30)}", f"remove {one.id}", (outside.remove, one.id)
                st.button(words, key=key, type="tertiary", on_click=act, args=do)


@uncut
def _take() -> None:
    file = st.session_state[UPLOAD]
    st.session_state.pop(SAID, None)
    if file is None:
        return
    name = file.name.rpartition(".")[0]
    try:
        identity = outside.take(file.getvalue(), name, **who())
    except StudioError as error:
        words = f"Nothing of {plain(file.name, 40)} was taken: {plain(error_in_words(error), 300)}."
        st.session_state[SAID] = (False, words)
    else:
        st.session_state[SAID] = (True, f"{plain(name, 40)} is here, and drawn beside ours.")
        st.query_params[PARAMETER] = ",".join([*(one.id for one in chosen()), identity])


@uncut
def _keep() -> None:
    st.query_params[PARAMETER] = ",".join(st.session_state[KEY])


def curves(found: Sequence[Outside]) -> list[Curve]:
    made = []
    for one in found:
        for label in dict.fromkeys(line.label for line in one.lines):
            runs = tuple(line for line in one.lines if line.label == label)
            made.append(Curve(label or one.name, one.name, runs))
    return made


def drawn(found: Sequence[Curve], name: str, taken: Collection[int]) -> list[Beside]:
    """Curves of one figure, as many as are distinguishable, in colours that no run has."""
    free = [tint for tint in OTHERWISE if tint not in taken]
    lines = [(curve, *curve.mean(name)) for curve in found[:MOST]]
    return [
        Beside(curve.label, rounds, values, tint)
        for (curve, rounds, values), tint in zip(lines, free, strict=False)
        if np.isfinite(values).any()
    ]


def show(found: Sequence[Curve]) -> None:
    if not found:
        return
    st.subheader("Measured elsewhere, not ours", anchor=False)
    rows = []
    for curve in found:
        rounds, values = curve.mean("accuracy")
        last = np.flatnonzero(~np.isnan(values))[-1:].tolist()
        end = [f"{percent(float(values[at]), 1)} after round {number(rounds[at], 6)}" for at in last] or ["–"]
        rows.append(
            [f"**{plain(curve.label, 40)}**", plain(curve.file, 40), number(len(curve.runs), 6), *end]
        )
    table(["run", "from the file", "seeds", "accuracy"], rows)
    gaps = sum(curve.gaps for curve in found)
    rest = listed(plain(curve.label, 30) for curve in found[MOST:]) if len(found) > MOST else ""
    more = f" Not drawn, as more than {MOST} are hard to tell apart: {rest}." if rest else ""
    numbers = f" {gaps} of their values are no numbers (NaN): gaps in the curves." if gaps else ""
    st.caption(
        "As the files say: nothing here knows on which data and with which settings they were measured, so "
        f"what is said of differences, budgets and leakage is of our runs alone.{more}{numbers}"
    )
