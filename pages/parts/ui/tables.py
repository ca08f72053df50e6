"""Tables as Markdown: fast, and scrollable on a phone."""

from collections.abc import Sequence

import streamlit as st

from pages.parts.ui.text import joined, names_by, plain


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    st.markdown("\n".join(f"| {line} |" for line in lines))


def grouped(rows: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """Rows with equal cells joined, with all their names."""
    found = names_by((tuple(cells), name) for name, cells in rows)
    return [[f"**{plain(joined(names), 160)}**", *cells] for cells, names in found.items()]
