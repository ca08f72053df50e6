"""Header of every page: scenario, undo, reset, share; the question; the headline."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core import datasets, presets
from ldp_core.experiment import Experiment
from ldp_core.runs import Job, carry, drafts, own_data
from ldp_core.settings import PUBLIC_URL
from ldp_core.system.shipped import ASSETS
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.memory import tab
from pages.parts.ui.scenario import named
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import here, me
from pages.parts.ui.workspace import Workspace
from pages.server.address import LOOPBACK

MINE = "Your own"
NOT_BACK = "not taken back"
PROJECTED = ("train", "attack")
"""Pages with a view for a wall."""


def header(
    workspace: Workspace, job: Job | None = None, take: Callable[[Job], None] | None = None
) -> DeltaGenerator:
    """Draw the header, whose changes of the draft can be undone; returns a container for the page's own."""
    labels = [presets.get(name).label for name in presets.names()]
    preset = workspace.preset
    line = st.container(horizontal=True, vertical_alignment="center", gap="small", key="tools")
    with line:
        options = labels if preset else [MINE, *labels]
        edited = preset and preset.draft != workspace.draft
        chosen = st.selectbox(
            "Scenario",
            options,
            index=options.index(preset.label) if preset else 0,
            format_func=lambda label: _marked(label, workspace),
            # another one where the options are others: what is chosen in the old one is not chosen here
            key=workspace.key("scenario edited" if edited else "scenario" if preset else "scenario or mine"),
            label_visibility="collapsed",
            width=270,
        )
        if chosen not in (MINE, preset.label if preset else MINE):
            workspace.replace(next(p for p in map(presets.get, presets.names()) if p.label == chosen).draft)
            st.toast("The scenario took your draft's place; Undo brings it back.")
            st.rerun()
        st.button("Undo", disabled=not drafts.can_undo(workspace.id), on_click=_back, args=(workspace.undo,))
        original = preset.draft if preset else None
        st.button(
            "Reset",
            disabled=original is None or original == workspace.draft,
            help="Back to the scenario as it was prepared",
            on_click=_back,
            args=(partial(workspace.replace, original or workspace.draft),),
        )
        with st.popover("Share"):
            _share(workspace, job)
            if job is not None and take is not None and not job.live:
                st.markdown("**To take it away**")
                take(job)
        if workspace.page in PROJECTED:
            projector_button()
    refusal(NOT_BACK)
    return line


def question(words: str, more: str = "") -> DeltaGenerator:
    """Draw the page's question, explained by `more` on request; returns its container."""
    line = st.container(key="question")
    with line:
        st.title(words, anchor=False, help=more or None)
    return line


def headline(words: str, more: str = "") -> None:
    with st.container(key="headline"):
        st.header(words, anchor=False, help=more or None)


def projector_button() -> None:
    """Button and key that turn the view for a wall on and off in this tab (assets/projector.css)."""
    on = tab().projector
    st.button(
        "Back from the wall" if on else "Project",
        key="projector",
        shortcut="P",
        help="Large letters for a projector, without tools; the key P does the same",
        on_click=_turn,
    )
    if on:
        st.html(ASSETS / "projector.css")


@pressed
def _turn() -> None:
    tab().projector = not tab().projector


def address_of(page: str) -> str:
    """The shown page's URL for other machines: below EPSILON_PUBLIC_URL, or as this browser reached it."""
    if public := PUBLIC_URL.value():
        return f"{public.rstrip('/')}/{page}"
    url = urlsplit(st.context.url or "")
    return f"{url.scheme}://{url.netloc}{url.path}".rstrip("/")


def asked_at(experiment: Experiment) -> str:
    """Address of Ask with the questions that an experiment answers."""
    asked = {"unit": experiment.unit, "trust": experiment.trust.name, "clients": experiment.clients.count}
    known = {"dataset": experiment.dataset} if experiment.dataset in datasets.names() else {}
    return f"ask?{urlencode(asked | known)}"


def only_here(address: str) -> None:
    """Warning if other machines cannot reach the address."""
    if urlsplit(address).hostname in LOOPBACK:
        st.caption(
            "**Only this computer reaches this address.** Start the server with "
            "--server.address 0.0.0.0 and open this page by the computer's own name, or say its "
            "address in EPSILON\\_PUBLIC\\_URL."
        )


def _share(workspace: Workspace, job: Job | None) -> None:
    if own_data.NAMED.search(workspace.draft.base.dataset):
        st.caption("These settings name data of your own, which no link carries; choose other data to share.")
        return
    place = address_of(workspace.page)
    only_here(place)
    if job is not None:
        st.markdown("**To watch this run**")
        st.caption("Anyone who opens this link sees its curves as they come, and can change nothing.")
        st.code(f"{place}?job={job.id}", language=None)
        st.markdown("**To try the settings**")
    st.caption("Anyone who opens this link gets a copy of their own; yours stays as it is.")
    if st.button("Make a link", type="primary"):
        snapshot = drafts.share(workspace.draft, drafts.ladder_of(workspace.id), me(), here())
        st.code(f"{place}?share={snapshot}", language=None)
    if whole := carry.as_link(workspace.draft):
        st.markdown("**To open it anywhere**")
        st.caption("What follows the “?” holds all settings, for any server of this program.")
        st.code(f"{place}?settings={whole}", language=None)


@pressed
def _back(do: Callable[[], None]) -> None:
    with refusing(NOT_BACK):
        do()


def _marked(label: str, workspace: Workspace) -> str:
    return named(workspace.draft) if label == workspace.draft.base.name else label
