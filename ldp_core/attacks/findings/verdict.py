"""Verdicts on attack attempts, given controls and baselines.

A failed attack proves nothing, so no verdict says "private".
"""

from dataclasses import dataclass
from math import comb
from typing import Literal

RECOVERED_DB = 20.0
"""PSNR from which on an image counts as recovered on every page: a mean squared error of 0.01."""
READ = 0.8
"""Correlation from which on an image is recognisable, if it is also closer to its image than to any decoy and
than any guess (`reads`). Of 3 060 reconstructions of digits at ε 0.5 to 100, a classifier that had not seen
the victims recognised 91 % of those above the threshold, and agreed with it on about 92 % of all, with 20 dB
on about 69 % (`tests/benchmarks/reading.py` of commit 90ef56d5; 8 × 8 pixels only).
"""
VISIBLE_DB = 3.0
"""Least distance in dB from the best guess without an upload for a reconstruction to count."""
RECOVERED_SHARE = 0.1
"""Least share of a batch's images that a control must recover to show that the attack works."""
SELDOM = 0.025
"""Probability below which chance does not explain that more was recovered or picked than by guessing."""

VerdictKind = Literal["recovered", "partly", "clipping", "hidden", "inconclusive"]


@dataclass(frozen=True)
class LeakVerdict:
    kind: VerdictKind
    text: str


def reads(psnr: float, guess: float, ncc: float, stranger: float | None) -> bool:
    """Whether a reconstruction is recognisable, and closer to its image than any guess; as in `judge`."""
    return psnr > guess and ncc >= READ and (stranger is None or ncc > stranger)


def judge(
    psnr: float, ncc: float, stranger: float | None, guess: float, clean: float, clipped: float
) -> LeakVerdict:
    """Verdict on a reconstruction of this PSNR in dB and correlation with the image.

    Args:
        stranger: highest correlation with a decoy; None if unknown.
        guess: PSNR of the best guess without an upload: the mean image, or that of the class.
        clean, clipped: PSNR for the upload without clipping and noise, and without noise.
    """
    if clean < RECOVERED_DB:
        return LeakVerdict("inconclusive", "inconclusive: this attack fails even without noise")
    if psnr >= RECOVERED_DB:
        return LeakVerdict("recovered", "recovered: the image is back")
    if reads(psnr, guess, ncc, stranger):
        return LeakVerdict("partly", "no close copy, yet the picture can be read")
    if psnr >= guess + VISIBLE_DB:
        return LeakVerdict("partly", "partly recovered: better than any guess")
    if clipped < RECOVERED_DB:
        return LeakVerdict("clipping", "not recovered; clipping alone already hides the image")
    return LeakVerdict("hidden", "not recovered by this attack")


def judge_share(
    share: float,
    non_members: float,
    clean: float,
    clipped: float,
    images: int,
    read: float = 0.0,
    read_non_members: float = 0.0,
) -> LeakVerdict:
    """Verdict on an upload of many images, by the share of them recovered from the upload as sent; of as many
    images not in it (chance); without clipping and noise; and without noise; and by the share of them that
    can be read, and of as many images not in it.
    """
    if clean < RECOVERED_SHARE:
        return LeakVerdict("inconclusive", "inconclusive: this attack fails even without noise")
    surely = _by_chance(round(share * images), round(non_members * images), images) < SELDOM
    if share > non_members and not surely:
        few = f"{round(share * images)} of its {images} images back, too few to tell from chance"
        return LeakVerdict("partly", f"perhaps recovered in part: {few}")
    if share > non_members and share >= clean / 2:
        return LeakVerdict("recovered", "recovered: at least half as many of its images as without noise")
    if share > non_members:
        return LeakVerdict("partly", "partly recovered: some of its images are back")
    if read > read_non_members:
        surely = _by_chance(round(read * images), round(read_non_members * images), images) < SELDOM
        few = f"{round(read * images)} of its {images} images can{' perhaps' if not surely else ''} be read"
        return LeakVerdict("partly", f"no close copies, yet {few}")
    if clipped < RECOVERED_SHARE:
        return LeakVerdict("clipping", "not recovered; clipping alone already hides the images")
    none = "none of its images recovered by this attack"
    return LeakVerdict("hidden", none if not share else "no more of its images back than by chance")


def _by_chance(hits: int, others: int, n: int) -> float:
    """Probability of at least so many of all hits among the first n of 2n images (Fisher's exact test)."""
    total = hits + others
    ways = sum(comb(n, k) * comb(n, total - k) for k in range(hits, min(n, total) + 1))
    return ways / comb(2 * n, total)
