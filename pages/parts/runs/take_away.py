"""Export and import of runs as files."""

import re
from collections.abc import Callable
from functools import partial

import streamlit as st

from ldp_core.errors import StudioError
from ldp_core.runs import Job, Person, carry
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.visitor import visitor, who

UPLOAD = "export that is brought back"
SAID = "what became of it"
MOST_UNPACKED = 64_000_000
"""Largest unpacked size of an import in bytes; the command line accepts more."""
LABELS = {
    ".zip": "All of it (ZIP)",
    ".html": "A report (HTML)",
    ".card.svg": "Privacy card (SVG)",
    ".card.json": "Privacy card (JSON)",
    ".flower.zip": "An app for Flower (ZIP)",
    ".json": "All of it (JSON)",
    ".py": "A program (Python)",
}
HELP = {
    ".zip": "Settings, events (JSON, CSV, Parquet), pictures (SVG), ledger, versions; it can be brought back",
    ".html": "One page that opens without a network: verdict, curves, ledger",
    ".card.svg": "One picture: promised and measured, odds, against whom, what is assumed public",
    ".card.json": "The same in the fields of the public registry of deployments",
    ".json": "Settings, every event, ledger and versions in one object",
    ".flower.zip": "Ready for `flwr run`: each client with its own ε and range, noise from the system",
    ".py": "A screenful on ldp_core that trains the same again, to the last digit",
}


def take_away(job: Job, name: str, place: str, report: Callable[[str, Person], bytes]) -> None:
    """Draw a download button per format, with keys by `place`; none while the job runs or is deleted."""
    if job.live or job.removed:
        return
    stem = "-".join(re.findall(r"[A-Za-z0-9]+", name))[:40] or "run"
    for ending, (_, mime, make) in carry.WAYS.items():
        if job.kind != "run" and ending not in (".zip", ".json"):
            continue
        refused = _refused(job, ending)
        st.download_button(
            LABELS[ending],
            partial(report, job.id, visitor()) if ending == ".html" else partial(make, job.id),
            file_name=f"{stem}-{job.id}{ending}",
            mime=mime,
            key=f"take {ending} {job.id} {place}",
            on_click="ignore",
            help=f"Not of this run: {plain(refused, 200)}" if refused else HELP[ending],
            disabled=bool(refused),
        )


def _refused(job: Job, ending: str) -> str:
    """Why a job cannot be exported in this form; "" if it can."""
    if job.request.get("drawings"):
        return "it trained on what people have drawn in a class"
    if job.room and ending == ".py":
        return "its data are kept on this server for your browser alone, where no program finds them"
    if ending == ".flower.zip":
        return carry.why_not(job)
    if job.status == "completed":
        return ""
    lacks = "there is nothing to train again and compare" if ending == ".py" else "its card is not complete"
    needs = ending == ".py" or ending.startswith(".card")
    return f"it has not come to its end, so {lacks}" if needs else ""


def bring_in() -> None:
    """Draw the upload of an exported ZIP, and its result."""
    with st.popover("Bring a run back", type="tertiary"):
        st.file_uploader(
            "A ZIP that was taken away",
            type="zip",
            key=UPLOAD,
            on_change=_take,
            help="It is read, never run, and marked as imported; up to 5 MB",
        )
        good, words = st.session_state.get(SAID, (True, ""))
        if words:
            (st.success if good else st.error)(words)


@uncut
def _take() -> None:
    file = st.session_state[UPLOAD]
    st.session_state.pop(SAID, None)
    if file is None:
        return
    name = plain(file.name, 40)
    try:
        identity = carry.import_zip(file, visitor().owner, who()["address"], MOST_UNPACKED)
        said = True, f"{name} is here as run {identity}, marked as imported."
    except StudioError as error:
        said = False, f"Nothing of {name} was taken: {plain(error_in_words(error), 300)}."
    st.session_state[SAID] = said
