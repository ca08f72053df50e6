"""The seam for systems, by a toy: personal layers, half in clear, its own state, killed and taken up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import theory
from ldp_core.accounting import ledger
from ldp_core.accounting.entry import SCOPES
from ldp_core.experiment import parse
from ldp_core.experiment.threat_model import why_not
from ldp_core.federated.state import State
from ldp_core.simulate import simulate
from tests.data import digits, events, rounds
from tests.systems import toy
from tests.systems.killed import killed_and_resumed

RUN: dict[str, Any] = {"system": toy.NAME, "rounds": 4, "attack": None}


@pytest.fixture(autouse=True)
def there(tmp_path: Path) -> Iterator[None]:
    with toy.installed(tmp_path):
        yield


def test_it_fills_the_experiment_and_what_is_given_stays():
    experiment = parse({"system": toy.NAME, "clients": {"epsilon": 2}})
    assert (experiment.model.name, experiment.mechanism.name) == ("mlp", "duchi")
    assert (experiment.clients.count, experiment.clients.epsilon) == (10, 2)
    assert parse({"system": toy.NAME, "mechanism": {"name": "laplace"}}).mechanism.name == "laplace"
    assert experiment.as_json()["system"] == {"name": toy.NAME}


def test_only_what_is_sent_counts():
    """64 × 32 + 32 weights of the first layer; the last one stays at home."""
    experiment = parse(RUN)
    assert experiment.uploaded == 64 * 32 + 32
    assert experiment.dimension == experiment.uploaded + 32 * 10 + 10
    assert events(RUN)[0]["dimension"] == experiment.uploaded


def test_the_ledger_shows_it_in_red():
    entry = ledger(parse(RUN))[0]
    for line in (entry[scope] for scope in SCOPES):
        assert line["epsilon"] is None
        assert line["guarantee"] is False
        assert line["why"] == "every other weight is sent as it is"


def test_half_of_the_noise_is_gone_and_theory_says_so():
    """Of Laplace noise, which is the same for every weight: 20 rounds × 2 080 weights, within 5 %."""
    plain = {"model": "mlp", "mechanism": "laplace", "clients": {"count": 10, "epsilon": 4}}
    toys = RUN | {"mechanism": "laplace", "rounds": 20}
    whole, half = (theory.server_variance(parse(e)) for e in (plain, toys))
    assert half == pytest.approx(whole / 2, rel=1e-12)
    measured = np.mean([r["noise_variance"] for r in rounds(toys)])
    assert measured == pytest.approx(half, rel=0.05)


def test_every_client_is_scored_with_its_own_model():
    *_, last = rounds(RUN | {"rounds": 10})
    each = last["accuracy_per_client"]
    assert len(each) == 10
    assert len(set(each)) > 1, "their last layers differ"
    assert last["accuracy"] == pytest.approx(np.mean(each))
    assert last["accuracy"] > 0.3, "it learns"
    assert 0 < last["accuracy_per_group"]["strict"] <= 1


def test_nothing_attacks_what_no_attacker_reads():
    asked = RUN | {"attack": "auto"}
    assert "own heads" in why_not(parse(asked))
    assert not [event for event in events(asked) if event["event"] == "attack"]


def test_the_layer_that_no_client_sends_is_not_touched():
    states: list[State] = []
    list(simulate(parse(RUN), digits(), keep=states.append))
    head = slice(parse(RUN).uploaded, None)
    assert np.array_equal(states[0].weights[head], states[-1].weights[head])
    assert not np.array_equal(states[0].weights[: head.start], states[-1].weights[: head.start])
    assert np.abs(states[-1].arrays["head"]).max() > 0


@pytest.mark.usefixtures("runs_dir")
def test_killed_with_sigkill_it_goes_on_to_the_same_bits(runs_dir: Path):
    experiment = RUN | {"rounds": 100}
    assert killed_and_resumed(experiment) == events(experiment)[-1]["weights_sha256"]
