"""Metrics by hand, and what may be said of an attempt."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_core.attacks.metrics import PSNR_CAP, clamped, ncc, psnr
from ldp_core.attacks.verdict import judge


def test_psnr_by_hand():
    black, white = np.zeros((1, 8, 8)), np.ones((1, 8, 8))
    assert psnr(black, white)[0] == pytest.approx(0)
    assert psnr(black + 0.1, black)[0] == pytest.approx(20)
    assert psnr(black, black)[0] == PSNR_CAP
    assert psnr(black - 50, black)[0] == PSNR_CAP, "pixels are clamped first"


def test_ncc_ignores_brightness_and_contrast():
    image = np.random.default_rng(0).random((1, 8, 8))
    assert ncc(0.2 + 0.5 * image, image)[0] == pytest.approx(1)
    assert ncc(1 - image, image)[0] == pytest.approx(-1)
    assert ncc(np.full((1, 8, 8), 0.5), image)[0] == 0, "a constant image is like nothing"
    matrix = np.corrcoef(image.ravel(), np.flip(image).ravel())
    assert ncc(np.flip(image), image)[0] == pytest.approx(matrix[0, 1])


def test_what_is_no_number_becomes_black():
    assert clamped(np.array([np.nan, np.inf, -np.inf, 0.5])).tolist() == [0, 1, 0, 0.5]


@pytest.mark.parametrize(
    ("figures", "kind"),
    [
        ((25, 11, 120, 120), "recovered"),
        ((18, 12, 120, 120), "partly"),
        ((13, 12, 120, 60), "hidden"),
        ((13, 12, 120, 15), "clipping"),
        ((25, 11, 18, 18), "inconclusive"),
        ((6, 12, 18, 18), "inconclusive"),
    ],
)
def test_verdicts(figures: tuple[float, float, float, float], kind: str):
    verdict = judge(*figures)
    assert verdict.kind == kind
    assert "private" not in verdict.text
