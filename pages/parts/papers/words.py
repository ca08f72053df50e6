"""Verdicts as words and colours; red means contradicted only."""

from typing import NamedTuple

from ldp_core.papers.verdict import Word


class Look(NamedTuple):
    colour: str
    sign: str
    one: str
    """Verb for one claim with the verdict, and for several."""
    more: str


LOOKS: dict[Word, Look] = {
    "holds": Look("green", "✓", "holds", "hold"),
    "in part": Look("orange", "", "holds in part", "hold in part"),
    "contradicted": Look("red", "✗", "is contradicted", "are contradicted"),
    "no difference": Look("blue", "=", "shows no difference", "show no difference"),
    "cannot tell": Look("violet", "?", "cannot be told", "cannot be told"),
    "nothing learns": Look("gray", "∅", "has nothing that learns", "have nothing that learns"),
    "not run": Look("gray", "", "was not run here", "were not run here"),
}


def badge(word: Word, count: int = 0) -> str:
    """Markdown badge of a verdict with the number of claims."""
    many = f"{count} {word if count == 1 else word.replace('holds', 'hold')}"
    return f":{LOOKS[word].colour}-badge[{many if count else word}]"
