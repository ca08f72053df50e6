"""Tables, and the card of something foreign: what was understood, what is asked, and what it can give."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from ldp_core.datasets import Seen
from pages.parts.ui.text import joined, names_by, plain
from pages.parts.ui.uninterrupted import pressed

MOST_COLUMNS = 12
"""Largest number of a table's columns on its card."""
RowAnswer = Callable[[Mapping[str, Any]], None]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    st.markdown("\n".join(f"| {line} |" for line in lines))


def grouped(rows: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """Rows with equal cells joined, with all their names."""
    found = names_by((tuple(cells), name) for name, cells in rows)
    return [[f"**{plain(joined(names), 160)}**", *cells] for cells, names in found.items()]


def understood(seen: Seen, name: str, answer: RowAnswer, summary: str = "") -> None:
    """Draw a card; `answer` takes what an answer states, `summary` is said where nothing else is."""
    for place, asked in enumerate(seen.questions):
        _question(name, place, asked, answer)
    if seen.rows:
        head, *rows = ([plain(cell, 40) for cell in row[:MOST_COLUMNS]] for row in seen.rows)
        table(head, rows)
    said = (*seen.gives, *seen.notes) or ((summary.removesuffix("."),) if summary else ())
    st.markdown("\n".join(f"- {plain(_begun(one), 300)}." for one in said))
    if seen.columns:
        lines = [[plain(cell, 60) for cell in line] for line in seen.columns[:MOST_COLUMNS]]
        table(["column", "read as", "scale", "where that is from"], lines)
        if (more := len(seen.columns) - MOST_COLUMNS) > 0:
            st.caption(f"and {more} more columns")


def _question(name: str, place: int, asked: Mapping[str, Any], answer: RowAnswer) -> None:
    """Draw a question with its answers side by side, or a choice that was made with the others."""
    words = plain(_begun(asked["asks"]), 200)
    st.markdown(f":orange[**{words}**]" if asked["open"] else words)
    answers = asked["answers"][0 if asked["open"] else 1 :]
    for column, one in zip(st.columns(len(answers)) if answers else (), answers, strict=False):
        column.button(
            plain(one["says"], 300),
            key=f"answer {place} {one['card']} {name}",
            width="stretch",
            on_click=_give,
            args=(answer, one["card"]),
        )


@pressed
def _give(answer: RowAnswer, stated: Mapping[str, Any]) -> None:
    answer(stated)


def _begun(words: str) -> str:
    return words[0].upper() + words[1:] if words[0].isascii() else words
