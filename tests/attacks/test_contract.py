"""What every attacker promises: exact without noise, quick in batches, and plain about what it needs."""

from typing import Any, Literal

import numpy as np
import pytest
import torch

from ldp_core import attacks, datasets, mechanisms, models
from ldp_core.attacks.findings.metrics import psnr
from ldp_core.attacks.likelihood import places
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse, plan
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.federated.federation import assemble
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.observe import Victims
from ldp_core.models.base import Shape
from ldp_core.models.mlp import MLP
from ldp_core.streams import stream
from tests.attacks.observed import audit_uploads
from tests.data import digits, events
from tests.extent import in_gate

CPU = torch.device("cpu")


class Convolution(MLP):
    """Stands for any model that begins with a convolution."""

    def parameter_shapes(self, shape: Shape, classes: int) -> dict[str, Shape]:
        return {"weight0": (4, 1, 5, 5), "bias0": (4,), **super().parameter_shapes(shape, classes)}


class Biasless(MLP):
    """Stands for any model whose first layer has no bias."""

    def parameter_shapes(self, shape: Shape, classes: int) -> dict[str, Shape]:
        return {"weight1": (4, 64), "weight2": (10, 4), "bias2": (10,)}


CONTROLS: tuple[Literal["clean", "clipped"], ...] = ("clean", "clipped")


def searches(name: str) -> bool:
    return "iterations" in attacks.registry.kind(name).model_fields


@pytest.mark.parametrize(
    ("target", "model", "name"),
    [
        (target, model, name)
        for target in ("weights", "update")
        for model in ("logistic_regression", "mlp")
        for name in attacks.reconstructors()
        # a search takes seconds: the gate lets it read one kind of upload, by hand it reads all
        if in_gate(not searches(name) or (target, model) == ("update", "mlp"), True)
    ],
)
def test_every_reconstructor_reads_both_controls(name: str, model: str, target: str):
    ready = assemble(plan(parse({"model": model, "target": target})), digits(), CPU)
    samples = ready.shards[0][:3]
    seen = audit_uploads(ready, Victims(np.zeros(3, np.int64), samples))
    truth = digits().train_x[samples].astype(np.float64)
    exact = 20 if name == "cosine_tv" else 60  # who prefers smooth images smooths those that are not
    for control in in_gate(CONTROLS[1:] if searches(name) else CONTROLS, CONTROLS):
        attacker = attacks.reconstructor(name)
        guesses = attacker.reconstruct(seen[control], generator=stream(0, "reconstruction"))
        assert guesses.shape[0] == 3
        assert guesses.shape[2:] == (8, 8)
        assert guesses.shape[1] == 1 or attacker.many
        assert psnr(guesses[:, 0], truth).min() > exact


@pytest.mark.parametrize(
    ("name", "mechanism"),
    [
        (name, mechanism)
        for i, name in enumerate(attacks.reconstructors())
        for j, mechanism in enumerate(mechanisms.offered())
        if in_gate((i + j) % 4 == 0, True)
    ],
)
def test_every_reconstructor_meets_every_mechanism(name: str, mechanism: str):
    """Whatever arrives, what comes back has the right shape and nothing breaks; seen twice as well."""
    few = {"name": name, "iterations": 3} if searches(name) else name
    changes = {"mechanism": mechanism, "attack": {"attacker": few, "rounds_observed": 2, "uploads": "both"}}
    found = [e for e in events({**changes, "rounds": 1}) if e["event"] == "attack"]
    assert len(found) == 2 * 3 * 3
    assert all(np.isfinite(e["psnr"]) and -1 <= e["ncc"] <= 1 for e in found)
    assert {e["rounds_observed"] for e in found if e["control"] is None} == {2}


def test_auto_follows_model_mechanism_and_upload():
    for model, mechanism, upload, expected in (
        ("logistic_regression", "none", "audit", "least_squares"),
        ("logistic_regression", "duchi", "audit", "posterior"),
        ("mlp", "piecewise", "audit", "trimmed"),
        ("mlp", "piecewise", "real", "per_neuron"),
        ("lenet", "none", "audit", "idlg"),
        ("lenet", "piecewise", "audit", "idlg"),
        ("lenet", "piecewise", "real", None),
        ("cnn", "none", "audit", "cosine_tv"),
    ):
        data = "mnist" if model == "cnn" else "digits"
        experiment = parse({"model": model, "mechanism": mechanism, "dataset": data})
        chosen = attacks.choose(plan(experiment).facts(upload))
        assert (chosen and chosen.name) == expected
    # what is read off exactly needs no search, and a step of Adam is no gradient
    adam = parse({"model": "lenet", "local": {"optimizer": "adam"}})
    assert attacks.choose(plan(adam).facts("audit")) is None
    can = "choose the optimiser optimal or sgd, one step of which dlg, idlg, cosine_tv or personal_search can"
    assert can in plan(adam).why_not
    with pytest.raises(InvalidExperiment, match="a step of Adam shows the signs of the gradient") as refused:
        parse_ladder({"base": {"model": "lenet", "local": {"optimizer": "adam"}}, "attacker": "dlg"})
    assert can in refused.value.problems[0].message
    assert refused.value.problems[0].path == "attacker"


@pytest.mark.parametrize(
    ("model", "shape", "said"),
    [
        (Convolution(), (8, 8), "not fully connected"),
        (Biasless(), (8, 8), "no bias"),
        (MLP(), (54,), "no images, but 54 numbers"),
    ],
)
def test_unattackable_model_names_an_alternative(model: Any, shape: Shape, said: str):
    for name in ("auto", *attacks.reconstructors()):
        sentence = attacks.unfit(model, shape, 10, name)
        if name in ("auto", "cosine_tv", "personal_search") and len(shape) > 1:
            assert sentence == "", "kinks are what it is made for"
            continue
        assert said in sentence or ("dlg" in name and "has kinks" in sentence)
        assert "; choose " in sentence
    assert attacks.unfit(models.get("mlp"), (8, 8), 10) == ""


def test_every_model_is_attacked_or_has_a_reason():
    for name in models.names():
        fitting = next(d for d in ("digits", "mnist") if models.get(name).fits(datasets.get(d).shape))
        experiment = parse({"model": name, "dataset": fitting})
        assert bool(plan(experiment).spies) != bool(plan(experiment).why_not)
    assert "2 million" in attacks.unfit(models.get("resnet18"), (3, 32, 32), 10, "idlg")


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        ({"attacker": "likelihood"}, "must be auto, least_squares"),
        ({"attacker": {"name": "idlg", "iterations": 0}}, "attack.attacker.iterations must be"),
        ({"attacker": {"name": "dlg", "prior": float("nan")}}, "attack.attacker.prior must be"),
        ({"attacker": {"name": "idlg", "step": 1}}, "attack.attacker.step is not a field here"),
        ({"attacker": 3}, "attack.attacker must be auto"),
        ({"every": 0}, "between 1 and 10"),
        ({"rounds_observed": 0}, "between 1 and 100"),
        ({"decoys": 3}, "is not a field here .there are after, attacker, canary, candidates, clients"),
    ],
)
def test_a_wrong_attack_is_refused_in_a_sentence(attack: dict[str, Any], said: str):
    with pytest.raises(InvalidExperiment, match=said):
        parse({"attack": attack})


def test_a_tie_is_stated_and_shared():
    scores = np.array([[2.0, 1.0, 1.0], [1.0, 1.0, 0.0], [-np.inf, -np.inf, 0.0], [np.nan] * 3])
    came = places(scores, np.array([0, 0, 0, 2]), np.array([0.9, 0.9, 0.1, 0.5]))
    assert came.rank.tolist() == [1, 2, 2, 2]
    assert came.tied.tolist() == [1, 2, 2, 3]
    assert came.credit.tolist() == [1, 0.5, 0, 1 / 3]
    assert places(scores, np.array([0, 0, 0, 2]), np.zeros(4)).rank.tolist() == [1, 1, 2, 1]


def test_rounding_alone_makes_a_tie():
    scores = np.array([[-4e4, -4e4 * (1 + 1e-15)], [-4e4, -4e4 - 1e-6]])
    assert places(scores, np.zeros(2, np.int64), np.zeros(2)).tied.tolist() == [2, 1]


def test_decoys_are_held_out_and_do_not_depend_on_company():
    ready = assemble(plan(parse({})), digits(), CPU)
    both = line_up(ready, ready.shards[3][:2].tolist(), [3, 7], 10)
    alone = line_up(ready, ready.shards[3][1:2].tolist(), [7], 10)
    assert np.array_equal(both.any_class.x[1], alone.any_class.x[0])
    assert (both.same_class.y == both.labels[:, None]).all()
    assert np.array_equal(both.any_class.x[:, 0], both.originals.astype(np.float32))


def test_impossible_upload_falls_back_to_the_prior():
    """Piecewise as printed scales by the upload itself: most class averages cannot have been sent."""
    changes: dict[str, Any] = {"form": "as_printed", "rounds": 1, "clients": {"count": 6, "epsilon": 1}}
    emitted = [event for event in events(changes) if event["event"] == "attack"]
    assert emitted
    assert all(np.isfinite(event["psnr"]) for event in emitted)
