"""One round: the noise that was measured is the noise that was predicted, and comparisons are paired."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import aggregators, limits, mechanisms
from ldp_core.errors import Diverged
from ldp_core.experiment import Plan, Population, parse, plan
from ldp_core.federated.federation import Federation, Weighing, assemble, untrained
from ldp_core.federated.noising import JointNoising, Noising
from ldp_core.federated.round import one_round
from ldp_core.federated.upload import Laws
from ldp_core.mechanisms.base import Mechanism, Use
from ldp_core.streams import stream
from ldp_core.systems import Encoded
from ldp_core.theory import worst_variance
from tests.data import digits
from tests.extent import in_gate
from tests.federated.test_upload import EVERY, LAYERS, WIDTH, fitted
from tests.mechanisms.test_contract import named

CPU = torch.device("cpu")
FORMS = [(name, form) for name in mechanisms.offered() for form in mechanisms.registry.kind(name).forms]
TARGETS = ("weights", "update")
CASES = [
    (mechanism, aggregator, TARGETS[(i // 2 + j + k) % 2])
    for i, mechanism in enumerate(FORMS)
    for j, aggregator in enumerate(aggregators.names())
    for k in in_gate(range(1), range(2))
    if not aggregators.get(aggregator).unpredicted
    if in_gate(
        (i + j) % 12 == 0 if aggregator == "probability_selection" else (i + i // 2 - j) % 4 == 0, True
    )
]
"""Every mechanism with every aggregator but votes and with both targets; in the gate each meets one of the
weightings, and two of them the lottery, which takes four times as many rounds."""


def federation(changes: dict[str, Any]) -> Federation:
    return assemble(plan(parse(changes)), digits(), CPU)


@pytest.mark.parametrize(("mechanism", "aggregator", "target"), CASES, ids=str)
def test_measured_noise_agrees_with_its_exact_expectation(
    mechanism: tuple[str, str], aggregator: str, target: str
):
    """Over 100 independent rounds from the same model, within 5 standard errors (false alarm < 1e-6)."""
    name, form = mechanism
    lottery = aggregator == "probability_selection"
    # of clients that are much alike the lottery hardly ever draws one
    budgets = [0.05] * 18 + [8.0] * 2 if lottery else [0.5] * 10 + [2.0] * 8 + [8.0] * 2
    ready = federation(
        {
            "mechanism": name,
            "form": form,
            "aggregator": aggregator,
            "target": target,
            "clients": {"epsilon": budgets, "low": -0.3, "high": 0.5},
            "local": {"epochs": 1, "batch_size": 1000},  # a step is enough: nothing need be learnt
            "attack": None,
        }
    )
    start, rounds = untrained(ready), range(600 if lottery and name == "none" else 400 if lottery else 100)
    results = [one_round(ready, replace(start, round=before)) for before in rounds]
    results = [result for result in results if result.client_weights.any()]  # the lottery may draw none
    assert len(results) >= (15 if lottery else 100)
    measured = np.array([result.noise_variance for result in results])
    predicted = np.array([result.noise_variance_theory for result in results])
    if name == "none":
        assert measured.max() < 1e-14
        assert predicted.max() < 1e-14
        return
    ratio = measured / predicted
    error = ratio.std(ddof=1) / math.sqrt(len(ratio))
    assert error < (0.1 if lottery else 0.05), "the test would not see an error of a quarter"
    assert abs(ratio.mean() - 1) < 5 * error


@pytest.mark.parametrize("aggregator", aggregators.names())
@pytest.mark.parametrize("mechanism", ["none", "duchi", "ldpsign"])
def test_noise_variance_equals_the_models_displacement(mechanism: str, aggregator: str):
    """Exactly, in float32, where changes are sent: after the vote, where there is one, and not before."""
    ready = federation(
        {
            "mechanism": mechanism,
            "aggregator": aggregator,
            "target": "update",
            "clients": {"epsilon": [0.05] * 19 + [8.0]},
            "local": {"epochs": 1, "batch_size": 1000},
        }
    )
    start = untrained(ready)
    results = [one_round(ready, replace(start, round=before)) for before in range(3)]
    for one in results:
        moved = float(((one.weights - one.unnoised).double() ** 2).mean())
        assert one.noise_variance == pytest.approx(moved, rel=1e-4, abs=1e-12)
        signal = float(((one.unnoised - torch.from_numpy(start.weights)).double() ** 2).mean())
        assert one.signal_variance == pytest.approx(signal, rel=1e-3)
    votes = aggregator == "sign_majority" and mechanism != "none"
    assert [one.noise_variance_theory is None for one in results] == [votes] * 3


def test_paired_runs_differ_in_noise_only():
    ready = [
        federation({"mechanism": m, "seed": 4, "selection": "fraction"}) for m in ("duchi", "none", "laplace")
    ]
    starts = [untrained(one) for one in ready]
    results = [one_round(one, start) for one, start in zip(ready, starts, strict=True)]
    for one, start, result in zip(ready[1:], starts[1:], results[1:], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one.shards, ready[0].shards, strict=True))
        assert np.array_equal(start.weights, starts[0].weights)
        assert np.array_equal(result.participants, results[0].participants)
        assert result.signal_variance == results[0].signal_variance, "the same batches give the same weights"


def test_noiseless_round_averages_clipped_weights():
    changes = {"mechanism": "none", "clients": {"epsilon": 1, "low": -0.05, "high": 0.05}}
    ready = federation(changes)
    result = one_round(ready, untrained(ready))
    assert result.weights.abs().max() <= 0.05 + 1e-7
    assert 0.1 < result.clipped_fraction < 1
    assert result.noise_variance == 0


def test_no_mechanism_in_several_sums_has_no_noise_at_all():
    ready = federation({"mechanism": "none", "model": {"name": "mlp", "hidden": 256}, "attack": None})
    result = one_round(ready, untrained(ready))
    assert result.noise_variance == result.noise_variance_theory == 0


@pytest.mark.parametrize("form", ["corrected", "as_printed"])
def test_corrected_form_projects_into_the_range_hull(form: str):
    clients = {"epsilon": 0.1, "low": [-1.0] * 19 + [-0.5], "high": [0.4] * 19 + [0.9]}
    ready = federation({"mechanism": "pdpm", "form": form, "clients": clients})
    assert ready.hull == (-1.0, 0.9)
    result = one_round(ready, untrained(ready))
    inside = bool(((result.weights >= -1.0) & (result.weights <= 0.9 + 1e-6)).all())
    assert inside == (form == "corrected")
    assert result.noise_variance > 1, "the noise is measured before the projection"


def test_chunks_of_clients_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch):
    ready = federation({"clients": {"count": 30}, "aggregator": "inverse_variance"})
    whole = one_round(ready, untrained(ready))
    monkeypatch.setattr(limits, "CHUNK_BYTES", 4 * 650 * 30 + 1)
    again = one_round(ready, untrained(ready))
    assert torch.equal(whole.weights, again.weights)
    assert ready.plan.chunk == 30


def test_a_learning_rate_that_is_far_too_large_is_named():
    ready = federation({"local": {"learning_rate": 1e6}})
    with pytest.raises(
        Diverged, match=r"client 1 .* the learning rate 1\u202f000\u202f000 is too large; try one near 0.5"
    ):
        one_round(ready, untrained(ready))


@pytest.mark.parametrize(
    ("budgets", "strict"),
    [
        ([0.5] * 18 + [8] * 2, 18),
        ([0.5] * 10 + [8] * 10, 10),
        ([0.5] * 3 + [8] * 17, 3),  # the median is the largest: none would be permissive
        ([1, 2, 3, 4, 5], 3),
        ([1] * 5, 5),
        ([2], 1),
    ],
)
def test_strict_clients_are_all_only_for_equal_budgets(budgets: list[float], strict: int):
    epsilon = np.array(budgets, np.float64)
    assert Population(epsilon, -np.ones_like(epsilon), np.ones_like(epsilon)).strict.sum() == strict


@pytest.mark.parametrize("mechanism", ["piecewise", "dynamic_gaussian", "grr"])
def test_each_round_has_its_own_pieces_and_variances(mechanism: str):
    made = plan(parse({"mechanism": mechanism, "rounds": 4}))
    weighing, afresh = Weighing(made), Plan(made.experiment)
    for number in (1, 2, 4, 1):
        assert made.pieces(number) == afresh.pieces(number)
        np.testing.assert_array_equal(weighing.worst(number), worst_variance(made, number))
    assert (made.pieces(1) is made.pieces(3)) == (mechanism != "dynamic_gaussian")


CLIENTS = 7


def chunk(mechanism: Mechanism, seed: int, epsilon: float, layers: tuple[slice, ...]) -> Noising:
    values = stream(seed, "audit").normal(0, 0.7, (CLIENTS, WIDTH)).astype(np.float32)
    low, high = np.full((CLIENTS, 1), -0.5), np.full((CLIENTS, 1), 1.0)
    terms = np.linspace(epsilon, 2 * epsilon, CLIENTS)[:, None], low, high
    noise, known = partial(stream, seed, "noise", 1), np.zeros(1, np.float32)
    one = Noising(
        fitted(mechanism, layers), Encoded(values, low, high), terms, known, noise, None, 1, False, Laws()
    )
    return replace(one, stream=(seed, 1))


@pytest.mark.parametrize("layers", [(slice(0, WIDTH),), LAYERS], ids=["whole", "layers"])
@pytest.mark.parametrize("mechanism", EVERY, ids=named)
def test_runs_together_have_the_bits_of_each_alone(
    mechanism: Mechanism, layers: tuple[slice, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("ldp_core.mechanisms.shared.blocks.BLOCK", 3 * WIDTH)  # across runs, within rows
    monkeypatch.setattr("ldp_core.federated.noising.BLOCK", WIDTH)
    other = mechanisms.get("duchi").fitted(Use(WIDTH))
    seeds = ((0, 0.5), (1, 2.0), (0, 8.0), (2, 30.0))
    chunks = [chunk(mechanism, seed, epsilon, layers) for seed, epsilon in seeds]
    mixed = [*chunks, chunk(other, 0, 1.0, (slice(0, WIDTH),))]
    together = JointNoising()
    for _ in range(2):  # the second time with the laws of the first
        for one, (same, uploads) in zip(mixed, together.noised(mixed), strict=True):
            assert same is one
            alone = one.alone()[1]
            np.testing.assert_array_equal(uploads.values, alone.values)
            np.testing.assert_array_equal(uploads.exact, alone.exact)
    assert (chunks[0].shape is None) == (not mechanism.law.by_value)


def test_measured_or_begun_uploads_are_perturbed_alone():
    one = chunk(mechanisms.get("duchi"), 0, 1.0, (slice(0, WIDTH),))
    assert one.shape is not None
    assert replace(one, stream=None).shape is None
    assert replace(one, shares=np.full(CLIENTS, 1 / CLIENTS)).shape is None
    clear = replace(one.encoded, clear=np.zeros(one.encoded.values.shape, dtype=bool))
    assert replace(one, encoded=clear).shape is None
