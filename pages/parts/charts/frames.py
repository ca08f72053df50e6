"""Frames of image searches, for a slider over their steps."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.attacks.findings import metrics
from ldp_core.images import decode

Body = dict[str, Any]
NOTHING = "\N{NO-BREAK SPACE}"
"""An empty line of full height, so that nothing moves between frames."""


def alike(picture: Body, image: Body) -> str:
    """Correlation of two encoded pictures, in words."""
    one, other = (np.asarray(decode(each), dtype=float)[None] / 255 for each in (picture, image))
    return f"alike {metrics.ncc(one, other)[0]:.2f}".replace("-", "−")


def through(steps: Sequence[int], frames: Mapping[int, Body]) -> list[Body]:
    """Latest frame at each step; an ended search keeps its last."""
    shown, then = [], frames[min(frames)]
    for step in steps:
        then = frames.get(step, then)
        shown.append(then)
    return shown


def shot(image: Any, lines: Sequence[str], height: int) -> Body:
    """Frame for the browser, padded to `height` lines of text."""
    return {"image": image, "lines": [*lines, *[NOTHING] * (height - len(lines))]}


def enlarged(image: Body, side: int) -> np.ndarray:
    """Pixels of an encoded image, colours last, each repeated to a square so that browsers do not blur them;
    at least `side` high and wide.
    """
    pixels = decode(image)
    pixels = pixels if pixels.ndim == 2 else np.moveaxis(pixels, 0, -1)
    times = -(-side // min(pixels.shape[:2]))
    return pixels.repeat(times, axis=0).repeat(times, axis=1)
