"""The form that audits a claimed ε from an uploaded CSV file of a mechanism's samples; the file is not
stored.
"""

from typing import Any, NamedTuple

import streamlit as st

from ldp_core.accounting import SampleAudit
from ldp_core.accounting.samples import audit_samples
from ldp_core.datasets import Seen
from ldp_core.errors import StudioError
from ldp_core.system.bounded import answer
from ldp_core.tables import MOST_BYTES
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.tables import understood
from pages.parts.ui.text import percent, plain
from pages.parts.ui.uninterrupted import uncut

ABOUT = (
    "A mechanism of your own, of a library or of a device is run many times, on two inputs at least, and "
    "each run is a line: `input,output`. Of vectors and of several rounds each value is a line, with the "
    "columns `trial`, `coordinate` and `round`; a column `world` tells the inputs apart where they are "
    "more than one value. Trials have to be independent. Nothing is stored: the file is read, answered "
    "and forgotten."
)
FIELDS = {
    "claimed": ("Claimed ε, for all that one trial holds", 1e-3, 100.0),
    "delta": ("Claimed δ", 0.0, 0.5),
}
"""Label, least and largest value by field."""


def own_samples(key: str) -> None:
    """Draw the form, and the verdict on the uploaded file."""
    st.caption(ABOUT)
    again: dict[str, Any] = {"on_change": _weigh, "args": (key,)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, (label, low, high) in FIELDS.items():
            field: dict[str, Any] = {"key": f"{key} {name}", "width": 280, "placeholder": "as the file says"}
            st.number_input(label, low, high, None, format="%g", **field, **again)
    title = f"Samples, a CSV file of up to {MOST_BYTES >> 20} MB"
    if st.file_uploader(title, key=f"{key} file", **again) is None:
        return
    if why := st.session_state.get(f"{key} refused"):
        st.error(why)
    elif found := st.session_state.get(f"{key} found"):
        understood(found.seen, key, lambda _: None)
        if found.audit:
            (st.error if found.audit.refuted else st.info)(in_words(found.name, found.audit))


@uncut
def _weigh(key: str) -> None:
    state = st.session_state
    file = state.get(f"{key} file")
    for name in ("found", "refused"):
        state.pop(f"{key} {name}", None)
    if file is None or any(f"{key} {name}" not in state for name in FIELDS):
        return
    try:
        claimed = (state[f"{key} {name}"] for name in FIELDS)
        state[f"{key} found"] = weighed(file.name, file.getvalue(), *claimed)
    except StudioError as error:
        state[f"{key} refused"] = f"{plain(file.name, 40)}: {plain(error_in_words(error), 300)}."


class Weighed(NamedTuple):
    name: str
    """Of the file."""
    seen: Seen
    audit: SampleAudit | None
    """None while no ε is claimed."""


def weighed(name: str, data: bytes, claimed: float | None, delta: float | None) -> Weighed:
    """A file as understood, and the audit of the claimed (ε, δ); raises `StudioError` for an invalid file, or
    too few samples.
    """
    claim = {"epsilon": claimed, "delta": delta}
    claim = {field: value for field, value in claim.items() if value is not None}
    said = answer(audit_samples.__module__, claim, {"samples": data}).checked()
    seen = Seen.of(said["seen"])
    if "audit" not in said:
        return Weighed(name, seen, None)
    return Weighed(name, seen, SampleAudit(**said["audit"]))


def in_words(name: str, found: SampleAudit) -> str:
    """Verdict of an audit, its evidence, and what the audit cannot show."""
    wrong = percent(1 - found.confidence)
    kept = f"A mechanism that keeps its claim is refuted in at most {wrong} of audits."
    open_still = "That proves no claim: samples can only refute one, and other inputs may tell more."
    evidence = f"{plain(found.evidence, 300)}. Other trials chose it.\n\n" if found.evidence else ""
    verdict = f"**{plain(name, 40)}: {plain(found.verdict, 200)}**\n\n{evidence}"
    return verdict + (kept if found.refuted else open_still)
