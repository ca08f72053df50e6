"""Every mechanism against reference values computed independently to 60 digits, at 1e-9 relative."""

from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.mechanisms import Use
from ldp_core.mechanisms.dynamic_gaussian import DynamicGaussian
from ldp_core.mechanisms.ldpsign import LDPSign
from ldp_core.mechanisms.pdpm import PDPM
from ldp_core.mechanisms.shared.gaussian_privacy import delta_of, epsilon_of

NAMES = {
    "pdpm": "pdpm",
    "duchi": "duchi",
    "adaptive_duchi": "duchi",
    "piecewise": "piecewise",
    "laplace": "laplace",
    "hybrid": "hybrid",
}


def exact(known: Any) -> Any:
    return pytest.approx(known, rel=1e-9, abs=1e-300)


def test_harmony(oracles: dict[str, Any]):
    points = oracles["mechanisms"]["adaptive_harmony"]
    assert len(points) >= 12
    for point in points:
        params, value = point["params"], point["input"]
        budget = (params["epsilon"], params["c"] - params["r"], params["c"] + params["r"])
        harmony = mechanisms.get("harmony", dimension=params["d"])
        printed = mechanisms.get("harmony", dimension=params["d"], form="as_printed")
        assert harmony.mean(value, *budget) == exact(point["mean"])
        assert harmony.variance(value, *budget) == exact(point["variance"])
        assert harmony.privacy_loss(*budget) == exact(point["joint_privacy_loss"])
        assert printed.mean(value, *budget) == exact(point["zero_fill_mean"])
        for output, probability in zip(point["support"], point["probabilities"], strict=True):
            if probability:
                got = np.exp(harmony.at(*budget).marginal_log_prob(output, value))
                assert got == exact(probability)
        bits = harmony.differences(value, *budget, Use(params["d"]))[-1].corrected
        assert bits == max(1, point["communication_bits_per_layer"])
        duchi = mechanisms.get("duchi")
        assert duchi.variance(value, params["epsilon"] / params["d"], *budget[1:]) == exact(
            point["duchi_same_total_budget_variance"]
        )


def test_categories(oracles: dict[str, Any]):
    points = oracles["mechanisms"]["grr"]
    assert len(points) >= 8
    for point in points:
        params = point["params"]
        grr, budget = mechanisms.get("grr", levels=params["k"]), (params["epsilon"], 0.0, params["k"] - 1.0)
        law = np.exp(grr.log_prob(grr.at(*budget).atoms(point["input"]), point["input"], *budget))
        assert law[point["input"]] == exact(point["p_true"])
        assert np.delete(law, point["input"]) == exact(point["q_other"])
        assert grr.privacy_loss(*budget) == exact(point["privacy_loss_max"])


@pytest.mark.parametrize("calibration", ["classical", "analytic"])
def test_gaussian_calibrations(calibration: str, oracles: dict[str, Any]):
    for point in oracles["mechanisms"][f"gaussian_{calibration}"]:
        params = point["params"]
        own = {"delta": params["delta"], "calibration": calibration, "sensitivity": params["sensitivity"]}
        sigma = np.sqrt(mechanisms.get("gaussian", **own).variance(0.3, params["epsilon"], -1, 1))
        assert sigma == exact(point["sigma"])
        if "true_delta_at_epsilon" in point:
            mu = params["sensitivity"] / sigma
            assert delta_of(params["epsilon"], mu) == pytest.approx(point["true_delta_at_epsilon"], rel=1e-9)
            got = epsilon_of(params["delta"], mu)
            assert got == exact(point["true_epsilon_at_delta"])


def test_equation_4_of_paper_001(oracles: dict[str, Any]):
    keys = {"as_printed": "as_printed_sqrt_on_prefactor_only", "corrected": "sqrt_over_everything"}
    for point in oracles["mechanisms"]["gaussian_seed001_eq4"]:
        params = point["params"]
        own = {
            "calibration": "paper001",
            "delta": params["delta"],
            "sampling": params["q"],
            "rounds": params["R"],
            "sensitivity": 1.0,
        }
        budget = (params["epsilon"], -params["c"], params["c"])
        for form, key in keys.items():
            known = point[key]
            weight = mechanisms.get("gaussian", form=form, **own)
            upload = mechanisms.get("gaussian", form=form, dimension=params["d"], **own)
            assert np.sqrt(weight.variance(0.0, *budget)) == exact(known["sigma"])
            assert weight.at(*budget).mu == exact(known["per_coordinate_mu_one_round"])
            assert upload.at(*budget).mu == exact(known["vector_mu_one_round"])
            rounds = known["vector_mu_one_round"] * np.sqrt(params["R"])
            for mu, epsilon in (
                (known["per_coordinate_mu_one_round"], known["epsilon_one_coordinate_one_round"]),
                (known["vector_mu_one_round"], known["epsilon_vector_one_round"]),
                (rounds, known["epsilon_vector_R_rounds"]),
            ):
                assert epsilon_of(params["delta"], mu) == pytest.approx(epsilon, rel=1e-9, abs=1e-12)
        ranged = mechanisms.get("gaussian", form="as_printed", **(own | {"sensitivity": None}))
        assert np.sqrt(ranged.variance(0.0, *budget)) == exact(
            2 * params["c"] * point[keys["as_printed"]]["sigma"]
        )


def test_dynamic_schedule_of_paper_002(oracles: dict[str, Any]):
    for point in oracles["mechanisms"]["gaussian_dynamic_seed002"]:
        params = point["params"]
        own = {"delta": params["delta"], "a": params["a"], "rounds": params["M"], "sensitivity": 1.0}
        for i, sigma in enumerate(point["sigma_over_sensitivity_first3"]):
            one = DynamicGaussian(round=i + 1, **own)
            assert np.sqrt(one.variance(0.0, params["epsilon"], -1, 1)) == exact(sigma)
            assert one.budget(params["epsilon"], i + 1) == exact(point["eps_m_first3"][i])
        last = DynamicGaussian(round=params["M"], **own)
        assert last.at(params["epsilon"], -1, 1).sigma == exact(point["sigma_over_sensitivity_last"])
        printed, summed = last.total(params["epsilon"])
        assert printed == pytest.approx(point["eps_total_paper_closed_form"], rel=1e-9, abs=1e-12)
        assert summed == exact(point["eps_total_basic_exact_sum"])


def test_ldpsign(oracles: dict[str, Any]):
    points = oracles["mechanisms"]["ldpsign"]
    assert len(points) >= 8
    for point in points:
        params, value = point["params"], point["input"]
        sign = LDPSign(delta=params["delta"])
        budget = (params["epsilon"], -params["clip_c"], params["clip_c"])
        assert sign.at(*budget).weighing_variance ** 0.5 == exact(point["sigma"])
        assert sign.mean(value, *budget) == exact(point["mean"])
        assert sign.variance(value, *budget) == exact(point["variance"])
        assert sign.privacy_loss(*budget) == exact(point["privacy_loss_max"])
        got = np.exp(sign.log_prob(np.array(point["support"]), value, *budget))
        assert got == exact(point["probabilities"])


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
        assert mechanism.mean(value, *budget) == exact(point["mean"])
        assert mechanism.variance(value, *budget) == exact(point["variance"])
        assert mechanism.privacy_loss(*budget) == exact(point["privacy_loss_max"])
        if "max_variance_over_range" in point:
            assert mechanism.at(*budget).max_variance == exact(point["max_variance_over_range"])
        if isinstance(point.get("support"), list):
            assert mechanism.at(*budget).atoms(value) == exact(sorted(point["support"]))
            got = np.exp(mechanism.log_prob(np.array(point["support"]), value, *budget))
            assert got == exact(point["probabilities"])
        for piece in point.get("density_pieces", ()):
            if piece["to"] - piece["from"] > 1e-4 * half:
                # off the middle, where the hybrid law may have an atom
                middle = 0.49 * piece["from"] + 0.51 * piece["to"]
                got = np.exp(mechanism.log_prob(middle, value, *budget))
                assert got == exact(piece["density"])
        for atom in point.get("atoms", ()):
            assert np.exp(mechanism.log_prob(atom["value"], value, *budget)) == exact(atom["prob"])
        for at in point.get("density_at", ()):
            assert np.exp(mechanism.log_prob(at["y"], value, *budget)) == exact(at["density"])


def test_merged_pdpm_answers_lower_the_variance(oracles: dict[str, Any]):
    merged, printed = mechanisms.get("pdpm"), mechanisms.get("pdpm", form="as_printed")
    for point in oracles["mechanisms"]["pdpm"]:
        params, value = point["params"], point["input"]
        budget = (params["epsilon"], params["c"] - params["L"] / 2, params["c"] + params["L"] / 2)
        assert merged.variance(value, *budget) == exact(point["merged_two_atom_variance"])
        assert merged.variance(value, *budget) < printed.variance(value, *budget)
        assert merged.privacy_loss(*budget) == printed.privacy_loss(*budget)
        bound = PDPM.printed_variance_bound(params["epsilon"], budget[1], budget[2])
        assert bound == exact(point["paper_theorem1_bound"])
