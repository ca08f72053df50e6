"""What the server picks out of a sum or a shuffled heap, as sentences on a run's end event."""

from collections.abc import Mapping
from typing import Any

from ldp_core.attacks.findings.metrics import wilson
from pages.parts.ui.text import number, percent

QUESTIONS = {
    "who": "the server, which knows the image, tells which message is client {client}'s",
    "what": "the server tells which of {candidates} images client {client} holds",
}


def picked(end: Mapping[str, Any], client: int) -> list[str]:
    """A sentence for each question asked about a client (counted from 0); empty where nothing is hidden."""
    said = []
    sums = {row["helped"]: row for row in end.get("from_sum", ()) if row["client"] == client + 1}
    if sums:
        many = sums[True]["candidates"]
        said.append(
            f"Out of the sum, the server tells which of {many} images client {client + 1} holds in "
            f"{often(**sums[True])} if it knows all other uploads, and in {often(**sums[False])} if not. "
            f"Guessing: {percent(1 / many)}."
        )
    heaps = [row for row in end.get("from_heap", ()) if row["client"] == client + 1]
    for row in (one for one in heaps if not one["clean"] and one["candidates"] > 1):
        clean = next(one for one in heaps if one["clean"] and one["question"] == row["question"])
        asked = QUESTIONS[row["question"]].format(client=client + 1, candidates=row["candidates"])
        said.append(
            f"Out of a heap with {number(row['heap'])} in it, {asked}, in {often(**row)}. Guessing: "
            f"{percent(1 / row['candidates'])}; without noise: {percent(clean['right'] / clean['tries'])}; "
            f"in the long run no attacker exceeds {percent(row['cap'])}, by ε{_above(row)}."
        )
    return said


def _above(row: Mapping[str, Any]) -> str:
    """Why tries may lie above the cap."""
    above = row["right"] / row["tries"] > row["cap"] >= wilson(row["right"], row["tries"])[0]
    return ", so these tries were lucky" * above


def often(right: int, tries: int, **_: Any) -> str:
    low, high = wilson(right, tries)
    return f"{percent(right / tries)} of {tries} tries ({percent(low)} to {percent(high)})"
