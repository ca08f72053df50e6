"""Amplification: the reference's figures where it applies, and no figure where it does not."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_core.accounting.amplify import by_sampling, by_shuffling
from ldp_core.errors import InvalidInput


def test_hidden_sampling(oracles: dict[str, Any]):
    points = oracles["accounting"]["subsampling_pure"]
    assert len(points) >= 10
    for point in points:
        found = by_sampling(point["epsilon"], point["q"], hidden=True)
        assert found.applies
        assert found.epsilon == pytest.approx(point["amplified"], rel=1e-9)


def test_sampling_that_the_server_sees_adds_nothing():
    found = by_sampling(1.0, 0.1, hidden=False)
    assert not found.applies
    assert found.epsilon == 1.0
    assert "the server sees who takes part" in found.why
    assert by_sampling(500.0, 0.5, hidden=True).epsilon == pytest.approx(500 - 0.6931471805599453)
    assert by_sampling(1.0, 0.0, hidden=True).epsilon == 0
    with pytest.raises(InvalidInput, match="share"):
        by_sampling(1.0, 1.5, hidden=True)


def test_shuffling_applies_only_under_its_conditions(oracles: dict[str, Any]):
    for point in oracles["accounting"]["shuffle"]:
        found = by_shuffling(point["epsilon0"], point["n"], point["delta"])
        assert found.applies == point["FMT21_closed_form_applicable"]
        if found.applies:
            assert found.epsilon == pytest.approx(point["FMT21_closed_form"], rel=1e-9)
        else:
            assert found.epsilon == point["epsilon0"]
            assert found.why
    many = by_shuffling(0.5, 100_000, 1e-5)
    assert many.applies
    assert many.epsilon < 0.05
    assert not by_shuffling(0.5, 100_000, 1e-5, alike=False).applies
