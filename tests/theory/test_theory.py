"""The server's noise before any training, against the reference figures of PLDP-FL's setting."""

import math
from typing import Any

import pytest

from ldp_core import mechanisms
from ldp_core.experiment import parse, plan
from ldp_core.theory import certain, server_noise, server_variance, worst_variance


def test_papers_modes_give_the_reference_noise(oracles: dict[str, Any]):
    points = oracles["aggregation_and_noise"]["pldp_fl_noise_sd_per_weight_v0"]
    assert len(points) >= 3
    for point in points:
        for name in ("pdpm", "duchi", "piecewise", "laplace"):
            known = point.get(f"{name}_sd_mean_of_70")
            if known is None or point["tau_mode"] not in ("tau1", "tau2", "tau3"):
                continue
            clients = {"count": 70, "epsilon": point["eps_mode"], "range": point["tau_mode"]}
            form = "as_printed" if name == "pdpm" else "corrected"
            experiment = parse({"clients": clients, "mechanism": name, "form": form})
            assert math.sqrt(server_variance(experiment)) == pytest.approx(known, rel=1e-9)


def test_harmony_layer_by_layer_has_the_reference_noise(oracles: dict[str, Any]):
    """Paper 004's layers, one at a time: a model of one layer with as many weights."""
    points = oracles["aggregation_and_noise"]["optimal_ldp_fl_noise"]
    assert len(points) >= 5
    for point in points:
        harmony = mechanisms.get("harmony", dimension=point["d"])
        mean_of = math.sqrt(harmony.variance(0.0, point["eps"], -1, 1) / point["n"])
        assert mean_of == pytest.approx(point["harmony_sd_over_r"], rel=1e-9)
    by_layer = parse({"mechanism": "harmony", "model": "mlp", "clients": {"epsilon": 1}})
    pieces = plan(by_layer).pieces()
    assert [piece.size for piece in pieces] == [64 * 32 + 32, 32 * 10 + 10]
    expected = sum(p.size * p.mechanism.variance(0.0, 1.0, -1, 1) for p in pieces) / plan(by_layer).dimension
    assert server_variance(by_layer) == pytest.approx(expected / 20)


def test_dynamic_noise_is_stated_per_round():
    dynamic = parse({"mechanism": "dynamic_gaussian", "rounds": 10})
    first, last = worst_variance(plan(dynamic), 1)[0], worst_variance(plan(dynamic), 10)[0]
    assert math.sqrt(last / first) == pytest.approx(1.0307, abs=1e-4)


@pytest.mark.parametrize("mechanism", ["duchi", "ldpsign"])
def test_vote_has_no_predicted_noise(mechanism: str):
    """Before training it is unknown how close a vote will be: .12 was stated for Duchi, and 1.6 was so."""
    vote = {"aggregator": "sign_majority", "target": "update"}
    experiment = parse(vote | {"mechanism": mechanism})
    noise = server_noise(plan(experiment))
    assert math.isnan(noise.variance) and math.isnan(noise.heard)
    assert noise.unknown == "it depends on how close each vote is"
    assert certain(plan(experiment)) is None
    assert server_variance(parse(vote | {"mechanism": "none"})) == 0
    lottery = {"aggregator": {"name": "sign_majority", "votes": "lottery"}}
    assert server_noise(plan(parse(vote | lottery))).empty > 0.5
