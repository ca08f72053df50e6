"""Inspection of an upload that another program saved: the form, and the reconstruction."""

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from ldp_core.datasets import Seen
from ldp_core.errors import StudioError
from ldp_core.experiment import read_json
from ldp_core.runs import inspecting
from pages.parts.charts.frames import enlarged
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.tables import table, understood
from pages.parts.ui.text import decibels, plain

KEY = "upload from elsewhere"
HOW = (
    "The arrays that a client began with and sends, as `before/NAME` and `after/NAME` in one npz, and if "
    "there is one a card that says how they came about; else it is asked. The programs in `assets/uploads` "
    "save both, of Flower and of PyTorch. "
    "Both files are read in this server's memory and stored nowhere."
)
HOLDS = {True: "holds", False: "fails", None: "cannot be told"}
SIDE = 160
"""Least side of an image on the screen, in pixels."""


def saved_upload() -> None:
    with st.expander("An upload that you saved elsewhere"):
        st.markdown(HOW)
        left, right = st.columns(2)
        upload = left.file_uploader("Upload, .npz", type="npz", key=f"{KEY} npz")
        card = right.file_uploader("Its card, .json, if there is one", type="json", key=f"{KEY} card")
        if upload is None:
            return
        given = upload.getvalue(), card.getvalue() if card else b"{}"
        digest = hashlib.sha256(b"\0".join(given)).hexdigest()
        if st.session_state.get(KEY, ("",))[0] != digest:
            _look(digest, *given)
        found = st.session_state[KEY][2]
        if isinstance(found, Seen):
            understood(found, KEY, partial(_answer, given[0]))
        elif isinstance(found, str):
            st.error(plain(found[0].upper() + found[1:], 400))
        else:
            _shown(found)


def _look(digest: str, upload: bytes, card: bytes) -> None:
    """Attack the upload, or keep what is asked first."""
    found: Seen | dict[str, Any] | str
    with st.spinner("The upload is looked into…"):
        try:
            seen = inspecting.look(upload, card)
            if not seen.open:
                card = json.dumps(seen.first(read_json(card.decode()))).encode()
            found = seen if seen.open else inspecting.inspected(upload, card)
        except UnicodeDecodeError:
            found = "the card is no text: save it as JSON in UTF-8"
        except StudioError as error:
            found = error_in_words(error)
    st.session_state[KEY] = digest, card, found


def _answer(upload: bytes, answer: Mapping[str, Any]) -> None:
    digest, card, _ = st.session_state[KEY]  # of now: two answers may come before the page is drawn again
    _look(digest, upload, json.dumps({**read_json(card.decode()), **answer}).encode())


def _shown(found: dict[str, Any]) -> None:
    st.markdown(f"**{found['verdict'].capitalize()}**: {plain(found['says'], 600)}")
    best = found.get("psnr", [])
    shown = [(one, "came back") for one in found.get("pictures", [])[:8]]
    if shown and len(best) == 1:
        shown[0] = shown[0][0], f"came back, {decibels(best[0])} of its original"
    if found.get("mean_image"):
        shown.append((found["mean_image"], "the mean image: a guess without the upload"))
    for place, (image, words) in zip(st.columns(max(5, len(shown))), shown, strict=False):
        place.image(enlarged(image, SIDE), caption=words, width=SIDE, alt=words)
    rows = [
        [plain(one["assumption"]), HOLDS[one["holds"]], plain(one["says"], 600)]
        for one in found["assumptions"]
    ]
    table(["what the attack assumes", "", "seen in the upload"], rows)
    st.caption("An attack that fails proves nothing: another may succeed.")
