"""Law of the output and verdict on learning for the sliders' positions."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts.noise.ahead import ahead
from pages.parts.noise.designs import Design
from pages.parts.noise.laws import laws
from pages.parts.noise.verdicts import verdicts
from pages.parts.noise.what_if import WhatIf
from pages.parts.ui import components


def answer(now: WhatIf, shown: Sequence[Design]) -> None:
    """Draw the law, the verdicts, and precomputed tables for a drag."""
    with st.container(key="results-first"):
        left, right = st.columns([1.25, 1], gap="small")
    with left:
        components.cards(components.sheet(laws(now), now.keys), key="laws")
    with right:
        components.verdicts(verdicts(now, shown) | {"keys": now.keys}, key="verdicts")
    components.ahead(ahead(now, shown), key="ahead")
