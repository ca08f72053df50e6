"""The server's noise before any training, against the reference figures of PLDP-FL's setting."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_core import mechanisms
from ldp_core.errors import InvalidInput
from ldp_core.experiment import parse, plan
from ldp_core.papers.pldp_fl.program import relative_errors
from ldp_core.theory import certain, server_noise, server_variance
from ldp_core.theory.learnability import edges, tried_out, word_of
from ldp_core.theory.turnout import turnouts
from tests.data import events


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


@pytest.mark.parametrize(("guess", "low", "high"), [(0.1, 0.352, 0.748), (0.5, 0.64, 0.86)])
def test_bands_are_shares_of_the_way_from_guessing(guess: float, low: float, high: float):
    assert edges(guess) == pytest.approx((low, high))
    words = [word_of(one, guess) for one in (low - 0.01, low + 0.01, high - 0.01, high + 0.01)]
    assert words == ["chance", "borderline", "borderline", "learns"]


def test_interval_holds_nine_of_ten_and_word_has_its_probability():
    """Trials and run around one accuracy, with the spread that is assumed of a trial's own error."""
    draw = np.random.default_rng(0)
    inside, claimed, right = 0, 0.0, 0
    for _ in range(4000):
        centre = draw.uniform(0.1, 1)
        trials, run = centre + 0.03 * draw.standard_normal(4), centre + draw.normal(0, np.hypot(0.03, 0.04))
        view = tried_out(trials.tolist(), 0.1, "")
        assert view.low is not None and view.high is not None and view.probability is not None
        inside += view.low <= run <= view.high or run > 1
        claimed, right = claimed + view.probability, right + (view.word == word_of(run, 0.1))
    assert 0.86 < inside / 4000 < 0.95
    assert right / 4000 == pytest.approx(claimed / 4000, abs=0.03)


@pytest.mark.parametrize("target", ["weights", "update"])
def test_drowning_noise_is_chance_without_a_trial(target: str):
    changes = {"clients": {"epsilon": 0.02}, "target": target, "mechanism": "laplace", "attack": None}
    view = certain(plan(parse(changes)))
    assert view is not None and view.word == "chance" and view.high is not None
    assert events(changes)[-1]["accuracy"] <= view.high
    assert certain(plan(parse(changes | {"clients": {"epsilon": 8}}))) is None


def test_clients_that_never_send_are_chance_for_certain():
    view = certain(plan(parse({"clients": {"epsilon": 8, "run_limit": 100}})))
    assert view is not None and view.word == "chance" and "limit" in view.why


CLIENTS = 70


def error(name: str, epsilon: object, length: object, repeats: int = 60) -> np.ndarray:
    """Ranges [0, L], so that the true mean is L/2 on average."""
    epsilons, lengths = (np.broadcast_to(np.asarray(v, float), CLIENTS) for v in (epsilon, length))
    return relative_errors(mechanisms.get(name), epsilons, np.zeros(CLIENTS), lengths, repeats=repeats)


@pytest.mark.parametrize("name", ["pdpm", "duchi", "piecewise", "laplace"])
def test_relative_error_follows_the_variance(name: str):
    """For a normal error E|x| = √(2/π)·σ; 400 repetitions know it to ±3.8 %, so 20 % is 5 deviations."""
    mechanism = mechanisms.get(name)
    values = np.linspace(0, 1, 201)
    spread = np.sqrt(np.mean(mechanism.variance(values, 0.5, 0.0, 1.0)) / (CLIENTS * 100))
    expected = np.sqrt(2 / np.pi) * spread / 0.5
    assert error(name, 0.5, 1.0, 400).mean() == pytest.approx(expected, rel=0.2)


def test_relative_error_is_constant_in_the_range():
    """Figure 2b has it grow with L. A range that begins at 0 scales records and noise alike: no growth.

    With ranges of different lengths around the same records' mean, it does.
    """
    short, long = (error("pdpm", 0.5, length) for length in (0.2, 2.0))
    assert short == pytest.approx(long, rel=1e-6)
    pdpm, budgets, centre = mechanisms.get("pdpm"), np.full(CLIENTS, 0.5), np.full(CLIENTS, 1.0)
    widths = (0.1, 0.5, 1.0)
    grown = [relative_errors(pdpm, budgets, centre - w, centre + w, 60).mean() for w in widths]
    assert grown == sorted(grown)
    assert grown[2] > 4 * grown[0]


def test_records_are_paired_and_scope_is_checked():
    assert np.array_equal(error("pdpm", 0.5, 1.0, 3), error("pdpm", 0.5, 1.0, 3))
    with pytest.raises(InvalidInput, match="must perturb single records; got harmony"):
        error("harmony", 1.0, 1.0)


@pytest.mark.parametrize(
    ("count", "kinds", "drawn"),
    [(1, 1, False), (14, 14, False), (15, 15, True), (1000, 1, False), (60, 2, False)],
)
def test_self_sampling_is_enumerated_by_kind(count: int, kinds: int, drawn: bool):
    """Of those drawn, 5 000, the mean is off by five standard errors once in a million."""
    one = parse({"clients": {"count": count}, "selection": {"kind": "self_sampling", "least": 0.3}})
    (found,) = turnouts(plan(one), np.arange(count, dtype=np.int64) % kinds)
    assert found.drawn == drawn
    assert found.share.sum() == pytest.approx(1)
    came, error = found.here.sum(axis=1), 5 * np.sqrt(count * 0.65 * 0.35 / 5_000) if drawn else 1e-9 * count
    assert found.share @ came == pytest.approx(0.65 * count, abs=error)
    if not drawn:
        assert found.share @ came**2 == pytest.approx((0.65 * count) ** 2 + count * 0.65 * 0.35)
        assert found.share @ (came == 0) == pytest.approx(0.35**count)
        of_first = (found.here & (found.clients % kinds == 0)).sum(axis=1)
        assert found.share @ of_first == pytest.approx(0.65 * -(-count // kinds))


def test_self_sampling_noise_averages_over_choices():
    """E[1/N] of a binomial N for equal clients; for six others an outsider's sum over their 64 choices."""
    noise = server_noise(plan(parse({"clients": {"epsilon": 1.0}, "selection": "self_sampling"})))
    alone = server_variance(parse({"clients": {"epsilon": 1.0, "count": 1}}))
    expected = alone * sum(binom.pmf(n, 20, 0.75) / n for n in range(1, 21))
    assert noise.error == 0
    assert noise.variance == pytest.approx(expected, rel=1e-10)
    clients = {"count": 6, "epsilon": [0.2, 0.6, 1.5, 3, 6, 11], "low": -2.5, "high": 0.25}
    six = {"clients": clients, "mechanism": "pdpm", "aggregator": "inverse_variance"}
    six |= {"selection": {"kind": "self_sampling", "least": 0.3}}
    assert server_variance(parse(six)) == pytest.approx(2.739787, rel=1e-6)
