"""Optimal LDP-FL by name: ranges that follow layers, what fills an upload, its ledger and what it sends."""

from typing import Any

import numpy as np
import pytest
import torch

from ldp_core.accounting import ledger
from ldp_core.experiment import amended, departures, parse, plan
from ldp_core.federated.federation import assemble, taking_part
from ldp_core.mechanisms.base import Form
from ldp_core.runs.train_all import train_all
from ldp_core.streams import stream
from ldp_core.systems import Encoded
from ldp_core.theory import server_noise
from tests.data import digits, events

NAME = "optimal_ldp_fl"
PRINTED: dict[str, Any] = {"system": NAME, "form": "as_printed"}
ON_DIGITS: dict[str, Any] = {"system": NAME, "dataset": "digits", "model": "mlp"}


def encoded(model: np.ndarray | None = None, **changes: Any) -> tuple[Encoded, tuple[slice, ...]]:
    """What three clients hand on whose server has the given model."""
    experiment = amended(ON_DIGITS, changes)
    joined = taking_part(assemble(plan(experiment), digits(), torch.device("cpu")))
    values = np.zeros((3, joined.public.dimension), dtype=np.float32)
    known = np.zeros(joined.public.dimension) if model is None else model
    joined.begin(known.astype(np.float32), np.arange(3))
    _, low, high = plan(experiment).population.columns(np.arange(3))
    return joined.encode(values, low, high, np.arange(3), stream(0, "encoding", 1)), joined.public.layers


def model() -> np.ndarray:
    """Two layers, from −0.2 to 0.6 and from −3 to 2."""
    layers = encoded()[1]
    weights = np.zeros(layers[-1].stop)
    weights[layers[0]] = np.linspace(-0.2, 0.6, layers[0].stop)
    weights[layers[1]] = np.linspace(-3, 2, layers[1].stop - layers[1].start)
    return weights


def test_optimal_ldp_fl_settings_are_the_papers():
    one = parse(PRINTED)
    assert (one.model.name, departures(one)) == ("cnn", ())
    for epsilon in (2, 10):
        assert departures(amended(PRINTED, {"clients.epsilon": epsilon})) == ()
    assert [d.field for d in departures(amended(PRINTED, {"target": "update"}))] == ["target"]


@pytest.mark.parametrize(("form", "second"), [("as_printed", (-3.0, 2.0)), ("corrected", (-0.99, 0.99))])
def test_a_layers_range_is_that_of_the_servers_layer(form: str, second: tuple[float, float]):
    """As printed without an end; corrected within ±1, but for a hundredth that leaves a range at all."""
    found, layers = encoded(model(), form=form)
    for layer, ends in zip(layers, [(-0.2, 0.6), second], strict=True):
        assert found.low[:, layer] == pytest.approx(ends[0], abs=1e-6)
        assert found.high[:, layer] == pytest.approx(ends[1], abs=1e-6)


def test_constant_layer_keeps_a_range():
    for form in ("as_printed", "corrected"):
        found, _ = encoded(np.full(encoded()[1][-1].stop, 5.0), form=form)
        assert (found.high - found.low).min() == pytest.approx(0.02, rel=1e-6)


def test_updates_use_client_ranges_with_known_noise():
    changes: dict[str, Any] = {"target": "update", "clients.range": 0.02}
    for known in (changes, {"system.ranges": "fixed"}):
        assert server_noise(plan(amended(ON_DIGITS, known))).variance > 0
    found, _ = encoded(model(), **changes)
    assert np.unique(found.low).tolist() == [-0.02]
    assert np.unique(found.high).tolist() == [0.02]


def test_unanswered_weights_are_filled_by_form():
    """Averages over 40 000 uploads of a layer of 5 in [0.5, 1.5], each within 6 standard errors (false alarm
    < 1e-7): right with c, and with 0 short of the weight by c(1 − 1/d).
    """
    experiment = amended(PRINTED, {"clients.epsilon": 4})
    values = np.tile(np.linspace(0.6, 1.4, 5), (40_000, 1))
    forms: tuple[tuple[Form, float], ...] = (("corrected", 0.0), ("as_printed", 1 - 1 / 5))
    for form, short in forms:
        harmony = experiment.mechanism.formed(form).model_copy(update={"dimension": 5})
        sent = harmony.perturb(values, 4.0, 0.5, 1.5, stream(0, "noise", 1))
        error = 6 * sent.std(axis=0) / np.sqrt(len(values))
        assert (np.abs(sent.mean(axis=0) - (values[0] - short)) < error).all()


def test_ledger_has_one_budget_a_layer():
    """Four layers at ε 1: 4 an upload, and at worst 80 in twenty rounds; by draws a client sends in 15."""
    lines = ledger(parse(PRINTED))[0]
    assert lines["upload"]["basic"] == 4
    assert lines["run_worst"]["basic"] == 80
    assert lines["run_expected"]["basic"] == 60
    assert not lines["run_expected"]["guarantee"], "an average number of uploads is no bound"


def test_updates_in_a_short_range_learn():
    """Harmony either way, at ε 10 a layer: two seeds each (49 % and more for changes when written)."""
    base = {"system": NAME, "dataset": "digits", "clients": {"epsilon": 10}, "attack": None}
    changes = {"target": "update", "clients.range": 0.02}
    runs = [amended(base, {**more, "seed": seed}) for more in ({}, changes) for seed in (0, 1)]
    accuracy = np.zeros(4)
    for place, figures in train_all(runs):
        accuracy[place] = figures.accuracy
    assert accuracy[:2].max() < 0.25
    assert accuracy[2:].min() > 0.35


def test_as_printed_ranges_run_away_and_the_end_says_why():
    end = events({"system": NAME, "dataset": "digits", "form": "as_printed", "attack": None})[-1]
    assert end["status"] == "diverged"
    assert "the printed ranges follow the server's noisy weights" in end["message"]


@pytest.mark.parametrize("form", ["as_printed", "corrected"])
def test_one_answer_a_layer_gives_no_image(form: str):
    """The layers' ranges follow from the server's model, so that an attacker has them."""
    base = {"system": NAME, "dataset": "digits", "attack": "auto", "rounds": 1, "form": form}
    assert "each layer's range, as its own model has it" in plan(parse(base)).spies[0].knows
    seen = {}
    for name, epsilon in (("harmony", 10), ("duchi", 10), ("laplace", 700)):
        run = {**base, "mechanism": name, "clients": {"epsilon": epsilon}}
        seen[name] = [e for e in events(run) if e["event"] == "attack"]
    for found in seen.values():
        clean = [one for one in found if one["control"] == "clean"]
        assert clean and min(one["psnr"] for one in clean) > 100
    sent = {name: [one for one in found if one["control"] is None] for name, found in seen.items()}
    assert max(one["psnr"] - one["psnr_mean_image"] for one in sent["harmony"]) < 1
    assert {one["identification_rank"] for one in sent["duchi"]} == {1}
    assert min(one["psnr"] for one in sent["laplace"]) > 20
