"""View of one claim: chart, arms beside the paper's figures, controls, actions, its re-measurement."""

import html
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.papers import Claim
from ldp_core.papers.rows import command, table_of
from ldp_core.papers.statements import in_unit, quantity, stated
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict, of_arm
from ldp_core.runs import STALLED, Job, claims, how_far, jobs, kinds, of_claims
from pages.parts.charts.base import TEXT, Figure, Trace, colour, figure
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
    if found.reason:
        st.markdown(plain(found.reason, 400))
    with st.expander(f"What the paper says of it ({len(quotes)})"):
        for quote in quotes:
            st.markdown(f"{plain(quote.where[0].upper() + quote.where[1:])}: “{plain(quote.text, 300)}”")
    if any(shelf.of_arm(claim, arm.label) for arm in claim.measured):
        label, key = f"All arms, with {claim.level} intervals", f"arms {name} {claim.id}"
        if (folded := st.expander(label, key=key, on_change="rerun")).open:
            with folded:
                _arms(name, claim, shelf, found)
    if found.measured_by:
        st.caption(f"Measured by {plain(found.measured_by)}, {plain(found.date)}, {found.seeds} seeds.")


def _arms(name: str, claim: Claim, shelf: Shelf, found: Verdict) -> None:
    """Draw the paper's table, and all arms as a chart and in numbers."""
    how, body = table_of(claim, shelf, found) if found.parts else ("", [])
    if body:
        st.markdown(f"The paper's table: {plain(how)}" + ("; in brackets its figures" if claim.paper else ""))
        table(list(body[0]), [[plain(cell) for cell in row.values()] for row in body])
    height = 80 + 24 * sum(bool(shelf.of_arm(claim, arm.label)) for arm in claim.measured)
    ends = "filled: the paper's own; open: controls; diamonds: the paper's figure"
    label = f"Where the arms of “{claim.title}” end"
    shown = ChartCard("Where each arm ends", "", ends, arms_figure(claim, shelf), label, height)
    components.draw("cards", components.sheet([shown]), key=f"figures {name} {claim.id}")
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
    """A dot with an interval for each arm, hollow for a control; a diamond for the paper's figure."""
    about, controls = quantity(claim.about), {control.arm for control in claim.controls}
    each = {arm.label: of_arm(claim, shelf, arm.label) for arm in claim.measured[::-1]}
    traces: list[Trace] = []
    for label, ours in each.items():
        if ours is not None:
            half = ours.half if np.isfinite(ours.half) else 0.0
            error = {"type": "data", "array": [half], "color": colour(2), "thickness": 1.5, "width": 4}
            symbol = "circle-open" if label in controls else "circle"
            hover = f"{stated(ours, about.unit)}<extra></extra>"
            marker = {"size": 9, "color": colour(2), "symbol": symbol}
            traces.append(_dots([ours.mean], [label], error_x=error, marker=marker, hovertemplate=hover))
    shown = [label for label, ours in each.items() if ours is not None]
    if printed := [label for label in shown if label in claim.paper]:
        marker = {"size": 11, "color": TEXT, "symbol": "diamond-open"}
        hover = f"the paper: %{{x:.4~r}} {about.unit}<extra></extra>"
        traces.append(_dots([claim.paper[n] for n in printed], printed, marker=marker, hovertemplate=hover))
    return figure(
        traces,
        x={"title": about.axis, "showgrid": True},
        y={"type": "category", "categoryorder": "array", "categoryarray": [*map(html.escape, shown)]},
        hovermode="closest",
    )


def _dots(x: Sequence[float], names: Sequence[str], **options: Any) -> Trace:
    y = [html.escape(name) for name in names]
    return {"type": "scatter", "x": list(x), "y": y, "mode": "markers", "showlegend": False, **options}
