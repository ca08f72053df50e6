"""View of one claim: chart, arms beside the paper's figures, controls, actions, its re-measurement."""

import html
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.papers import Claim
from ldp_core.papers.rows import command, table_of
from ldp_core.papers.statements import in_unit, quantity, stated
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict, of_arm
from ldp_core.runs import STALLED, Job, Style, claims, how_far, jobs, kinds, of_claims, styles
from pages.parts.charts.base import MUTED, TEXT, Figure, Trace, colour, figure, line_style, scatter
from pages.parts.papers.badges import badge
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.job_actions import refusal, refusing, stop_button
from pages.parts.ui.polling import refreshing
from pages.parts.ui.tables import table
from pages.parts.ui.text import number, plain, seconds
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import look, who
from pages.parts.ui.workspace import start_with

PRINTED = re.compile(r"\b(?:\d[\d.]*e[+-]\d+|nan)\b")
"""Numbers as Python prints them."""
MOST_SECONDS = 3600.0
"""Longest estimated duration that a page launches; longer measurements are for the command line."""
EVERY = 1.0
"""Interval between two refreshes in seconds."""
MOST_LINES = 12


def claim_view(name: str, claim: Claim, shelf: Shelf, found: Verdict) -> None:
    st.markdown(plain(claim.setting, 300))
    if claim.note:
        st.caption(plain(claim.note, 500))
    with st.container(horizontal=True, vertical_alignment="center"):
        _again(name, claim)
        draft = claim.read_each[found.reading].draft
        if draft and st.button("Open in Train", key=f"open {name} {claim.id}"):
            start_with(draft)
            st.switch_page("train.py")
        identity = claim.id  # of the claim, not of a reading
        st.download_button(
            "Take it away (ZIP)",
            lambda: of_claims.packed(of_claims.pack(name, identity)),
            file_name=f"{name}-{identity}.zip",
            mime="application/zip",
            key=f"take {name} {identity}",
            on_click="ignore",
            help="Figure, settings, readings, seeds, versions, every run, the command that measures it",
        )
    quotes = claim.quotes
    if found.each:
        read, key = {one.name: its for one, its in found.each}, f"reading of {name} {claim.id}"
        chosen = st.segmented_control("Reading", list(read), default=found.reading, required=True, key=key)
        claim, found = claim.read_each[chosen], read[chosen]
    if found.parts:
        said = ([plain(one.says, 120), plain(in_unit(one), 60), badge(one.outcome)] for one in found.parts)
        table(("the paper says", "here", "word"), [*said])
    if why := claims.reason(claim, found):
        st.markdown(plain(why, 400))
    how, body = table_of(claim, shelf, found) if found.parts else ("", [])
    if body:
        st.markdown(f"The paper's table: {plain(how)}" + ("; in brackets its figures" if claim.paper else ""))
        table(list(body[0]), [[plain(cell) for cell in row.values()] for row in body])
    with st.expander(f"What the paper says of it ({len(quotes)})"):
        for quote in quotes:
            st.markdown(f"{plain(quote.where[0].upper() + quote.where[1:])}: “{plain(quote.text, 300)}”")
    if any(shelf.of_arm(claim, arm.label) for arm in claim.measured):
        _charts(name, claim, shelf)
        _arms(claim, shelf)
    if found.measured_by:
        st.caption(f"Measured by {plain(found.measured_by)}, {plain(found.date)}, {found.seeds} seeds.")


def _charts(name: str, claim: Claim, shelf: Shelf) -> None:
    height = 80 + 24 * sum(bool(shelf.of_arm(claim, arm.label)) for arm in claim.measured)
    curves, whose = rounds_figure(claim, shelf), f"the arms of “{claim.title}”"
    row, arms = 2 if curves else 1, arms_figure(claim, shelf)
    ends = "filled: the paper's own; open: controls; diamonds: the paper's figure"
    level = f", with {claim.level} intervals"
    shown = [ChartCard("Where each arm ends", level, ends, arms, f"Where {whose} end", height, row)]
    if curves:
        means = "means over seeds; colours as at the left, dashes in the order of the settings"
        label = f"Accuracy by round of {whose}"
        shown.append(ChartCard("Round by round", ", the paper's own arms", means, curves, label, height, row))
    components.draw("cards", components.sheet(shown), key=f"figures {name} {claim.id}")


def _arms(claim: Claim, shelf: Shelf) -> None:
    why = {control.arm: f"control: {control.why}" for control in claim.controls}
    figures = {arm.label: shelf.of_arm(claim, arm.label).values() for arm in claim.measured}
    unit, rows = quantity(claim.about).unit, []
    for label, known in figures.items():
        ours, printed = of_arm(claim, shelf, label), claim.paper.get(label)
        lost = [_readable(one.status) for one in known if one.value is None]
        failed = f"{len(lost)} of {len(known)} seeds, the first {lost[0]}" if lost else ""
        rows.append(
            [
                plain(label),
                f"{printed:g} {unit}".rstrip() if printed is not None else "–",
                plain(stated(ours, unit)) if ours else "–",
                str(ours.seeds) if ours else "0",
                plain("; ".join(filter(None, (why.get(label), failed))), 300),
            ]
        )
    with st.expander(f"All arms in numbers, with {claim.level} intervals"):
        table(("arm", "the paper", "here", "seeds", "note"), rows)


def _readable(status: str) -> str:
    """A stored reason, with its numbers as people write them."""
    return PRINTED.sub(lambda x: "no number" if x[0] == "nan" else number(float(x[0])), status)


def _again(name: str, claim: Claim) -> None:
    job, key = _newest(name, claim.id), f"again {name} {claim.id}"
    if job is not None and job.live:
        refreshing(_watch, every=EVERY)(name, claim.id)
        return
    takes = claims.seconds_of(claim)
    long = takes is not None and takes > MOST_SECONDS
    st.button(
        "Run this claim again",
        type="primary",
        key=key,
        on_click=_launch,
        args=(name, claim.id),
        disabled=bool(claim.missing) or long,
    )
    refusal(key)
    runs = f"{len(claim.measured) * claim.seeds * len(claim.read_each)} runs"
    about = f"{runs}, about {seconds(takes)} here" if takes else runs
    if claim.missing:
        st.caption(f"needs data that are not on this machine: {plain(claim.missing)}")
    elif long:
        st.caption(f"{about}: too long for a page. `{command(name, claim, '')}`")
    else:
        st.caption(about)
    if job is not None and job.status not in ("completed", "cancelled"):
        st.error(f"The last try {plain(job.status)}: {plain(job.message or 'no reason was given', 300)}")


def _watch(name: str, identity: str) -> None:
    job = _newest(name, identity)
    if job is None or not job.live:
        st.rerun()
    far = how_far(job)
    words = "in the queue" if job.status == "queued" else str(far.step) if far else "begins"
    reason = f": {plain(job.message, 200)}" if job.message else ""
    verb = "Stalled" if job.status == STALLED else "Measuring again"
    st.progress(far.step.share if far else 0.0, text=f"{verb}, {words}{reason}")
    stop_button(job, f"stop {job.id}")


def _newest(name: str, identity: str) -> Job | None:
    found = jobs.of_draft(_draft(name, identity), "claim", most=1)
    return look(found[0].id) if found else None


@pressed
def _launch(name: str, identity: str) -> None:
    made = kinds.get("claim")
    with refusing(f"again {name} {identity}"):
        asked = made.read({"system": name, "claim": identity}, {})
        jobs.launch("claim", asked, _draft(name, identity), **who())


def _draft(name: str, identity: str) -> str:
    """Draft id for the jobs of a claim, which has no draft."""
    return f"{name}/{identity}"


def arms_figure(claim: Claim, shelf: Shelf) -> Figure:
    """A dot with an interval for each arm; a diamond for the paper's figure."""
    about, markers = quantity(claim.about), _markers(claim)
    unit = about.unit
    shown = [arm for arm in claim.measured if shelf.of_arm(claim, arm.label)][::-1]
    traces: list[Trace] = []
    for arm in shown:
        ours = of_arm(claim, shelf, arm.label)
        if ours is None:
            continue
        marker = markers[arm.label]
        half = ours.half if np.isfinite(ours.half) else 0.0
        error = {"type": "data", "array": [half], "color": marker["color"], "thickness": 1.5, "width": 4}
        hover = f"{stated(ours, unit)}<extra></extra>"
        traces.append(_dots([ours.mean], [arm.label], error_x=error, marker=marker, hovertemplate=hover))
    printed = [arm.label for arm in shown if arm.label in claim.paper]
    if printed:
        marker = {"size": 11, "color": TEXT, "symbol": "diamond-open"}
        hover = f"the paper: %{{x:.4~r}} {unit}<extra></extra>"
        values = [claim.paper[name] for name in printed]
        traces.append(_dots(values, printed, marker=marker, hovertemplate=hover))
    names = [html.escape(arm.label) for arm in shown]
    return figure(
        traces,
        x={"title": about.axis, "showgrid": True},
        y={"type": "category", "categoryorder": "array", "categoryarray": names},
        hovermode="closest",
    )


def rounds_figure(claim: Claim, shelf: Shelf) -> Figure | None:
    """Mean accuracy over rounds of the paper's own arms; None without training."""
    controls = {control.arm for control in claim.controls}
    made = styles_of(claim)
    traces: list[Trace] = []
    for arm in [arm for arm in claim.measured if arm.label not in controls][:MOST_LINES]:
        curves = [one.curve for one in shelf.of_arm(claim, arm.label).values() if one.curve]
        if curves:
            mean = [100 * float(np.mean([v for v in at if v is not None])) for at in zip_longest(*curves)]
            style = line_style(colour(made[arm.label].tint), 2, dash=made[arm.label].dash)
            hover = f"{html.escape(arm.label)}: %{{y:.1f}} %<extra></extra>"
            traces.append(scatter(np.arange(len(mean)), mean, **style, hovertemplate=hover))
    y = {"title": "accuracy, %", "rangemode": "tozero"}
    tip = {"font": {"size": 12, "color": MUTED}, "bgcolor": "var(--st-secondary-background-color)"}
    return figure(traces, x={"title": "round"}, y=y, hoverlabel=tip) if traces else None


def _markers(claim: Claim) -> dict[str, dict[str, Any]]:
    """Marker of each arm, hollow for a control."""
    controls = {control.arm for control in claim.controls}
    return {
        label: {
            "size": 9,
            "color": colour(style.tint),
            "symbol": "circle-open" if label in controls else "circle",
        }
        for label, style in styles_of(claim).items()
    }


def styles_of(claim: Claim) -> dict[str, Style]:
    """Style of each arm: its part's colour as on every page; dashes distinguish populations."""
    sets = [Variant(arm.label, arm.set) for arm in claim.measured]
    found = styles(Draft(claim.draft.base if claim.draft else parse({}), tuple(sets)), shared=True)
    return {variant.label: style for variant, style in zip(sets, found, strict=True)}


def _dots(x: Sequence[float], names: Sequence[str], **options: Any) -> Trace:
    y = [html.escape(name) for name in names]
    return {"type": "scatter", "x": list(x), "y": y, "mode": "markers", "showlegend": False, **options}
