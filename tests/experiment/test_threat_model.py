"""An attack that is not spelled out does a fifth of training's work, counted alike on every machine."""

from typing import Any

import pytest

from ldp_core import presets
from ldp_core.attacks.shared import beside
from ldp_core.attacks.shared.beside import SHARE
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Attack, Draft, Experiment, Variant, parse, plan

MODELS: list[dict[str, Any]] = [
    {"model": "lenet"},
    {"model": "lenet", "dataset": "mnist_sample"},
    {"model": "lenet", "attack": {"clients": [1, 4]}},
    {"model": "cnn", "dataset": "mnist_sample"},
    {"model": "cnn", "dataset": "mnist", "local": {"epochs": 1}},
    {"model": "cnn", "dataset": "cifar10"},
    {"model": "lenet", "system": "pd_ldpfl"},
]


def attack_of(experiment: Experiment) -> Attack:
    found = plan(experiment).resolved.experiment.attack
    assert found
    return found


def work(experiment: Experiment) -> float:
    """Of searches, as a share of training's."""
    spelled = plan(experiment).resolved.experiment
    assert spelled.attack and spelled.attack.clients
    training = plan(spelled)._training()
    uploads = len(spelled.attack.clients) * len(spelled.attack.attacked(spelled.rounds))
    each = sum(spy.who.effort(spy.facts).gradients for spy in plan(spelled).spies)
    return 3 * uploads * each * beside.GRADIENT / training.counted


def scenarios() -> dict[str, Experiment]:
    found: dict[str, Experiment] = {}
    for name in presets.names():
        draft = presets.get(name).draft
        for variant, one in zip(draft.variants, draft.experiments(), strict=True):
            found[f"{name} | {variant.label}"] = one
    return found


def test_resolved_attack_keeps_the_experiment_key():
    tried = [*scenarios().values(), *map(parse, MODELS), parse({"attack": {"uploads": "both"}})]
    for experiment in tried:
        spelled = plan(experiment).resolved.experiment
        assert plan(spelled).resolved.experiment == spelled
        assert plan(spelled).key == plan(experiment).key
        assert parse(spelled.as_json()) == spelled
        assert [spy.attacker for spy in plan(spelled).spies] == [
            spy.attacker for spy in plan(experiment).spies
        ]
        assert plan(spelled).why_not == plan(experiment).why_not
    (run,) = Draft(parse({"model": "lenet"}), (Variant("run"),)).runs()
    assert run.experiment.as_json()["attack"] == {
        "attacker": {"name": "idlg", "iterations": 53, "restarts": 1, "prior": 5.0},
        "clients": [1, 10, 20],
        "uploads": "audit",
        "rounds_observed": 1,
        "rounds": [1],
        "candidates": 10,
    }


@pytest.mark.parametrize("changes", MODELS)
def test_attack_takes_a_fifth_or_follows_training(changes: dict[str, Any]):
    before = 0.0
    for rounds in (1, 2, 3, 5, 10, 15, 29, 30, 58, 60, 87, 120, 199, 200, 1000):
        experiment = parse(changes | {"rounds": rounds})
        attack = attack_of(experiment)
        share = work(experiment)
        assert attack.after or 0 < share <= SHARE
        does = share * rounds
        assert does >= 0.8 * before, "a longer run is not attacked less"
        before = does
    assert len(attack.attacked(1000)) > 1, "a thousand rounds leave room for several"


def test_attack_after_training_takes_minimal_steps():
    waits = 0
    for changes in MODELS:
        experiment = parse(changes | {"rounds": 1})
        attack, asked = attack_of(experiment), experiment.attack
        if attack.after:
            waits += 1
            assert len(attack.clients or ()) == len((asked and asked.clients) or [0])
            assert attack.attacker and getattr(attack.attacker, "iterations", 0) in (50, 150)
            assert attack.rounds == (1,)
    assert waits > 1


@pytest.mark.parametrize("asked", [{"every": 3}, {"attacker": "idlg"}, {"rounds": [2, 15]}])
def test_explicit_attack_is_kept_beyond_a_fifth(asked: dict[str, Any]):
    experiment = parse({"model": "lenet", "rounds": 15, "attack": asked})
    attack, given = attack_of(experiment), experiment.attack
    assert given and not attack.after
    assert attack.attacked(15) == given.attacked(15)
    assert len(attack.clients or ()) == 3
    assert getattr(attack.attacker, "iterations", 0) == 200
    assert work(experiment) > SHARE


def test_closed_form_attack_thins_out_in_long_runs():
    for mechanism, between in (("none", (1, 1, 1, 5)), ("piecewise", (1, 1, 2, 11))):
        for rounds, every in zip((15, 80, 120, 1000), between, strict=True):
            attack = attack_of(parse({"rounds": rounds, "mechanism": mechanism}))
            assert attack.attacked(rounds) == range(1, rounds + 1, every), (mechanism, rounds)
    asked = parse({"rounds": 100, "attack": {"rounds": [*range(1, 101)]}})
    assert len(attack_of(asked).attacked(100)) == 100 > len(attack_of(parse({"rounds": 100})).attacked(100))


def test_run_without_attack_stays_without():
    assert plan(parse({"attack": None})).resolved.experiment.attack is None
    unfit = parse({"model": {"name": "resnet18", "width": 4}})
    assert plan(unfit).resolved.experiment == unfit and plan(unfit).why_not


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        ({"after": True}, "attack.rounds must be \\[1\\] where attacks come after the training; got"),
        ({"after": 1, "rounds": [1]}, "attack.after must be true or false; got 1"),
    ],
)
def test_after_the_training_comes_round_1_alone(attack: dict[str, Any], expected: str):
    with pytest.raises(InvalidExperiment, match=expected):
        parse({"attack": attack})
    fine = parse({"attack": {"after": True, "rounds": [1]}})
    assert parse(fine.as_json()) == fine and fine.attack and fine.attack.after
