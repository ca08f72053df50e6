"""A fifth of an upload in clear, through convolutions: which weights it is shows, and so does the image."""

import gc
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import attacks, datasets, mechanisms, optimizers
from ldp_core.attacks import Observation
from ldp_core.attacks.idlg import IDLG
from ldp_core.attacks.shared.first_layer import leading
from ldp_core.attacks.shared.public_steps import public_steps
from ldp_core.attacks.shared.reading import labels, read
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import Federation, assemble
from ldp_core.leakage.observe import Victims, audit_values, begun, choose_victims
from ldp_core.mechanisms.base import Floats, Use
from ldp_core.streams import stream
from tests.attacks.observed import audit_uploads, back, observed
from tests.data import digits, events

BASE: dict[str, Any] = {
    "system": {"name": "pprd_fl"},
    "dataset": "mnist_sample",
    "form": "as_printed",
    "model": "lenet",
    "local": {"optimizer": "sgd", "epochs": 1, "learning_rate": 0.01},
}


@pytest.mark.parametrize("epsilon", [8.0, 1.0])
def test_clear_weights_are_recognised_and_give_the_image(epsilon: float):
    """Four images of the sample, seed 0; of noise as large as at ε 8 the few that lie near are less near."""
    data = datasets.get("mnist_sample").load(Path("nowhere"))
    seen, truth = observed(data, 4, BASE, epsilon, None)
    exact, _ = observed(data, 4, BASE, epsilon, "clean")
    clear = np.abs(seen.uploads[0] - exact.uploads[0]) < 1e-9
    reading = read(seen, public_steps([seen]))
    assert reading.known is not None
    assert (clear & ~reading.known).sum() < 0.01 * clear.sum()
    assert (reading.known & ~clear).sum() < 0.01 * clear.sum()
    assert np.array_equal(labels(seen, reading), exact.labels())
    assert not np.array_equal(seen.labels(), exact.labels()), "the last bias alone is perturbed, and lies"
    assert np.median(back(IDLG(iterations=100), seen, truth)) > 20


def test_auto_search_on_clear_weights_recovers_an_image():
    """Nothing is divided out of convolutions, so that "auto" searches; the worst upload is back."""
    changes = {**BASE, "dataset": "digits", "rounds": 1, "attack": {"clients": [1], "rounds": [1]}}
    (spy,) = plan(parse(changes)).spies
    assert spy.attacker == "idlg"
    (sent,) = (e for e in events(changes) if e["event"] == "attack" and e["control"] is None)
    assert sent["psnr"] > 20


def reachable(start: Any) -> list[Any]:
    """Everything that can be reached from an object's own data (not through modules, classes or code)."""
    found, queue = {id(start): start}, [start]
    while queue:
        for other in gc.get_referents(queue.pop()):
            if isinstance(other, ModuleType | type | FunctionType) or id(other) in found:
                continue
            found[id(other)] = other
            queue.append(other)
    return list(found.values())


def observed_at() -> tuple[Federation, Any, dict[Any, Observation]]:
    ready = assemble(plan(parse({})), digits(), torch.device("cpu"))
    victims = choose_victims(ready)
    return ready, victims, audit_uploads(ready, victims)


def test_no_training_sample_can_be_reached():
    ready, _, found = observed_at()
    train = {row.tobytes() for row in ready.train_x.numpy().reshape(len(ready.train_y), -1)}
    for seen in found.values():
        for attacker in attacks.reconstructors():
            attacks.reconstructor(attacker).reconstruct(seen, generator=stream(0, "reconstruction"))
        objects = reachable(seen)
        assert not any(isinstance(one, Federation) for one in objects)
        arrays = [np.asarray(one) for one in objects if isinstance(one, np.ndarray | torch.Tensor)]
        assert any(len(one) == len(seen.previous) for one in arrays if one.ndim), "the walk finds arrays"
        for array in arrays:
            assert not np.shares_memory(array, ready.train_x.numpy())
            if array.ndim and array.shape[-1] and array.size % 64 == 0:
                rows = np.ascontiguousarray(array, dtype=np.float32).reshape(-1, 64)
                assert not train & {row.tobytes() for row in rows}


def test_planted_training_data_is_found_by_the_walk():
    """The test above can fail: an observation that carries the data is noticed."""
    ready, _, found = observed_at()
    leaky = found[None].of(slice(None))
    object.__setattr__(leaky, "previous", ready.train_x.numpy())
    assert any(
        isinstance(one, np.ndarray) and np.shares_memory(one, ready.train_x.numpy())
        for one in reachable(leaky)
    )


def test_the_public_images_are_held_out():
    ready, _, found = observed_at()
    public = found[None].public
    assert public is not None
    held_out = {row.tobytes() for row in ready.test_x.numpy().reshape(len(ready.test_y), -1)}
    assert {row.tobytes() for row in public.x.reshape(len(public.x), -1)} <= held_out


@pytest.mark.parametrize("model", ["logistic_regression", "mlp"])
@pytest.mark.parametrize("target", ["weights", "update"])
@pytest.mark.parametrize("name", optimizers.names())
def test_predicted_upload_of_an_image_equals_the_sent_one(name: str, target: str, model: str):
    ready = assemble(
        plan(parse({"model": model, "target": target, "local": {"optimizer": name, "learning_rate": 0.01}})),
        digits(),
        torch.device("cpu"),
    )
    samples, clients = ready.shards[0][:6], np.zeros(6, np.int64)
    seen = audit_uploads(ready, Victims(clients, samples))[None]
    x, y = digits().train_x[samples], digits().train_y[samples]
    sent = audit_values(begun(ready, clients), samples)
    step = np.abs(sent - seen.base).max()
    np.testing.assert_allclose(seen.uploads_of(x, y), sent, atol=1e-5 * step)


def test_a_posterior_reads_signs_where_adam_sent_signs():
    """At a budget that hides little, it sees where the image has ink, and is closer than the label alone."""
    emitted = events(
        {"clients": {"count": 5, "epsilon": 12, "range": 0.02}, "target": "update", "rounds": 2,
         "local": {"optimizer": "adam", "learning_rate": 0.01}, "attack": {"attacker": "posterior"}}
    )  # fmt: skip
    sent = [e["psnr"] for e in emitted if e["event"] == "attack" and e["control"] is None]
    guess = [e["psnr_class_mean"] for e in emitted if e["event"] == "attack" and e["control"] is None]
    assert np.mean(sent) > np.mean(guess) + 1


COORDINATE = [
    (name, form)
    for name in mechanisms.names()
    for form in mechanisms.get(name).forms
    if mechanisms.get(name).formed(form).separable
]


def test_images_reckoned_together_are_reckoned_alone():
    one = observed(digits(), 3, {"model": "mlp", "clients": {"range": 0.2}}, epsilon=8.0)[0]
    assert one.public is not None
    x, y = one.public.x[:30], one.public.y[:30]
    alone = [one.uploads_of(x[i : i + 10], y[i : i + 10]) for i in (0, 10, 20)]
    assert np.array_equal(one.uploads_of(x, y), np.concatenate(alone))


@pytest.mark.parametrize(("name", "form"), COORDINATE)
def test_a_law_of_one_output_is_the_law(name: str, form: mechanisms.base.Form):
    mechanism = mechanisms.get(name).formed(form).fitted(Use(dimension=4))
    rng = np.random.default_rng(0)
    values, ends = (
        rng.uniform(-0.3, 0.3, (2, 3, 4, 5)),
        (np.array([1.0, 8.0])[:, None, None, None], -0.2, 0.2),
    )
    output = mechanism.perturb(values[..., 0].astype(np.float32), ends[0][..., 0], *ends[1:], rng)[..., None]
    law = mechanism.at(*ends).likelihood(output)
    apart = np.ascontiguousarray(values.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)  # as attackers lay grids
    for _ in range(2):
        for some in (values, apart):
            assert np.array_equal(law(some), mechanism.at(*ends).marginal_log_prob(output, values))


def test_a_direction_that_stays_is_not_turned_any_further():
    rng = np.random.default_rng(0)
    rows: Floats = rng.normal(size=(4, 10, 1)) * rng.normal(size=(4, 1, 65)) + 1e-3 * rng.normal(
        size=(4, 10, 65)
    )
    each = np.concatenate([leading(rows[i : i + 1]) for i in range(4)])
    assert np.array_equal(leading(rows), each)
