"""How pictures of a search formed: a frame for each step that a slider goes back to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.attacks.findings import metrics
from ldp_core.images import decode

Body = dict[str, Any]
NOTHING = "\N{NO-BREAK SPACE}"
"""A line of its own height without a word, so that nothing moves from frame to frame."""


def alike(picture: Body, image: Body) -> str:
    """Correlation of two encoded pictures, in words."""
    one, other = (np.asarray(decode(each), dtype=float)[None] / 255 for each in (picture, image))
    return f"alike {metrics.ncc(one, other)[0]:.2f}".replace("-", "−")


def through(steps: Sequence[int], frames: Mapping[int, Body]) -> list[Body]:
    """Newest frame at each step; a search that has ended keeps its last."""
    shown, then = [], frames[min(frames)]
    for step in steps:
        then = frames.get(step, then)
        shown.append(then)
    return shown


def shot(image: Any, lines: Sequence[str], height: int) -> Body:
    """A frame as the browser gets it, of so many lines."""
    return {"image": image, "lines": [*lines, *[NOTHING] * (height - len(lines))]}
