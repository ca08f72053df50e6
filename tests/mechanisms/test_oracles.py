"""Every mechanism against reference values computed independently to 60 digits, at 1e-9 relative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.mechanisms.pdpm import PDPM

NAMES = {
    "pdpm": "pdpm",
    "duchi": "duchi",
    "adaptive_duchi": "duchi",
    "piecewise": "piecewise",
    "laplace": "laplace",
}
EXACT: dict[str, Any] = {"rel": 1e-9, "abs": 1e-300}


def half_width(params: dict[str, float]) -> float:
    return params.get("r", params.get("t", params.get("L", 0) / 2))


@pytest.mark.parametrize("section", NAMES)
def test_points(section: str, oracles: dict[str, Any]):
    form = "as_printed" if section == "pdpm" else "corrected"
    mechanism = mechanisms.get(NAMES[section], form=form)
    points = oracles["mechanisms"][section]
    assert len(points) >= 12
    for point in points:
        params, value = point["params"], point["input"]
        half = half_width(params)
        budget = (params["epsilon"], params["c"] - half, params["c"] + half)
        assert mechanism.mean(value, *budget) == pytest.approx(point["mean"], **EXACT)
        assert mechanism.variance(value, *budget) == pytest.approx(point["variance"], **EXACT)
        assert mechanism.privacy_loss(*budget) == pytest.approx(point["privacy_loss_max"], **EXACT)
        if "max_variance_over_range" in point:
            assert mechanism.max_variance(*budget) == pytest.approx(point["max_variance_over_range"], **EXACT)
        if isinstance(point.get("support"), list):
            assert mechanism.atoms(value, *budget) == pytest.approx(sorted(point["support"]), **EXACT)
            got = np.exp(mechanism.log_prob(np.array(point["support"]), value, *budget))
            assert got == pytest.approx(point["probabilities"], **EXACT)
        for piece in point.get("density_pieces", ()):
            if piece["to"] - piece["from"] > 1e-4 * half:
                middle = (piece["from"] + piece["to"]) / 2
                got = np.exp(mechanism.log_prob(middle, value, *budget))
                assert got == pytest.approx(piece["density"], **EXACT)
        for at in point.get("density_at", ()):
            assert np.exp(mechanism.log_prob(at["y"], value, *budget)) == pytest.approx(
                at["density"], **EXACT
            )


def test_merging_pdpms_low_answers_keeps_the_privacy_and_lowers_the_variance(oracles: dict[str, Any]):
    merged, printed = mechanisms.get("pdpm"), mechanisms.get("pdpm", form="as_printed")
    for point in oracles["mechanisms"]["pdpm"]:
        params, value = point["params"], point["input"]
        budget = (params["epsilon"], params["c"] - params["L"] / 2, params["c"] + params["L"] / 2)
        assert merged.variance(value, *budget) == pytest.approx(point["merged_two_atom_variance"], **EXACT)
        assert merged.variance(value, *budget) < printed.variance(value, *budget)
        assert merged.privacy_loss(*budget) == printed.privacy_loss(*budget)
        bound = PDPM.printed_variance_bound(params["epsilon"], budget[1], budget[2])
        assert bound == pytest.approx(point["paper_theorem1_bound"], **EXACT)


def test_crossings(oracles: dict[str, Any]):
    """Where Piecewise and Duchi are equally noisy at worst, and where PDPM's worst input changes sides."""
    constants = oracles["constants"]
    epsilon = constants["pm_duchi_worst_case_crossing"]
    worst = [mechanisms.get(name).max_variance(epsilon, -1, 1) for name in ("piecewise", "duchi")]
    assert worst[0] == pytest.approx(worst[1], rel=1e-9)
    printed = mechanisms.get("pdpm", form="as_printed")
    epsilon = constants["pdpm_argmax_switch_epsilon"]
    assert printed.max_variance(epsilon, -1, 1) == pytest.approx(
        printed.variance(1.0, epsilon, -1, 1), rel=1e-9
    )


def test_duchi_beats_pdpm_everywhere():
    epsilon = np.geomspace(0.001, 700, 400)[:, None]
    value = np.linspace(-1, 1, 201)[None, :]
    duchi = mechanisms.get("duchi").variance(value, epsilon, -1, 1)
    for form in ("corrected", "as_printed"):
        pdpm = mechanisms.get("pdpm", form=form).variance(value, epsilon, -1, 1)
        assert (pdpm >= duchi * (1 - 1e-12)).all()
