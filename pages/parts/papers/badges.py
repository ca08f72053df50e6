"""Words and colours of verdicts."""

from typing import NamedTuple

from ldp_core.papers.verdict import Word


class Badge(NamedTuple):
    colour: str
    """Red means contradicted only."""
    one: str
    """Verb for one claim with the verdict, and for several."""
    more: str


LOOKS: dict[Word, Badge] = {
    "holds": Badge("green", "holds", "hold"),
    "in part": Badge("orange", "holds in part", "hold in part"),
    "contradicted": Badge("red", "is contradicted", "are contradicted"),
    "no difference": Badge("blue", "shows no difference", "show no difference"),
    "cannot tell": Badge("violet", "cannot be told", "cannot be told"),
    "nothing learns": Badge("gray", "has nothing that learns", "have nothing that learns"),
    "not run": Badge("gray", "was not run here", "were not run here"),
}


def badge(word: Word) -> str:
    """Markdown badge of a verdict."""
    return f":{LOOKS[word].colour}-badge[{word}]"
