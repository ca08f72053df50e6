"""A short trial before training against real runs."""

import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from ldp_core import theory
from ldp_core.cost.seconds import USUAL
from ldp_core.experiment import parse
from ldp_core.pilot import OVER, is_weighted_sum, pilot, sampled
from ldp_core.streams import stream
from ldp_core.theory.learnability import word_of
from tests.data import digits, events

SETTINGS: dict[str, dict[str, Any]] = {
    "learns": {"clients": {"epsilon": 4}},
    "is drowned": {"clients": {"epsilon": 0.3}},
    "is between": {"clients": {"epsilon": 1.5, "range": 0.5}, "mechanism": "duchi"},
    "without noise": {"mechanism": "none"},
    "sends changes": {"clients": {"epsilon": 2, "range": 0.1}, "target": "update", "mechanism": "laplace"},
    "unlike clients": {
        "clients": {"count": 40, "epsilon": "half_and_half"},
        "partition": {"kind": "dirichlet", "alpha": 0.3},
        "aggregator": "inverse_variance",
    },
    "of few labels": {
        "partition": {
            "kind": "group_labels",
            "groups": [{"share": 0.8}, {"share": 0.2, "labels": [0, 1, 2]}],
        },
        "clients": {"count": 30, "epsilon": [0.5] * 24 + [8.0] * 6},
        "aggregator": "inverse_variance",
    },
    "by turns": {"selection": {"kind": "fraction", "fraction": 0.3}, "clients": {"count": 60, "epsilon": 8}},
    "in a ball": {
        "mechanism": {"name": "privunit", "norm": 1},
        "clients": {"count": 200, "epsilon": 300},
        "target": "update",
    },
    "secure sum": {
        "trust": {"kind": "secure_sum"},
        "clients": {"epsilon": 20, "epsilon_scope": "run", "range": 0.1},
        "target": "update",
    },
    "a network": {"model": "mlp", "clients": {"epsilon": 8}, "local": {"learning_rate": 0.3}},
    "votes": {"aggregator": "sign_majority", "target": "update", "clients": {"epsilon": 12, "range": 0.05}},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_trial_covers_the_run_and_says_its_word(name: str):
    changes = {"seed": 3, "attack": None} | SETTINGS[name]
    view, accuracy = pilot(parse(changes), digits()), events(changes)[-1]["accuracy"]
    assert view.low is not None and view.high is not None and view.guess is not None
    assert view.low - 0.05 <= accuracy <= view.high + 0.05
    assert word_of(accuracy, view.guess) in view.words


def test_heavy_clients_stand_for_themselves():
    """Six of 30 have nearly all the say, and know two labels: a sample of equals would miss that."""
    view = pilot(parse(SETTINGS["of few labels"] | {"attack": None}), digits())
    assert view.high is not None and view.high < 0.5


def test_sampled_clients_are_unbiased_and_distinct():
    draw = stream(0, "pilot")
    shares = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05, 0.0])
    total = np.zeros(len(shares))
    for _ in range(4000):
        found, stands = sampled(shares, 3, draw)
        assert len({*found.tolist()}) == 3 and stands.sum() == pytest.approx(1)
        assert 0 in found and 6 not in found
        total[found] += stands
    assert total / 4000 == pytest.approx(shares, abs=0.02)
    found, stands = sampled(shares, 10, draw)
    assert len(found) == 6 and dict(zip(found, stands, strict=True))[0] == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["pd_ldpfl", "pprd_fl"])
def test_system_of_its_own_is_answered_by_short_runs(name: str):
    one = parse({"system": {"name": name}, "dataset": "digits", "model": "logistic_regression", "rounds": 2})
    assert not is_weighted_sum(one)
    view = pilot(one, digits())
    assert view.word != "unknown" and "run" in view.why


def test_trial_beyond_its_budget_says_so_in_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ldp_core.pilot.LEAST", 1e-3)
    began = time.process_time()
    one = parse({"clients": {"count": 100}, "rounds": 500, "local": {"epochs": 20}, "attack": None})
    slow = type(USUAL)()  # a machine of which nothing is expected
    view = pilot(one, digits(), slow)
    assert view.word == "unknown" and "press Train" in view.why
    assert time.process_time() - began < 2


def test_trial_shrinks_to_its_budget(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ldp_core.pilot.LEAST", 0.03)
    one = parse({"clients": {"count": 50, "epsilon": 8}, "rounds": 60, "attack": None})
    pilot(one, digits())  # compiled and imported
    began = time.process_time()
    view = pilot(one, digits(), type(USUAL)())
    assert "4 trials" not in view.why
    assert time.process_time() - began < 0.03 * OVER + 0.3


def test_outlook_answers_by_a_trial_without_a_worker():
    view = theory.outlook(parse({"clients": {"epsilon": 8}}))
    assert view.word == "learns" and view.probability is not None and view.probability > 0.9


@pytest.mark.parametrize(("epsilon", "loads"), [(8.0, True), (0.02, False)])
def test_outlook_loads_torch_only_for_a_trial(epsilon: float, loads: bool):
    code = "import sys; from ldp_core import theory; from ldp_core.experiment import parse; "
    code += f"asked = parse({{'clients': {{'epsilon': {epsilon}}}, 'mechanism': 'laplace'}}); "
    code += "print(theory.outlook(asked).word); print('torch' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.splitlines() == ["learns" if loads else "chance", str(loads)]
