"""PD-LDPFL by name: what it keeps, what it sends, its forms, its baselines, and what explains its gain."""

from typing import Any

import numpy as np
import pytest
import torch

from ldp_core.accounting import ledger
from ldp_core.experiment import departures, parse, plan
from ldp_core.federated.evaluate import evaluate, mixes, own_losses
from ldp_core.federated.federation import assemble, initial_weights
from ldp_core.federated.state import State
from ldp_core.models._extended import LEARNED
from ldp_core.simulate import simulate
from tests.data import digits, events, rounds
from tests.extent import every, in_gate

NAME = "pd_ldpfl"
NOTHING = {"input": "none", "output": "none"}


def small(own: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    base = {"dataset": "digits", "attack": None, "local": {"batch_size": 10}}
    return {"system": {"name": NAME, **(own or {})}, **base, **given}


def test_its_settings_are_the_papers():
    one = parse({"system": NAME})
    assert (one.dataset, one.model.name, one.clients.count) == ("mnist", "mlp2", 10)
    assert plan(one).dimension - plan(one).uploaded == 1 + 784 + 1 + 10
    for changes in ({"partition": {"kind": "dirichlet", "alpha": 0.05}}, {"clients": {"count": 50}}):
        assert departures(parse({"system": NAME, "form": "as_printed", **changes})) == ()
    private = {"system": {"name": NAME, "output": "none"}, "form": "as_printed"}
    assert departures(parse(private)) == (), "PrivateFL is one of the paper's own settings"
    changed = parse({"system": {"name": NAME, "output": "gain"}, "form": "as_printed", "model": "cnn"})
    assert {d.field for d in departures(changed)} == {"system.output", "model"}


def test_only_the_network_is_sent_and_the_ledger_counts_that():
    one = parse(small())
    d = 64 * 64 + 64 + 64 * 32 + 32 + 32 * 10 + 10
    assert (plan(one).uploaded, plan(one).dimension) == (d, d + 1 + 64 + 1 + 10)
    assert ledger(one)[0]["upload"]["basic"] == pytest.approx(8 * d)
    printed = ledger(parse(small(form="as_printed")))[0]["upload"]
    assert printed["guarantee"] is False, "the scale is read off the upload"


def test_first_round_equals_fedavg():
    """With a = 1 and b = 0 the extended model begins as the network: the same scores and losses."""
    extended, alone = (
        assemble(plan(parse(small(own))), digits(), torch.device("cpu")) for own in ({}, NOTHING)
    )
    whole, bare = initial_weights(extended), initial_weights(alone)
    assert torch.equal(whole[: len(bare)], bare)
    losses = [
        own_losses(one, weights.expand(10, -1), one.shards)
        for one, weights in ((extended, whole), (alone, bare))
    ]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)


def test_losses_and_mixes_are_those_of_a_plain_loop():
    federation = assemble(plan(parse(small(NOTHING))), digits(), torch.device("cpu"))
    weights, shard = initial_weights(federation), federation.shards[3]
    views = federation.recipe.model.views(weights[None], federation.shape, federation.classes)
    x, y = federation.train_x[shard], federation.train_y[shard]
    expected = torch.nn.functional.cross_entropy(federation.recipe.model.logits(views, x[None])[0], y)
    found = own_losses(federation, weights.expand(2, -1), [federation.shards[0], shard])
    assert found[1] == pytest.approx(float(expected), rel=1e-5)
    shares = mixes(federation)
    assert shares.sum(axis=1) == pytest.approx(np.ones(10))
    assert shares[3, 4] == pytest.approx(float((y == 4).float().mean()))


def test_personal_layers_stay_local_and_clipped():
    states: list[State] = []
    emitted = list(simulate(parse(small({"limit": 1.2}, rounds=8)), digits(), keep=states.append))
    d = plan(parse(small())).uploaded
    first, last = states[0], states[-1]
    assert (last.arrays["input"].shape, last.arrays["output"].shape) == ((10, 65), (10, 11))
    assert (first.arrays["input"][:, 0] == 1).all() and (first.arrays["input"][:, 1:] == 0).all()
    assert np.array_equal(first.weights[d:], last.weights[d:]), "the server never hears of them"
    assert max(np.abs(last.arrays[name]).max() for name in ("input", "output")) == pytest.approx(1.2)
    done = [event.as_json() for event in emitted if event.as_json()["event"] == "round"][-1]
    each = done["accuracy_per_client"]
    assert len(each) == 10 and len(set(each)) > 1
    assert done["accuracy"] != pytest.approx(np.mean(each)), "the network alone is another model"
    assert 0 < done["accuracy_own_mix"] <= 1 and done["heterogeneity"] > 0
    federation = assemble(plan(parse(small(NOTHING))), digits(), torch.device("cpu"))
    alone = evaluate(federation, torch.from_numpy(last.weights[:d].copy()))
    assert alone.accuracy == done["accuracy"]


@pytest.mark.parametrize("own", [{}, NOTHING, {"output": "none"}])
def test_a_measure_of_unlikeness_never_comes_without_accuracy(own: dict[str, str]):
    for one in rounds(small(own, rounds=2)):
        assert one["heterogeneity"] >= 0
        assert 0 <= one["accuracy_own_mix"] <= 1
    assert "heterogeneity" not in rounds({"rounds": 1, "attack": None})[0]


@pytest.mark.parametrize("transform", [*LEARNED, "gain"])
def test_every_transform_of_table_1_runs_on_either_side(transform: str):
    for own in ({"input": transform}, {"output": transform}):
        end = events(small(own, rounds=2))[-1]
        assert end["status"] == "completed" or transform == "log"


def test_log_after_the_network_leaves_the_numbers_and_says_why():
    end = events(small({"output": "log"}, rounds=20))[-1]
    assert end["status"] == "diverged"
    assert "log(1 + ax + b) has no value" in end["message"]


@pytest.mark.parametrize("seed", every(2, [0, 1]))
def test_printed_scale_feeds_back(seed: int):
    """ε 2: noise raises the largest weight, that raises the noise; in 50 rounds they are no numbers."""
    printed = events(small(form="as_printed", clients={"epsilon": 2}, rounds=50, seed=seed))
    assert printed[-1]["status"] == "diverged"
    assert "the printed scale t is the largest weight" in printed[-1]["message"]
    noise = [e["noise_variance"] for e in printed if e["event"] == "round"]
    assert noise[-1] > 4 * noise[0]
    public = events(small(clients={"epsilon": 2}, rounds=in_gate(20, 50), seed=seed))
    assert public[-1]["status"] == "completed"
    noise = [e["noise_variance"] for e in public if e["event"] == "round"]
    assert max(noise) < 2 * min(noise)


def test_a_public_fixed_gain_explains_its_advantage():
    """Digits, 20 or 30 rounds, a few seeds: PD-LDPFL is ahead of its FedAvg; pixels and scores times 2, the
    same for all and not learned, are at least as good, and so is a larger step.
    """
    table = np.array(
        [
            [
                events(small(own, rounds=in_gate(20, 30), seed=seed) | more)[-1]["accuracy"]
                for own, more in (
                    (NOTHING, {}),
                    ({}, {}),
                    ({"input": "gain", "output": "gain"}, {}),
                    (NOTHING, {"local": {"batch_size": 10, "learning_rate": 0.1}}),
                )
            ]
            for seed in range(in_gate(2, 3))
        ]
    )
    fedavg, theirs, gain, step = table.mean(axis=0)
    assert theirs > fedavg + 0.015, "the paper's order is there"
    assert gain > theirs - 0.005
    assert step > theirs - 0.01
