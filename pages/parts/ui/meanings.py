"""What a newcomer cannot know, in a sentence each: told on Start, and wherever one points at it."""

from __future__ import annotations

from typing import Any

from ldp_core.component import Registry
from pages.parts.ui.text import plain

EPSILON = (
    "ε (epsilon) is a client's privacy budget: the smaller it is, the less can be told from what the client "
    "sends, and the more noise that takes."
)
TAU = (
    "τ (tau) is how far a client's weights may reach: what lies outside its safe range is clipped before "
    "noise is added, and the longer the range, the more noise that takes."
)
SIGMA = "σ (sigma) is the size of that noise, as a standard deviation."
MECHANISM = "A mechanism is how a client randomises what it sends."
AGGREGATOR = (
    "An aggregator is how the server makes one model of what all send, and which share each has in it."
)


def each(what: str, registry: Registry[Any]) -> str:
    """What such a part is, and in a line each what every one of them does."""
    lines = [f"- **{plain(kind.label)}**: {kind.summary}" for kind in map(registry.kind, registry.labels())]
    return "\n".join([what, "", *lines])
