"""An ε for each record: what its noise is worth, what a record moves, and what cannot have one."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import brentq
from scipy.stats import norm

import ldp_core
from ldp_core import accounting
from ldp_core.engines.batched import train_each
from ldp_core.engines.fused.training import train_fused
from ldp_core.engines.plan import plan_batches
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.federated.federation import Federation, assemble, initial_weights, untrained
from ldp_core.federated.round import noisings, prepare
from ldp_core.mechanisms.shared.gaussian_privacy import mu_of
from ldp_core.models.record_clipping import gradient_lengths
from tests.data import digits, events

DELTA = 1e-5
MODELS: dict[str, Any] = {
    "logistic_regression": "logistic_regression",
    "mlp": {"name": "mlp", "hidden": 8},
    "mlp2": "mlp2",
    "listed": {"layers": [{"kind": "conv", "channels": 3, "size": 3}, {"kind": "dense", "units": 12}]},
}


def of_records(**fields: Any) -> dict[str, Any]:
    clients = {"count": 10, "epsilon": 1} | fields.pop("clients", {})
    return {"unit": "record", "clients": clients, "rounds": 3, "attack": None} | fields


def exact_epsilon(mu: float) -> float:
    """ε at `DELTA` of Gaussian noise, by its curve."""

    def beyond(e: float) -> float:
        return float(norm.cdf(mu / 2 - e / mu)) - math.exp(e + norm.logcdf(-mu / 2 - e / mu)) - DELTA

    return float(brentq(beyond, 1e-9, mu**2 / 2 + 10 * mu + 1))


def noise_in(experiment: Experiment) -> tuple[Any, int]:
    """Deviation of all noise on one weight that a record hides in, and its number of uploads."""
    people = plan(experiment).attacked.population
    law: Any = plan(experiment).attacked.pieces()[0].mechanism.at(people.epsilon, people.low, people.high)
    return law.sigma, plan(experiment).most_uploads


@pytest.mark.parametrize("trust", ["local", "secure_sum", "central"])
def test_record_epsilon_equals_exact_gaussian_and_is_never_below(trust: str) -> None:
    draw = np.random.default_rng(59)
    for _ in range(14):
        count = int(draw.integers(2, 20))
        epsilon = (
            [float(e) for e in draw.uniform(0.3, 12, count)]
            if trust == "local"
            else float(draw.uniform(0.3, 12))
        )
        local = {"learning_rate": float(draw.uniform(0.1, 8)), "clip": float(draw.uniform(0.1, 5))}
        clients = {"count": count, "epsilon": epsilon}
        experiment = parse(
            of_records(clients=clients, local=local, trust=trust, rounds=int(draw.integers(1, 50)))
        )
        moved = 2 * local["learning_rate"] * local["clip"] / (plan(experiment).source.train_size / count)
        sigmas, uploads = noise_in(experiment)
        for i, entry in enumerate(accounting.ledger(experiment, range(min(count, 3)))):
            # a secure sum rounds to a grid, and its bound is loose where ε is large
            for rows, promise, slack in ((1, entry["run_worst"], 1.25), (10, entry["some"], 1.6)):
                exact = exact_epsilon(rows * moved * math.sqrt(uploads) / sigmas[i])
                assert (
                    exact <= promise["epsilon"] <= exact * (slack if trust == "secure_sum" else 1.001) + 1e-6
                )
            assert entry["unit"] == "record"
            assert entry["run_worst"]["epsilon"] <= experiment.clients.budgets()[i] * (1 + 1e-9)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("began", ["", "fused", "batched"])
def test_replaced_record_moves_upload_within_sensitivity(model: str, began: str) -> None:
    fields = {"model": MODELS[model], "local": {"learning_rate": 2.0, "clip": 0.5}, "clients": {"count": 40}}
    experiment = parse(of_records(**fields))
    data = digits()
    federation = assemble(plan(experiment), data, torch.device("cpu"), began=began)
    draw, farthest = np.random.default_rng(1), 0.0
    own = federation.shards[0]
    before = uploads_of(federation)
    for _ in range(12):
        place = int(draw.choice(own))
        kept = federation.train_x[place].clone(), federation.train_y[place].clone()
        federation.train_x[place] = torch.from_numpy(draw.choice([-50.0, 0.0, 1.0], kept[0].shape)).float()
        federation.train_y[place] = int(draw.integers(10))
        moved = uploads_of(federation) - before
        federation.train_x[place], federation.train_y[place] = kept
        farthest = max(farthest, float(np.linalg.norm(moved[0])))
        assert not moved[1:].any()
    stated = 2 * 2.0 * 0.5 / (data.train_x.shape[0] / 40)
    assert 0.4 * stated < farthest <= stated * (1 + 1e-9)


def uploads_of(federation: Federation) -> Any:
    """What the clients are to upload in round 1, before noise."""
    prepared = prepare(federation, untrained(federation))
    (one,) = noisings(prepared, prepared.alone())
    return one.encoded.values


@pytest.mark.parametrize("model", MODELS)
def test_record_lengths_equal_those_of_single_gradients(model: str) -> None:
    experiment = parse(of_records(model=MODELS[model]))
    network, source = plan(experiment).network, plan(experiment).source
    generator = torch.Generator().manual_seed(3)
    weights = torch.rand((2, plan(experiment).dimension), generator=generator, dtype=torch.float64) - 0.5
    x = torch.rand((2, 5, *source.shape), generator=generator, dtype=torch.float64)
    y = torch.randint(0, 10, (2, 5), generator=generator)
    views = network.views(weights, source.shape, source.classes)
    found = gradient_lengths(network, views, x, y)
    for i in range(5):
        alone = network.gradients(views, x[:, i : i + 1], y[:, i : i + 1], torch.ones((2, 1), dtype=x.dtype))
        single = torch.cat([alone[name].flatten(1) for name in alone], 1).norm(dim=1)
        torch.testing.assert_close(found[:, i], single, rtol=1e-9, atol=0)


def test_engine_that_clips_no_gradient_refuses() -> None:
    experiment = parse(of_records(model={"layers": MODELS["listed"]["layers"]}))
    federation = assemble(plan(experiment), digits(), torch.device("cpu"))
    batches = plan_batches(federation.shards, 1, 10_000, np.random.default_rng(0))
    start, (x, y, _) = initial_weights(federation), federation.samples
    for train in (train_each, train_fused):
        with pytest.raises(ValueError, match="clips"):
            train(federation.recipe, start, x, y, batches, 1)


REFUSED: dict[str, dict[str, Any]] = {
    "mechanism": {"mechanism.name": "laplace"},
    "mechanism.norm": {"mechanism.norm": 2},
    "mechanism.sensitivity": {"mechanism.sensitivity": 2},
    "target": {"target": "weights"},
    "local.epochs": {"local.epochs": 2},
    "local.batch_size": {"local.batch_size": 10},
    "local.optimizer": {"local.optimizer": "adam"},
    "local.clip": {"local.clip": None},
    "trust": {"trust": {"kind": "shuffled"}},
    "trust.norm": {"trust": {"kind": "secure_sum", "norm": 1}},
    "aggregator": {"aggregator.name": "sign_majority"},
    "system": {"system.name": "pldp_fl"},
    "dataset": {"dataset": "covtype"},
    "clients.epsilon": {"trust": {"kind": "central"}, "clients.epsilon": [1.0] * 5 + [8.0] * 5},
}


@pytest.mark.parametrize("field", REFUSED)
def test_field_without_a_records_proof_is_refused(field: str) -> None:
    with pytest.raises(InvalidExperiment) as refused:
        changed(parse(of_records()), REFUSED[field])
    assert field in [problem.path for problem in refused.value.problems]


def test_clip_without_records_is_refused() -> None:
    with pytest.raises(InvalidExperiment):
        parse({"local": {"clip": 1}})


def test_silo_larger_than_batch_is_refused_once_dealt() -> None:
    skewed = of_records(partition={"kind": "dirichlet", "alpha": 0.1}, local={"batch_size": 150})
    with pytest.raises(ldp_core.errors.InvalidInput, match="batch"):
        ldp_core.run(parse(skewed))


def test_drawn_clients_amplify_no_record_epsilon() -> None:
    some = of_records(selection={"kind": "fraction", "fraction": 0.5}, rounds=8)
    for trust in ("local", "secure_sum", "central"):
        once = accounting.ledger(parse(some | {"trust": trust}))[0]
        always = accounting.ledger(parse(some | {"trust": trust, "selection": "all"}))[0]
        assert once["upload"]["epsilon"] == pytest.approx(always["upload"]["epsilon"], rel=1e-3)


def test_client_experiment_takes_unit_record_with_its_fields_and_back() -> None:
    before = parse({"attack": None})
    there = changed(before, {"unit": "record"})
    assert there.local.clip and there.target == "update" and there.mechanism.name == "gaussian"
    assert parse(there.as_json()) == there
    back = changed(there, {"unit": "client"})
    assert back.local.clip is None and "unit" not in back.as_json() and "clip" not in back.as_json()["local"]


def test_ends_and_sentences_of_a_run_name_the_unit() -> None:
    for unit, word in (("client", "of the client promised"), ("record", "each record")):
        run = ldp_core.run(changed(parse(of_records()), {"unit": unit}))
        assert {entry["unit"] for entry in run.ledger} == {unit}
        assert word in repr(run)
        assert ("some" in run.ledger[0]) is (unit == "record")


@pytest.mark.parametrize("trust", ["local", "secure_sum", "central"])
def test_measured_epsilon_of_records_is_below_the_ledger(trust: str) -> None:
    fields = of_records(trust=trust, clients={"epsilon": 8}, local={"learning_rate": 4.0})
    end = events(fields | {"attack": {"canary": True}})[-1]
    entry = end["ledger"][0]
    assert {row["attack"] for row in end["measured"]} == {"identification", "membership", "canary"}
    for row in end["measured"]:
        promised = entry["upload" if row["scope"] == "upload" else "run_worst"]["epsilon"]
        mu = float(mu_of(promised, DELTA))
        assert (row["epsilon_lower"] or 0) <= promised
        assert row["right"] <= norm.cdf(mu / 2) + 4 * math.sqrt(0.25 / row["trials"])


def test_ten_hospitals_learn_digits_at_record_epsilon() -> None:
    local = {"learning_rate": 4.0}
    reached = {}
    for trust, epsilon in (("local", 8), ("secure_sum", 1)):
        clients = {"count": 10, "epsilon": epsilon}
        reached[trust] = ldp_core.run(
            parse(of_records(trust=trust, clients=clients, local=local, rounds=20))
        ).accuracy
    assert reached["local"] > 0.8 and reached["secure_sum"] > 0.65
