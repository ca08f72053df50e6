"""What may be said about one attempt, given its controls and its baseline.

An attack that fails proves nothing, so nothing here says "private".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RECOVERED_DB = 20.0
"""A mean squared error of 0.01: grainy, and recognisable (looked at on digits and MNIST; from 30 dB on the
copy is close). That is what “back” means on every page."""
VISIBLE_DB = 3.0
"""Less than this above the best guess without an upload is no reconstruction."""
RECOVERED_SHARE = 0.1
"""Of a batch of images: a control that gives back less has not shown that the attack works."""

Kind = Literal["recovered", "partly", "clipping", "hidden", "inconclusive"]


@dataclass(frozen=True)
class Verdict:
    """A kind, and the sentence for it."""

    kind: Kind
    text: str


def judge(
    psnr: float, mean_image: float, clean: float, clipped: float, class_mean: float | None = None
) -> Verdict:
    """The verdict on a reconstruction.

    Args:
        psnr: of the reconstruction from the upload as sent, in dB.
        mean_image: PSNR of the mean image: what guessing gives without any upload.
        clean: PSNR when the upload is neither clipped nor perturbed.
        clipped: PSNR when it is clipped only.
        class_mean: PSNR of the mean image of the right class: what guessing gives with the label alone.
    """
    guess = max(mean_image, mean_image if class_mean is None else class_mean)
    if clean < RECOVERED_DB:
        return Verdict("inconclusive", "inconclusive: this attack fails even without noise")
    if psnr >= RECOVERED_DB:
        return Verdict("recovered", "recovered: the image is recognisable")
    if psnr >= guess + VISIBLE_DB:
        return Verdict("partly", "partly recovered: better than any guess")
    if clipped < RECOVERED_DB:
        return Verdict("clipping", "not recovered; clipping alone already hides the image")
    return Verdict("hidden", "not recovered by this attack")


def judge_share(share: float, non_members: float, clean: float, clipped: float) -> Verdict:
    """The verdict on an upload of many images.

    Args:
        share: of its images, how many came back (20 dB or more) from the upload as sent.
        non_members: the same share among images that were not in it: what chance gives.
        clean: the share when the upload is neither clipped nor perturbed.
        clipped: the share when it is clipped only.
    """
    if clean < RECOVERED_SHARE:
        return Verdict("inconclusive", "inconclusive: this attack fails even without noise")
    if share > non_members and share >= clean / 2:
        return Verdict("recovered", "recovered: at least half as many of its images as without noise")
    if share > non_members:
        return Verdict("partly", "partly recovered: some of its images are back")
    if clipped < RECOVERED_SHARE:
        return Verdict("clipping", "not recovered; clipping alone already hides the images")
    none = "none of its images recovered by this attack"
    return Verdict("hidden", none if not share else "no more of its images back than by chance")
