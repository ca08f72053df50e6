"""View of a sweep: heat map, opened cell, slices and Pareto front."""

from functools import partial

import streamlit as st

from ldp_core.experiment import Draft, changed
from ldp_core.experiment.sweep import Sweep
from ldp_core.runs import Job, SweepProgress
from ldp_core.theory.learnability import hits_in_words
from pages.parts.runs.job_state import because, far_state, is_gone
from pages.parts.runs.launching import asked_of
from pages.parts.runs.ticks import PARAMETER
from pages.parts.tune.axes import axis_of
from pages.parts.tune.curves import front_figure, in_words, slices_figure
from pages.parts.tune.found import Setting, as_good, settings, verdict
from pages.parts.tune.heat import heat_data, number_at
from pages.parts.tune.price import run_line
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.header import headline
from pages.parts.ui.polling import refreshing
from pages.parts.ui.shared_cache import watch_record
from pages.parts.ui.text import percent, plain
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.workspace import start_with

VERDICTS = "Before a cell is trained: where eight of ten experiments with as much noise ended."
RULE = f"Coloured by theory's rule of thumb ({hits_in_words()})."
PLANNED = "what is planned"
PRICED = "Accuracy against the worst-case budget of a run"


def sweep_view(job: Job | None, planned: Sweep | None, own: bool = False) -> None:
    """A job's sweep (`own` as for `watch_record`); before, the prediction for the planned one."""
    if job is not None:
        watch_record(job, SweepProgress, "sweep", _watch, own)
    elif planned is not None:
        refreshing(_before)(planned)


def _before(planned: Sweep) -> None:
    found = settings(planned, {})
    with st.container(border=True):
        _map(planned, found, PLANNED, key="heat before")
        st.caption(VERDICTS, help=RULE)
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
    trained = [(one.mean.mean, place) for place, one in enumerate(found) if one.mean is not None]
    if trained and not job.live:
        most, place = max(trained)
        headline(f"Best of {len(trained)}: {percent(most, 1)} with {plain(_named(sweep, found[place]), 200)}")
        tied = as_good(found, place)
        none = tied == len(trained) - 1
        which = "no other is" if none else f"{tied} other{'s are' if tied > 1 else ' is'} not"
        several = f"With {sweep.seeds} seeds {which} surely worse (95 % intervals for all pairs at once). "
        words = several if sweep.seeds > 1 else "One seed is too few to say which others are surely worse. "
        if words := words * bool(tied) + run_line(found[place].experiment):
            st.caption(words)
    with st.container(border=True):
        _map(sweep, found, job.id, key=f"heat {job.id}")
        waiting = any(not one.accuracies for one in found)
        st.caption(f"Press a cell to look into it. {VERDICTS * waiting}", help=RULE if waiting else None)
    _opened(sweep, found, job.id)
    _curves(sweep, found)


def _map(sweep: Sweep, found: list[Setting], place: str, key: str) -> None:
    data = heat_data(sweep, found, st.session_state.get(_cell(place)))
    components.draw("heat", data, key=key, on_opened_change=partial(_open, sweep, place, key))


def _cell(place: str) -> str:
    return f"cell of {place}"


@uncut
def _open(sweep: Sweep, place: str, key: str) -> None:
    pressed = st.session_state[key].get("opened")
    if isinstance(pressed, int):
        st.session_state[_cell(place)] = number_at(sweep, pressed)


def _opened(sweep: Sweep, found: list[Setting], place: str) -> None:
    """Draw the opened cell: results, ε, and a link to its run."""
    chosen = st.session_state.get(_cell(place))
    if chosen is None or not 0 <= chosen < len(found):
        return
    one = found[chosen]
    with st.container(border=True, key="opened cell"):
        st.markdown(f"**{plain(_named(sweep, one), 200)}**")
        each = ", ".join(percent(accuracy, 1) for accuracy in one.accuracies)
        expected = verdict(one.experiment)
        trained = one.accuracies or one.failed
        why = expected.why.removesuffix(": press Train") if trained else expected.why
        lines = [
            each and f"Accuracy by seed: {each}.",
            one.failed and f"A seed of it ended as “{one.failed}”.",
            f"Expected before training: {expected.word}; {why}.",
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


def _named(sweep: Sweep, one: Setting) -> str:
    """Fields of a setting with their values."""
    axes = ((axis_of(path, sweep.grid.get(path, (value,))), value) for path, value in one.set.items())
    return "; ".join(f"{axis.titled([one.experiment])}: {axis.says(value)}" for axis, value in axes)


def _curves(sweep: Sweep, found: list[Setting]) -> None:
    if not any(one.accuracies for one in found):
        return
    words, slices = in_words(found), slices_figure(sweep, found) if sweep.grid else None
    bars = "bars: 95 % interval over seeds" if sweep.seeds > 1 else "one seed: no interval"
    better = "on the line: nothing else is both cheaper and more accurate"
    charts = (
        ("Slices", ", a line for each row", bars, slices, "Accuracy over the first field"),
        ("What accuracy costs", ": accuracy against a run's ε", better, front_figure(found), PRICED),
    )
    shown = [
        Card(title, rest, caption, figure, f"{label}: {words}", row=2)
        for title, rest, caption, figure, label in charts
        if figure is not None
    ]
    if shown:
        components.draw("cards", components.sheet(shown), key="sweep charts")


def _state(job: Job, sweep: Sweep, progress: SweepProgress) -> None:
    every, done = len(sweep.cells), len(progress.cells)
    runs = f"{done} of {every} runs"
    if far_state(job, done / every, lambda left: f"{runs}{left}", f"{runs}; they are kept"):
        known = sum(bool(cell["known"]) for cell in progress.cells.values())
        before = f"; {known} of them had been trained before" if known else ""
        st.caption(f"Finished: {every} runs{before}{because(job)}.")
