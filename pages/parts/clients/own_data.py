"""The panel for a visitor's own tables and pictures: upload, preview, description, use and deletion."""

import re
import time
from typing import Any

import streamlit as st

from ldp_core import datasets
from ldp_core.datasets import Card, Scale, TableFile
from ldp_core.errors import InvalidInput, StudioError
from ldp_core.experiment import Experiment
from ldp_core.runs import drafts, own_data
from ldp_core.tables import typed
from pages.parts.ui.meanings import error_in_words, problem_in_words
from pages.parts.ui.tables import table
from pages.parts.ui.text import number, plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.parts.ui.visitor import here, settled, visitor
from pages.parts.ui.workspace import Workspace, first

SAID, DROPS = "what became of own data", "own data dropped"
MOST_ROWS = 12
"""Largest number of a table's columns in the preview."""
NO_COLUMN = "no column"
INTERVAL = re.compile(r"(\S+)\s*(?:to|…|\.\.\.?)\s*(\S+)")


def own_data_panel(workspace: Workspace) -> None:
    """Draw the upload field, and a card for each data set that this visitor has uploaded."""
    if not own_data.hours():
        return
    st.header("Your own table or pictures", anchor=False)
    left, right = st.columns([1, 2.2], gap="medium")
    with left, st.expander("Bring a table or pictures"):
        drops = st.session_state.setdefault(DROPS, 0)
        key = f"own data {drops}"
        st.file_uploader(
            "A CSV table, pictures, or a ZIP of them",
            type=[ending.removeprefix(".") for ending in own_data.ENDINGS],
            accept_multiple_files=True,
            key=key,
            on_change=_take,
            args=(key,),
            max_upload_size=own_data.MOST_BYTES >> 20,
            help="Of a table, the first line names the columns. Pictures say what they show: by a folder for "
            "each kind in the ZIP, or by the letters that their names begin with, as cat1.png and dog1.png.",
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
                _one(workspace, one)


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


def _one(workspace: Workspace, one: own_data.Own) -> None:
    left = max(0.0, one.until - time.time()) / 3600
    st.markdown(f"**{plain(one.title)}** · here for {number(left, 2)} more hours")
    refused = ""
    try:
        found = datasets.get(one.name)
    except StudioError as error:
        refused = error_in_words(error)
        st.error(plain(refused, 400))
    else:
        _preview(found) if isinstance(found, TableFile) else st.markdown(plain(found.summary, 300))
    if one.table:
        _description(workspace, one)
    for problem in st.session_state.pop(f"refused {one.name}", ()):
        st.error(plain(problem_in_words(problem), 300))
    with st.container(horizontal=True):
        asked = st.button(
            "Find ε and τ for my data",
            type="primary",
            key=f"find {one.name}",
            disabled=bool(refused),
            on_click=_use,
            args=(workspace, one, True),
        )
        if asked and f"refused {one.name}" not in st.session_state:
            st.switch_page("tune.py")
        st.button(
            "Use them here",
            key=f"use {one.name}",
            disabled=bool(refused) or workspace.draft.base.dataset == one.name,
            on_click=_use,
            args=(workspace, one),
        )
        st.button("Delete", key=f"delete {one.name}", on_click=_delete, args=(workspace, one.name))


def _preview(found: TableFile) -> None:
    st.markdown("\n".join(f"- {plain(one[0].upper() + one[1:], 200)}." for one in found.said()))
    rows = []
    for one in found.understood.features:
        numbers = " to ".join(number(float(end), 6) for end in one.scale) if one.number else ""
        scale = numbers or ", ".join(map(str, one.scale))
        origin = "stated" if one.stated else "from the rows, which no ε covers"
        kind = "number" if one.number else "category"
        rows.append([plain(one.heading, 40), kind, plain(scale, 60), origin])
    table(["column", "read as", "scale", "where that is from"], rows[:MOST_ROWS])
    if more := rows[MOST_ROWS:]:
        st.caption(f"and {len(more)} more columns")


def _description(workspace: Workspace, one: own_data.Own) -> None:
    """Draw fields for what the visitor states about a table."""
    try:
        headings, card = own_data.described(one.name, visitor().owner)
    except StudioError:
        return
    with st.expander("Say what is what"):
        keys = {field: f"{field} {one.name}" for field in ("target", "client", "leave_out", "scales")}
        ways: dict[str, Any] = {"on_change": _describe, "args": (one.name, keys)}
        known: Any = None
        try:
            known = getattr(datasets.get(one.name), "understood", None)
        except StudioError:
            st.caption("Choose the column that is to be predicted.")
        target = card.target or (known.target if known else None)
        client = card.client if card.client is not None else known.client if known else ""
        first, names = headings.index(target) if target in headings else None, [NO_COLUMN, *headings]
        st.selectbox("To be predicted", headings, first, key=keys["target"], **ways)
        whose = names.index(client) if client in names else 0
        st.selectbox("Whose row it is", names, whose, key=keys["client"], **ways)
        st.multiselect("Left out", headings, card.leave_out, key=keys["leave_out"], **ways)
        st.text_area(
            "Scales that are public, a column a line",
            "\n".join(map(_written, card.scales, card.scales.values())),
            placeholder="age: 0 to 100\ncolour: red, blue",
            key=keys["scales"],
            help="What is stated here is not learnt from anybody's rows, so the promise is whole. What lies "
            "beyond is clipped.",
            **ways,
        )
        if why := st.session_state.get(f"undescribed {one.name}"):
            st.error(plain(why, 300))


def _written(heading: str, scale: Scale) -> str:
    if isinstance(scale[0], str):
        return f"{heading}: {', '.join(map(str, scale))}"
    return f"{heading}: {number(scale[0], 6)} to {number(scale[1], 6)}"


@uncut
def _describe(name: str, keys: dict[str, str]) -> None:
    state, why = st.session_state, f"undescribed {name}"
    state.pop(why, None)
    if any(key not in state for key in keys.values()):
        return  # no browser presses without them
    target, client, left_out, scales = (state[key] for key in keys.values())
    try:
        public = dict(map(_read, filter(str.strip, scales.splitlines())))
        client = "" if client == NO_COLUMN else client
        card = Card(target=target, client=client, leave_out=tuple(left_out), scales=public)
        own_data.describe(name, visitor().owner, card)
    except StudioError as error:
        state[why] = f"This description {error_in_words(error)}"


def _read(line: str) -> tuple[str, Scale]:
    """Column name and scale from a line such as “age: 0 to 100”; raises InvalidInput for another form."""
    heading, colon, scale = (part.strip() for part in line.rpartition(":"))
    if not colon or not scale:
        raise InvalidInput(f"needs lines as “age: 0 to 100”; got “{line.strip()[:60]}”")
    if ends := INTERVAL.fullmatch(scale):
        return heading, (typed(ends[1]), typed(ends[2]))
    return heading, tuple(value.strip() for value in scale.split(",") if value.strip())


@pressed
def _use(workspace: Workspace, one: own_data.Own, tune: bool = False) -> None:
    found = datasets.get(one.name)
    base = workspace.draft.base
    changes = on_rows(found, base) if one.table else through_lenet(one.name, base.clients.count)
    # not by the title, which is to go with the data
    number = 1 + sum(other.until < one.until for other in own_data.mine(visitor().owner))
    name = f"Own {'table' if one.table else 'pictures'} {number}"
    if problems := workspace.edit(changes | {"name": name}):
        st.session_state[f"refused {one.name}"] = problems
    elif tune:
        drafts.keep_typed(workspace.id, "what to do", "tune")


def through_lenet(name: str, clients: int) -> dict[str, Any]:
    """Changes that train LeNet on colour images, in a range so short that attacks lose them within a grid."""
    return {
        "system": None,
        "dataset": name,
        "model": "lenet",
        "partition": {"kind": "iid"},
        "clients.count": min(clients, 20, datasets.get(name).train_size),
        "clients.epsilon": 8,
        "clients.low": -0.2,
        "clients.high": 0.2,
        "target": "weights",
        "local": {"optimizer": "sgd", "epochs": 1, "learning_rate": 0.1},
        "rounds": 5,
    }


def on_rows(found: datasets.Dataset, base: Experiment) -> dict[str, Any]:
    """Changes that make an experiment train on a table, with its own clients if it has a client column."""
    count = found.clients or min(base.clients.count, found.train_size)
    changes = {
        "system": None,
        "dataset": found.name,
        "features": "none",
        "model": "logistic_regression",
        "partition": {"kind": "as_given" if found.clients else "iid"},
        "clients.count": count,
        "attack": None if base.attack is None else "auto",
    }
    usual = {"epsilon": 1.0, "low": -1.0, "high": 1.0, "run_limit": None}
    listed = [name for name in (*usual, "range") if isinstance(getattr(base.clients, name), tuple)]
    if {"low", "high", "range"} & {*listed}:
        listed += ["low", "high"]
    return changes | {f"clients.{name}": usual[name] for name in listed if name in usual}


@pressed
def _delete(workspace: Workspace, name: str) -> None:
    if workspace.draft.base.dataset == name:
        workspace.replace(first().draft)
    try:
        own_data.remove(name, visitor().owner)
    except StudioError as error:
        st.session_state[SAID] = error_in_words(error)
