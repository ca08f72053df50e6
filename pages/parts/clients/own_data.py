"""The panel for a visitor's own tables and pictures: upload, card with questions, use and deletion."""

import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from ldp_core import datasets
from ldp_core.datasets import Card, Look, Scale, Seen
from ldp_core.errors import InvalidExperiment, InvalidInput, StudioError
from ldp_core.experiment import Draft, Variant, changed, parse
from ldp_core.runs import drafts, own_data
from ldp_core.tables import typed
from pages.parts.ui.meanings import error_in_words, problem_in_words
from pages.parts.ui.tables import understood
from pages.parts.ui.text import number, plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.parts.ui.visitor import here, settled, visitor
from pages.parts.ui.workspace import Workspace, first

SAID, DROPS = "what became of own data", "own data dropped"
INTERVAL = re.compile(r"(\S+)\s*(?:to|…|\.\.\.?)\s*(\S+)")


def own_data_panel(workspace: Workspace | None = None, ask: Callable[[str], None] | None = None) -> None:
    """Draw the upload field, and a card for each data set that this visitor has uploaded, to be used in a
    workspace, or to `ask` about.
    """
    if not own_data.hours():
        return
    left, right = st.columns([1, 2.2], gap="medium")
    with left:
        drops = st.session_state.setdefault(DROPS, 0)
        key = f"own data {drops}"
        st.file_uploader(
            "A table, pictures, or a ZIP of them",
            type=sorted({ending.rpartition(".")[2] for ending in own_data.ENDINGS}),
            accept_multiple_files=True,
            key=key,
            on_change=_take,
            args=(key,),
            max_upload_size=own_data.MOST_BYTES >> 20,
            help="Tables as CSV or JSON lines. Pictures say what they show: by a folder for each kind in the "
            "ZIP, or by the letters that their names begin with, as cat1.png and dog1.png.",
        )
        kept = f"deleted after {number(own_data.hours())} hours, or at once when you press Delete"
        st.caption(
            f"Sent to this server, up to {own_data.MOST_BYTES >> 20} MB in all; for this browser alone, in "
            f"no link and no list of others; {kept}."
        )
        if why := st.session_state.get(SAID):
            st.error(plain(why, 400))
    with right:
        for one in own_data.mine(visitor().owner):
            with st.container(border=True):
                _one(one, workspace, ask)


@uncut
def _take(key: str) -> None:
    # a browser may name files that it never sent, which are then DeletedFile and have no name
    files = {file.name: file.getvalue() for file in st.session_state[key] if hasattr(file, "name")}
    st.session_state.pop(SAID, None)
    st.session_state[DROPS] += 1  # another widget: Streamlit lets go of the files
    if not files:
        return
    try:
        own_data.take(files, settled(), here())
    except StudioError as error:
        what = " of" if isinstance(error, InvalidInput) else ":"
        st.session_state[SAID] = f"Nothing was kept{what} {error_in_words(error)}."


def _one(one: own_data.OwnData, workspace: Workspace | None, ask: Callable[[str], None] | None) -> None:
    left = max(0.0, one.until - time.time()) / 3600
    st.markdown(f"**{plain(one.title)}** · here for {number(left, 2)} more hours")
    try:
        look = own_data.look(one.name, visitor().owner)
    except StudioError as error:
        st.error(plain(error_in_words(error), 400))
        return
    _card(one.name, look)
    for problem in st.session_state.pop(f"refused {one.name}", ()):
        st.error(plain(problem_in_words(problem), 300))
    waits = bool(look.seen.open) or not look.kind
    with st.container(horizontal=True):
        if ask is not None:
            words = "Ask about these data"
            key = f"about {one.name}"
            st.button(words, type="primary", key=key, disabled=waits, on_click=pressed(ask), args=(one.name,))
        if workspace is not None:
            _uses(workspace, one, waits)
        st.button("Delete", key=f"delete {one.name}", on_click=_delete, args=(workspace, one.name))


def _uses(workspace: Workspace, one: own_data.OwnData, waits: bool) -> None:
    asked = st.button(
        "Find ε and τ for my data",
        type="primary",
        key=f"find {one.name}",
        disabled=waits,
        on_click=_use,
        args=(workspace, one, True),
    )
    if asked and f"refused {one.name}" not in st.session_state:
        st.switch_page("tune.py")
    st.button(
        "Use them here",
        key=f"use {one.name}",
        disabled=waits or workspace.draft.base.dataset == one.name,
        on_click=_use,
        args=(workspace, one),
    )


def _card(name: str, look: Look) -> None:
    """Draw data as understood, what is asked of them, and what they can give."""
    if look.refused:
        st.error(plain(f"This table {look.refused}", 400))
    if why := st.session_state.get(f"undescribed {name}"):
        st.error(plain(why, 300))
    understood(look.seen, name, partial(_answer, name), look.kind.summary if look.kind else "")
    if look.seen.rows:
        _scales(name, look.seen)


def _scales(name: str, seen: Seen) -> None:
    """Draw fields for what the visitor states in advance about a table's columns."""
    with st.expander("State what is public, and what is left out"):
        keys = [f"{field} {name}" for field in ("leave_out", "scales", "target")]
        ways: dict[str, Any] = {"on_change": _describe, "args": (name, keys)}
        target = seen.first(seen.card.as_json()).get("target")
        place = seen.rows[0].index(target) if target in seen.rows[0] else None
        st.selectbox("Predicted", seen.rows[0], place, key=keys[2], **ways)
        st.multiselect("Left out", seen.rows[0], seen.card.leave_out, key=keys[0], **ways)
        st.text_area(
            "Publicly known least and most of each number, or values, a column a line",
            "\n".join(map(_written, seen.card.scales, seen.card.scales.values())),
            placeholder="age: 0 to 100\ncolour: red, blue",
            key=keys[1],
            help="Asked for the promise: what is stated here is not learnt from anybody's rows. Without it, "
            "ε of each row is refused. What lies beyond is clipped.",
            **ways,
        )


def _written(heading: str, scale: Scale) -> str:
    if isinstance(scale[0], str):
        return f"{heading}: {', '.join(map(str, scale))}"
    return f"{heading}: {number(scale[0], 6)} to {number(scale[1], 6)}"


def _answer(name: str, answer: Mapping[str, Any]) -> None:
    _keep(name, lambda card: card.with_answer(answer))


@uncut
def _describe(name: str, keys: list[str]) -> None:
    if all(key in st.session_state for key in keys):  # no browser presses without them
        left_out, scales, target = (st.session_state[key] for key in keys)
        stated = {"leave_out": left_out, "scales": _read(scales)}
        before = own_data.look(name, visitor().owner).seen
        if target and target != before.first(before.card.as_json()).get("target"):
            stated["target"] = target
        _keep(name, lambda card: Card.checked(card.as_json() | stated))


def _keep(name: str, stating: Callable[[Card], Card]) -> None:
    state, why = st.session_state, f"undescribed {name}"
    state.pop(why, None)
    try:
        card = stating(own_data.look(name, visitor().owner).seen.card)
        own_data.describe(name, visitor().owner, card)
    except StudioError as error:
        state[why] = f"This description {error_in_words(error)}"


def _read(text: str) -> dict[str, Scale]:
    """Scales by column from lines such as “age: 0 to 100”; raises InvalidInput for another form."""
    found: dict[str, Scale] = {}
    for line in filter(str.strip, text.splitlines()):
        heading, colon, scale = (part.strip() for part in line.rpartition(":"))
        if not colon or not scale:
            raise InvalidInput(f"needs lines as “age: 0 to 100”; got “{line.strip()[:60]}”")
        ends = INTERVAL.fullmatch(scale)
        listed = tuple(value.strip() for value in scale.split(",") if value.strip())
        found[heading] = (typed(ends[1]), typed(ends[2])) if ends else listed
    return found


@pressed
def _use(workspace: Workspace, one: own_data.OwnData, tune: bool = False) -> None:
    # not by the title, which is to go with the data
    number = 1 + sum(other.until < one.until for other in own_data.mine(visitor().owner))
    try:
        draft = started(one.name, f"Own {'table' if one.table else 'pictures'} {number}")
    except InvalidExperiment as error:
        st.session_state[f"refused {one.name}"] = error.problems
        return
    workspace.replace(draft)
    if tune:
        drafts.keep_typed(workspace.id, "what to do", "tune")


def started(name: str, title: str) -> Draft:
    """One design for own data that trains within seconds, with their own clients where they name some."""
    found = datasets.get(name)
    clients = {} if found.clients else {"clients": {"count": min(20, found.train_size)}}
    base = parse({"dataset": name, "name": title, **clients})
    return Draft(changed(base, through_lenet(name, 20)) if found.images else base, (Variant("run"),))


def through_lenet(name: str, clients: int) -> dict[str, Any]:
    """Changes that train LeNet on colour images, in a range so short that attacks lose them within a grid."""
    found = datasets.get(name)
    return {
        "system": None,
        "dataset": name,
        "model": "lenet",
        "partition": {"kind": "as_given" if found.clients else "iid"},
        "clients.count": found.clients or min(clients, 20, found.train_size),
        "clients.epsilon": 8,
        "clients.low": -0.2,
        "clients.high": 0.2,
        "target": "weights",
        "local": {"optimizer": "sgd", "epochs": 1, "learning_rate": 0.1},
        "rounds": 5,
    }


@pressed
def _delete(workspace: Workspace | None, name: str) -> None:
    if workspace is not None and workspace.draft.base.dataset == name:
        workspace.replace(first().draft)
    try:
        own_data.remove(name, visitor().owner)
    except StudioError as error:
        st.session_state[SAID] = error_in_words(error)
