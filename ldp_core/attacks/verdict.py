"""What may be said about one attempt, given its controls and its baseline.

An attack that fails proves nothing, so nothing here says "private".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RECOVERED_DB = 20.0
"""A mean squared error of 0.01: the image is back."""
VISIBLE_DB = 3.0
"""Less than this above the mean image is no reconstruction."""

Kind = Literal["recovered", "partly", "clipping", "hidden", "inconclusive"]


@dataclass(frozen=True)
class Verdict:
    """A kind, and the sentence for it."""

    kind: Kind
    text: str


def judge(psnr: float, mean_image: float, clean: float, clipped: float) -> Verdict:
    """The verdict on a reconstruction.

    Args:
        psnr: of the reconstruction from the upload as sent, in dB.
        mean_image: PSNR of the mean image: what guessing gives without any upload.
        clean: PSNR when the upload is neither clipped nor perturbed.
        clipped: PSNR when it is clipped only.
    """
    if clean < RECOVERED_DB:
        return Verdict("inconclusive", "inconclusive: this attack fails even without noise")
    if psnr >= RECOVERED_DB:
        return Verdict("recovered", "recovered: the server has the image")
    if psnr >= mean_image + VISIBLE_DB:
        return Verdict("partly", "partly recovered: better than any guess")
    if clipped < RECOVERED_DB:
        return Verdict("clipping", "not recovered, but clipping, not noise, hid the image")
    return Verdict("hidden", "not recovered by this attack")
