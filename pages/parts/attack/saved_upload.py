"""Inspection of an upload that another program saved: the form, and the reconstruction."""

import hashlib
import json
from typing import Any

import streamlit as st

from ldp_core.errors import StudioError
from ldp_core.runs import inspecting
from pages.parts.charts.frames import enlarged
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.tables import table
from pages.parts.ui.text import decibels, plain

KEY = "upload from elsewhere"
CARD = {"model": {"layers": "dense 32 relu"}, "shape": [8, 8], "classes": 10}
CARD |= {"steps": 1, "batch": 1, "learning_rate": 0.1}
HOW = (
    "The arrays that a client began with and sends, as `before/NAME` and `after/NAME` in one npz, and a card "
    "that says how they came about. The programs in `assets/uploads` save both, of Flower and of PyTorch. "
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
        card = right.file_uploader("Its card, .json", type="json", key=f"{KEY} card")
        if upload is None or card is None:
            st.code(json.dumps(CARD), "json", wrap_lines=True)
            st.caption("`shape`: [channels, height, width], or [height, width] of grey pictures.")
            return
        given = upload.getvalue(), card.getvalue()
        digest = hashlib.sha256(b"".join(given)).hexdigest()
        if st.session_state.get(KEY, ("",))[0] != digest:
            with st.spinner("The upload is attacked…"):
                try:
                    st.session_state[KEY] = digest, inspecting.inspected(*given)
                except StudioError as error:
                    st.session_state[KEY] = digest, error_in_words(error)
        found = st.session_state[KEY][1]
        if isinstance(found, str):
            st.error(plain(found[0].upper() + found[1:], 400))
        else:
            _shown(found)


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
    if who := found.get("identified"):
        tied = "" if who["tied"] == 1 else f", as likely as {who['tied'] - 1} others"
        none = "" if who["explains"] is not False else ", and none of them explains it"
        st.markdown(f"Of {who['candidates']} candidates number {who['picked']} comes closest{tied}{none}.")
    rows = [
        [plain(one["assumption"]), HOLDS[one["holds"]], plain(one["says"], 600)]
        for one in found["assumptions"]
    ]
    table(["what the attack assumes", "", "seen in the upload"], rows)
    st.caption("An attack that fails proves nothing: another may succeed.")
