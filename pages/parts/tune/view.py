"""View of a sweep: heat map, opened cell, and Pareto front."""

import html
import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.experiment import Draft, changed, plan
from ldp_core.experiment.sweep import Sweep
from ldp_core.inference import SEEDS, ahead, as_good, at_chance, finding
from ldp_core.runs import Job, SweepProgress, pilots
from ldp_core.theory import Outlook
from pages.parts.charts.base import MUTED, Figure, colour, figure, scatter, share_axis
from pages.parts.charts.pareto import ParetoPoint, budget_axis, front
from pages.parts.runs.job_state import because, far_state, is_gone
from pages.parts.runs.launching import asked_of
from pages.parts.runs.ticks import PARAMETER
from pages.parts.tune.axes import axis_of
from pages.parts.tune.found import TriedSetting, dearest, settings
from pages.parts.tune.price import chip, run_line, three_figures
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.header import headline
from pages.parts.ui.polling import outlook_of, refreshing, wait_for, within
from pages.parts.ui.shared_cache import watch_record
from pages.parts.ui.text import THIN, at_most, deltas, percent, plain, whole_runs
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.workspace import start_with

VERDICTS = "Where nine of ten runs end, in %; green learns, orange may, red is chance."
MOST_TRIED = 60
"""Number of settings of a planned sweep that are tried out, besides an opened one."""
PLANNED = "what is planned"
ACCURACY = {"title": "accuracy", **share_axis(1.02)}
SCALE = ((0.0, (250, 240, 214)), (0.5, (170, 205, 222)), (1.0, (92, 158, 210)))
"""Colour by accuracy, each light enough for black letters; lightness falls monotonically."""
EXPECTED = {"learns": "should learn", "borderline": "borderline", "chance": "chance", "unknown": "unknown"}


def sweep_view(job: Job | None, planned: Sweep | None, own: bool = False) -> None:
    """A job's sweep (`own` as for `watch_record`); before, the prediction for the planned one."""
    if job is not None:
        watch_record(job, SweepProgress, "sweep", _watch, own)
    elif planned is not None:
        refreshing(_before)(planned)


def _before(planned: Sweep) -> None:
    found = settings(planned, {})
    with st.container(border=True):
        _map(planned, found, PLANNED, key="heat before", tried=range(MOST_TRIED))
        st.caption(VERDICTS)
    opened = st.session_state.get(_cell(PLANNED))
    tried = [*found[:MOST_TRIED], *found[opened or 0 : (opened or 0) + 1]]
    wait_for([*dict.fromkeys(one.experiment for one in tried)])
    _opened(planned, found, PLANNED)


def _watch(job: Job, progress: SweepProgress) -> None:
    sweep = asked_of(job)
    if sweep is None:
        st.error("What was to be swept over cannot be read any more.")
        return
    _state(job, sweep, progress)
    if is_gone(job):
        return
    found = settings(sweep, dict(progress.cells))
    if (whole := [one for one in found if one.whole]) and not job.live:
        ends = [one.accuracies for one in whole]
        place = max(range(len(whole)), key=lambda one: np.mean(ends[one]))
        one, most = whole[place], float(np.mean(ends[place]))
        where = plain(_named(sweep, one), 200)
        tied = as_good(ends, place, plan(one.experiment).source.test_size)
        chance = at_chance(most, 1 / plan(one.experiment).source.classes)
        facts = {"many": str(len(whole)), "tied": ahead(tied, len(whole)), "top": percent(most, 1)}
        kind = "swept, nothing learns" if chance else "swept"
        few = "Fewer than three seeds do not tell which others are worse." if tied else ""
        headline(finding(kind, best=where, **facts).text(), few * (sweep.seeds < SEEDS))
        seeds = f"mean of {sweep.seeds} seeds" if sweep.seeds > 1 else "one seed"
        three_figures(one.experiment, chip("Accuracy", percent(most, 1), seeds))
    with st.container(border=True):
        _map(sweep, found, job.id, key=f"heat {job.id}")
        waiting = any(not one.accuracies for one in found)
        st.caption(
            f"Press a cell to look into it; trained, it is bluer the more accurate. {VERDICTS * waiting}"
        )
    _opened(sweep, found, job.id)
    _curves(found)


def _map(sweep: Sweep, found: list[TriedSetting], place: str, key: str, tried: range = range(0)) -> None:
    data = heat_data(sweep, found, st.session_state.get(_cell(place)), tried)
    components.draw("heat", data, key=key, on_opened_change=partial(_open, sweep, place, key))


def _cell(place: str) -> str:
    return f"cell of {place}"


@uncut
def _open(sweep: Sweep, place: str, key: str) -> None:
    pressed = st.session_state[key].get("opened")
    if isinstance(pressed, int):
        st.session_state[_cell(place)] = number_at(sweep, pressed)


def _opened(sweep: Sweep, found: list[TriedSetting], place: str) -> None:
    """Draw the opened cell: results, ε, and a link to its run."""
    chosen = st.session_state.get(_cell(place))
    if chosen is None or not 0 <= chosen < len(found):
        return
    one = found[chosen]
    with st.container(border=True, key="opened cell"):
        st.markdown(f"**{plain(_named(sweep, one), 200)}**")
        each = ", ".join(percent(accuracy, 1) for accuracy in one.accuracies)
        expected = outlook_of(one.experiment)
        trained = one.accuracies or one.failed
        why = expected.why.removesuffix(": press Train") if trained else expected.why
        words = f"{expected.words}; {why}." if expected is not pilots.TESTING else why
        lines = [
            each and f"Accuracy by seed: {each}.",
            one.failed and f"A seed of it ended as “{one.failed}”.",
            (place == PLANNED or expected is not pilots.TESTING) and f"Expected before training: {words}",
        ]
        for line in filter(None, lines):
            st.markdown(f"- {plain(line, 400)}")
        if cost := run_line(one.experiment):
            st.markdown(f"- {cost}")
        if st.button("Open it on Train", type="secondary", key="open cell"):
            base = changed(sweep.base, dict(one.set))
            start_with(Draft.alone(base, sweep.seeds))
            st.switch_page("train.py")
        if place != PLANNED and one.whole:
            words = ":blue[Hold it against other runs]"
            st.page_link("compare.py", label=words, query_params={PARAMETER: f"{place}.{chosen}"})


def _named(sweep: Sweep, one: TriedSetting) -> str:
    """Fields of a setting with their values."""
    axes = ((axis_of(path, sweep.grid.get(path, (value,))), value) for path, value in one.set.items())
    return "; ".join(f"{axis.titled([one.experiment])}: {axis.says(value)}" for axis, value in axes)


def _curves(found: list[TriedSetting]) -> None:
    if figure := front_figure(found):
        better = "on the line: nothing else is both cheaper and more accurate"
        label = f"Accuracy against the worst-case budget of a run: {in_words(found)}"
        card = ChartCard("What accuracy costs", ": accuracy against a run's ε", better, figure, label)
        components.draw("cards", components.sheet([card]), key="sweep charts")


def _state(job: Job, sweep: Sweep, progress: SweepProgress) -> None:
    every, done = len(sweep.cells), len(progress.cells)
    runs = f"{done} of {every} runs"
    if far_state(job, done / every, lambda left: f"{runs}{left}", f"{runs}; they are kept"):
        known = sum(bool(cell["known"]) for cell in progress.cells.values())
        before = f"; {known} of them had been trained before" if known else ""
        st.caption(f"Finished: {every} runs{before}{because(job)}.")


def front_figure(found: Sequence[TriedSetting]) -> Figure | None:
    """Accuracy over the run's worst-case ε; None if no setting has a bound."""
    points, at = list[ParetoPoint[TriedSetting]](), list[float]()
    for one in found:
        if one.mean is not None and (cost := dearest(one.experiment)) and 0 < cost.bound < math.inf:
            points.append(ParetoPoint(one, one.mean.mean, cost.bound))
            at.append(cost.delta)
    if not points:
        return None

    def drawn(some: Sequence[ParetoPoint[TriedSetting]], **looks: Any) -> dict[str, Any]:
        return scatter([one.price for one in some], [one.accuracy for one in some], **looks)

    best, line, whole = front(points), colour(2), whole_runs(one.one.experiment for one in points)
    return figure(
        [
            drawn(best, mode="lines", line={"color": line, "width": 2.5, "shape": "hv"}, hoverinfo="skip"),
            drawn(
                points,
                mode="markers",
                marker={"color": MUTED, "size": 6},
                text=[html.escape(point.one.values) for point in points],
                customdata=[at_most(point.price, 4) for point in points],
                hovertemplate="%{text}<br>%{y:.1%} at ε %{customdata} a run<extra></extra>",
            ),
            drawn(best, mode="markers", marker={"color": line, "size": 10}, hoverinfo="skip"),
        ],
        x={"title": f"ε for {whole}{deltas(at)}, at worst, dearest client"}
        | budget_axis([point.price for point in points]),
        y=ACCURACY,
        hovermode="closest",
    )


def in_words(found: Sequence[TriedSetting]) -> str:
    known = [(one.mean.mean, html.escape(one.values)) for one in found if one.mean is not None]
    most, best = max(known)
    return f"{len(known)} settings; first by its mean is {best} with {percent(most, 1)}"


def heat_data(
    sweep: Sweep, found: Sequence[TriedSetting], chosen: int | None, tried: range = range(0)
) -> dict[str, Any]:
    """Data for assets/web/heat.js: the first field across, others down; `tried`: numbers of the settings that
    a trial is asked for.
    """
    waiting = [one for one in found if one.mean is None]
    known = pilots.known(one.experiment for one in waiting)
    views = dict(zip((one.number for one in waiting), known, strict=True))
    if not sweep.grid:
        return _one_by_one(sweep, found, views, chosen, tried)
    (across, columns), *rest = sweep.grid.items()
    first, made = axis_of(across, columns), [one.experiment for one in found]
    others = [axis_of(path, values) for path, values in rest]
    inner = len(found) // len(columns)
    rows = []
    for r in range(inner):
        ours = [found[c * inner + r] for c in range(len(columns))]
        name = ", ".join(axis.says(ours[0].set[axis.path]) for axis in others)
        cells = [
            _square(one, views.get(one.number), name, first.says(one.set[across]), tried) for one in ours
        ]
        rows.append({"name": name, "cells": cells})
    place = None if chosen is None else (chosen % inner) * len(columns) + chosen // inner
    return {
        "across": f"{first.titled(made).partition(', ')[0]} →",
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


def _one_by_one(
    sweep: Sweep,
    found: Sequence[TriedSetting],
    views: Mapping[int, Outlook],
    chosen: int | None,
    tried: range,
) -> dict[str, Any]:
    """A row per setting, for listed or drawn ones."""
    rows = [
        {"name": one.values, "cells": [_square(one, views.get(one.number), one.values, "", tried)]}
        for one in found
    ]
    made = [one.experiment for one in found]
    down = ", ".join(axis_of(path, (found[0].set.get(path),)).titled(made) for path in sweep.counts)
    return {"across": "", "down": down, "columns": ["accuracy"], "rows": rows, "chosen": chosen}


def _square(
    one: TriedSetting, expected: Outlook | None, row: str, column: str, tried: range
) -> dict[str, Any]:
    where = ", ".join(part for part in (row, column) if part)
    mean = one.mean
    if mean is None:
        expected = expected or pilots.TESTING
        word = one.failed or expected.word
        text = (not one.failed and within(expected)) or EXPECTED.get(word, word)
        if expected is pilots.TESTING and not one.failed:
            text = expected.why if one.number in tried else "not tried"
        said = f"{where}: {word}" if one.failed else f"{where}: not trained yet; expected: {word}, {text}"
        return {"text": text.removesuffix(f"{THIN}%"), "more": "", "fill": "", "mark": word, "label": said}
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
