"""View of one claim: its statements and arms beside the paper's figures, actions, its re-measurement."""

import re

import streamlit as st

from ldp_core.papers import Claim
from ldp_core.papers.rows import command
from ldp_core.papers.statements import in_unit, quantity, stated
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict, of_arm
from ldp_core.runs import STALLED, Job, claims, how_far, jobs, kinds
from pages.parts.papers.badges import badge
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
                _arms(claim, shelf)
    if found.measured_by:
        st.caption(f"Measured by {plain(found.measured_by)}, {plain(found.date)}, {found.seeds} seeds.")


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
