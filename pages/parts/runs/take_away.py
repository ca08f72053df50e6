"""Export of runs as files, and opening of the settings in such files."""

import re
from collections.abc import Callable
from functools import partial

import streamlit as st

from ldp_core.errors import StudioError
from ldp_core.runs import Job, Person, Training, carry, drafts, jobs, kinds
from pages.parts.runs.job_state import amount, lasting
from pages.parts.ui.job_actions import refusing
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.visitor import visitor, who
from pages.parts.ui.workspace import start_with

FILE, LINK, FOUND = "file to open", "link to open", "settings found in it"
LABELS = {
    ".zip": "All of it (ZIP)",
    ".html": "A report (HTML)",
    ".card.svg": "Privacy card (SVG)",
    ".card.json": "Privacy card (JSON)",
    ".flower.zip": "An app for Flower (ZIP)",
    ".py": "A program (Python)",
}
HELP = {
    ".zip": "Settings, events (JSON, CSV), pictures (SVG), ledger, versions",
    ".html": "One page that opens without a network: verdict, curves, ledger",
    ".card.svg": "One picture: promised and measured, odds, against whom, what is assumed public",
    ".card.json": "The same in the fields of the public registry of deployments",
    ".flower.zip": "Ready for `flwr run`: each client with its own ε and range, noise from the system",
    ".py": "A screenful on ldp_core that trains the same again, to the last digit",
}


def take_away(job: Job, name: str, place: str, report: Callable[[str, Person], bytes]) -> None:
    """Draw a download button per format, with keys by `place`; none while the job runs or is deleted."""
    if job.live or job.removed:
        return
    stem = "-".join(re.findall(r"[A-Za-z0-9]+", name))[:40] or "run"
    for ending, (_, mime, make) in carry.WAYS.items():
        if job.kind != "run" and ending != ".zip":
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


def open_file() -> None:
    """Draw the opening of settings from an exported file or a link, as a draft of the visitor's own."""
    with st.popover("Open a file or a link", type="tertiary"):
        st.file_uploader(
            "A ZIP, a report or a program that was taken away",
            type=["zip", "html", "py"],
            key=FILE,
            on_change=_read,
            args=(FILE,),
            help="Its settings become a draft of yours; it is read, never run. Larger files: "
            "`python -m ldp_core open FILE`",
        )
        st.text_input("Or a link", max_chars=4000, key=LINK, on_change=_read, args=(LINK,))
        found = st.session_state.get(FOUND)
        if isinstance(found, str):
            st.error(found)
        elif found is not None:
            draft = found.draft
            lasts = lasting(draft) or "how long it takes was not measured here yet"
            size = "an attack" if found.ladder else f"{amount(draft)}; {lasts}"
            st.caption(f"{plain(draft.base.name or 'Untitled')}: {size}.")
            if st.button("Open it", type="primary", key="open what was found"):
                _open(found)


@uncut
def _read(key: str) -> None:
    given = st.session_state[key]
    st.session_state[FOUND] = None
    if not given:
        return
    name = plain(given.name, 40) if key == FILE else "the link"
    try:
        found = carry.settings_in(given) if key == FILE else carry.settings_at(given)
        st.session_state[FOUND] = found
    except StudioError as error:
        st.session_state[FOUND] = f"Nothing of {name} was opened: {plain(error_in_words(error), 300)}."


def _open(found: carry.Opened) -> None:
    """A draft of the settings; the stored runs with it, if there are equal ones."""
    del st.session_state[FOUND]
    copy = start_with(found.draft)
    if found.ladder:
        drafts.keep_ladder(copy.id, found.ladder)
        st.switch_page("attack.py")
    if kinds.is_known("run", Training(found.draft, reference=True)):
        with refusing():
            jobs.submit(found.draft, copy.id, reference=True, **who())
    st.switch_page("train.py")
