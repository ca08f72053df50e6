"""Sentences as pieces: text, and the element that it stands in."""

import re

Said = list[tuple[str, str]]
MARKS = {"**": "strong", "`": "code"}


def sentence(markdown: str) -> Said:
    """Pieces of a sentence in Markdown as our pages write it: bold, code, and escaped characters."""
    found: Said = []
    tag = "span"
    for part in re.split(r"(?<!\\)(\*\*|`)", markdown):
        if part in MARKS:
            tag = "span" if tag == MARKS[part] else MARKS[part]
        elif part:
            found.append((re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)[*]", "", part)), tag))
    return found
