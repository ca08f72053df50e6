"""PLDP-FL by name: its settings, its two forms, its ledger."""

from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import theory
from ldp_core.accounting import ledger
from ldp_core.experiment import amended, departures, parse, plan
from ldp_core.federated.federation import assemble, taking_part
from ldp_core.mechanisms.base import Form
from ldp_core.runs.train_all import train_all
from ldp_core.streams import stream
from ldp_core.systems import Encoded
from ldp_core.theory import server_noise
from tests.data import digits, events

NAME = "pldp_fl"


def test_its_settings_are_the_papers():
    """Those of its table; others are in tests/papers/test_papers.py."""
    one = parse({"system": NAME})
    low, high = one.clients.bounds()
    assert (high - low)[:4].tolist() == [0.2, 0.4, 0.2, 0.4], "τ₁"
    assert one.clients.budgets()[:11].tolist() == [*(k / 10 for k in range(1, 11)), 0.1], "ε₂"
    assert (one.dataset, plan(one).dimension) == ("mnist", 21_840)


@pytest.mark.parametrize("epsilon", ["eps1", "eps2", "eps3"])
@pytest.mark.parametrize("tau", ["tau1", "tau2", "tau3", 1.0])
def test_the_nine_pairs_and_the_headline_are_the_papers_own(epsilon: str, tau: Any):
    sets = {"clients": {"epsilon": epsilon, "range": tau}, "form": "as_printed"}
    assert departures(parse({"system": NAME, **sets})) == ()


def test_forms_differ_by_the_split_low_answer(oracles):
    """The noise of the mean of 70 at a weight of 0, and what merging the two low answers saves of it.

    Mathematics, section 1.1: the split adds L(E+1)²(E+3)L/(8(E−1)²(E+2)) to each client's variance.
    """
    points = oracles["aggregation_and_noise"]["pldp_fl_noise_sd_per_weight_v0"]
    checked = 0
    for point in points:
        if point["eps_mode"][:-1] != "eps" or point["tau_mode"][:-1] != "tau":
            continue
        checked += 1
        clients = {"count": 70, "epsilon": point["eps_mode"], "range": point["tau_mode"]}
        whole = {"system": NAME, "clients": clients, "selection": "all"}
        printed, corrected = (parse(whole | {"form": form}) for form in ("as_printed", "corrected"))
        assert theory.server_variance(printed) == pytest.approx(point["pdpm_sd_mean_of_70"] ** 2, rel=1e-9)
        e = np.exp(printed.clients.budgets())
        length = 2 * printed.clients.bounds()[1]
        saved = length**2 * (e + 1) ** 2 * (e + 3) / (8 * (e - 1) ** 2 * (e + 2))
        gap = theory.server_variance(printed) - theory.server_variance(corrected)
        assert gap == pytest.approx(saved.sum() / 70**2, rel=1e-9)
    assert checked >= 5


def test_its_ledger_is_that_of_the_mathematics(oracles):
    """d = 21 840 weights; 100 rounds at worst, 70 on average: nothing is amplified by who is chosen."""
    clients = {"epsilon": 0.1, "range": 1.0}
    lines = ledger(parse({"system": NAME, "clients": clients, "rounds": 100}), [0])[0]
    assert lines["coordinate"]["epsilon"] == 0.1
    assert lines["upload"]["basic"] == pytest.approx(2184)
    known = next(
        p
        for p in oracles["accounting"]["composition_pldp_fl"]
        if p["epsilon_coord"] == 0.1 and p["scope"].startswith("one upload")
    )
    assert lines["upload"]["generic"] == pytest.approx(known["optimal_KOV_RR_eps"], rel=1e-6)
    assert lines["run_expected"]["basic"] == pytest.approx(152_880)
    assert lines["run_worst"]["basic"] == pytest.approx(218_400)
    assert lines["run_worst"]["epsilon"] < lines["run_worst"]["generic"] < lines["run_worst"]["basic"]


def test_on_digits_another_model_stands_in_and_says_so():
    one = parse({"system": NAME, "dataset": "digits", "form": "as_printed"})
    assert one.model.name == "logistic_regression"
    assert {d.field: (d.paper, d.now) for d in departures(one)} == {
        "dataset": ("mnist", "digits"),
        "model": ("cnn", "logistic_regression"),
    }


def test_pldp_fl_learns_with_large_budgets():
    """On digits, ranges of ±0.1 and ±0.2: ε₃ ends far above ε₁ (which ends at chance), whatever the form."""
    small = {"system": NAME, "dataset": "digits", "rounds": 10, "attack": None}
    small |= {"local": {"learning_rate": 0.5}}
    for form in ("corrected", "as_printed"):
        strict, open_ = (
            events(small | {"form": form, "clients": {"epsilon": mode}})[-1]["accuracy"]
            for mode in ("eps1", "eps3")
        )
        assert strict < 0.45 < 0.6 < open_


OPTIMAL = "optimal_ldp_fl"
PRINTED: dict[str, Any] = {"system": OPTIMAL, "form": "as_printed"}
ON_DIGITS: dict[str, Any] = {"system": OPTIMAL, "dataset": "digits", "model": "mlp"}


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
    base = {"system": OPTIMAL, "dataset": "digits", "clients": {"epsilon": 10}, "attack": None}
    changes = {"target": "update", "clients.range": 0.02}
    runs = [amended(base, {**more, "seed": seed}) for more in ({}, changes) for seed in (0, 1)]
    accuracy = np.zeros(4)
    for place, figures in train_all(runs):
        accuracy[place] = figures.accuracy
    assert accuracy[:2].max() < 0.25
    assert accuracy[2:].min() > 0.35


def test_as_printed_ranges_run_away_and_the_end_says_why():
    end = events({"system": OPTIMAL, "dataset": "digits", "form": "as_printed", "attack": None})[-1]
    assert end["status"] == "diverged"
    assert "the printed ranges follow the server's noisy weights" in end["message"]


@pytest.mark.parametrize("form", ["as_printed", "corrected"])
def test_one_answer_a_layer_gives_no_image(form: str):
    """The layers' ranges follow from the server's model, so that an attacker has them."""
    base = {"system": OPTIMAL, "dataset": "digits", "attack": "auto", "rounds": 1, "form": form}
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
