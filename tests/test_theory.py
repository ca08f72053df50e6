"""The server's noise before any training, against the reference figures of PLDP-FL's setting."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ldp_core.experiment import parse
from ldp_core.theory import client_weights, server_variance

MECHANISMS = {"pdpm": "pdpm", "duchi": "duchi", "piecewise": "piecewise", "laplace": "laplace"}


def test_the_papers_modes_give_the_reference_noise_of_a_mean_of_seventy(oracles: dict[str, Any]):
    points = oracles["aggregation_and_noise"]["pldp_fl_noise_sd_per_weight_v0"]
    assert len(points) >= 3
    for point in points:
        for prefix, name in MECHANISMS.items():
            known = point.get(f"{prefix}_sd_mean_of_70")
            if known is None or point["tau_mode"] not in ("tau1", "tau2", "tau3"):
                continue
            clients = {"count": 70, "epsilon": point["eps_mode"], "range": point["tau_mode"]}
            experiment = (
                parse(
                    {
                        "clients": clients,
                        "mechanism": name,
                        "form": "as_printed" if name == "pdpm" else "corrected",
                        "attack": None,
                    }
                )
                if name != "piecewise"
                else parse({"clients": clients, "mechanism": name})
            )
            assert math.sqrt(server_variance(experiment)) == pytest.approx(known, rel=1e-9)


def test_a_random_share_of_the_clients_leaves_more_noise():
    everybody = parse({"clients": {"epsilon": 1}})
    half = parse({"clients": {"epsilon": 1}, "selection": {"kind": "fraction", "fraction": 0.5}})
    assert server_variance(half) == pytest.approx(2 * server_variance(everybody))


def test_weights_follow_the_worst_case_and_not_the_data():
    experiment = parse({"aggregator": "inverse_variance"})
    weights = client_weights(experiment)
    assert weights.sum() == pytest.approx(1)
    assert weights[-1] > 50 * weights[0]
