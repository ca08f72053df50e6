"""Words and colours of verdicts."""

from typing import NamedTuple

from ldp_core.papers.verdict import Word


class Look(NamedTuple):
    colour: str
    """Red means contradicted only."""
    one: str
    """Verb for one claim with the verdict, and for several."""
    more: str


LOOKS: dict[Word, Look] = {
    "holds": Look("green", "holds", "hold"),
    "in part": Look("orange", "holds in part", "hold in part"),
    "contradicted": Look("red", "is contradicted", "are contradicted"),
    "no difference": Look("blue", "shows no difference", "show no difference"),
    "cannot tell": Look("violet", "cannot be told", "cannot be told"),
    "nothing learns": Look("gray", "has nothing that learns", "have nothing that learns"),
    "not run": Look("gray", "was not run here", "were not run here"),
}


def badge(word: Word) -> str:
    """Markdown badge of a verdict."""
    return f":{LOOKS[word].colour}-badge[{word}]"
