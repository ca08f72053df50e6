"""Every system: what it sets can run, and what it says of an upload is what its clients do."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from ldp_core import systems
from ldp_core.events import Attacked, RoundDone, Target
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.federated.federation import assemble, taking_part, untrained
from ldp_core.federated.round import one_round
from ldp_core.federated.state import State
from ldp_core.images import decode
from ldp_core.simulate import simulate
from ldp_core.streams import stream
from ldp_core.theory import server_noise
from tests.data import digits

CPU = torch.device("cpu")
NAMES = systems.names()


def small(name: str, form: str = "corrected") -> Experiment:
    return parse({"system": name, "dataset": "digits", "rounds": 3, "attack": None, "form": form})


@pytest.mark.parametrize("name", NAMES)
def test_system_settings_round_trip_through_json(name: str):
    experiment = parse({"system": name})
    assert parse(experiment.as_json()) == experiment
    assert plan(parse(experiment.as_json())).key == plan(experiment).key


@pytest.mark.parametrize("name", NAMES)
def test_upload_reveals_the_stated_facts(name: str):
    """Over the clients of a round, within 5 % where a draw decides."""
    experiment = small(name)
    federation = assemble(plan(experiment), digits(), CPU)
    joined, result, m = taking_part(federation), plan(experiment).tells, plan(experiment).uploaded
    clients = np.arange(experiment.clients.count)
    _, low, high = plan(experiment).population.columns(clients)
    values = stream(1, "records").uniform(-0.1, 0.1, (len(clients), m)).astype(np.float32)
    encoded = joined.encode(values, low, high, clients, stream(1, "encoding", 1))
    clear, unsent = (
        0.0 if mask is None else float(mask.sum(axis=1).mean()) for mask in (encoded.clear, encoded.unsent)
    )
    assert clear == pytest.approx(result.clear, rel=0.05)
    assert m - clear - unsent == pytest.approx(result.perturbed, rel=0.05)
    assert bool(result.clear) <= bool(result.why), "what goes in clear is said"


@pytest.mark.parametrize("name", NAMES)
def test_resumed_system_run_has_the_same_bits(name: str):
    experiment = small(name)
    states: list[State] = []
    whole = list(simulate(experiment, digits(), CPU, keep=states.append))
    half = states[2]
    kept = State.from_bytes(half.round, *half.as_bytes(), half.arrays_as_bytes())
    again = list(simulate(experiment, digits(), CPU, start=kept))
    assert [event.as_json() for event in again] == [event.as_json() for event in whole[-len(again) :]]
    assert len(again) == 2, "one round and the end"


@pytest.mark.parametrize("name", NAMES)
def test_round_leaves_the_previous_state_unchanged(name: str):
    federation = assemble(plan(small(name)), digits(), CPU)
    state = one_round(federation, untrained(federation)).state
    before = state.as_bytes(), state.arrays_as_bytes()
    first, again = (one_round(federation, state).state for _ in range(2))
    assert (state.as_bytes(), state.arrays_as_bytes()) == before
    assert first.as_bytes() == again.as_bytes() != before[0]
    assert first.arrays_as_bytes() == again.arrays_as_bytes()
    assert first.round == 2


@pytest.mark.parametrize("name", NAMES)
def test_measured_noise_equals_the_prediction(name: str):
    """Over 40 rounds from one model, within 6 standard errors (false alarm < 1e-5)."""
    experiment = small(name)
    if experiment.mechanism.role == "identity":
        return
    federation = assemble(plan(experiment), digits(), CPU)
    start = untrained(federation)
    found = [one_round(federation, replace(start, round=before)) for before in range(40)]
    noises = [(r.noise_variance, r.noise_variance_theory) for r in found if r.client_weights.any()]
    measured, predicted = np.array(noises, dtype=float).T
    ratio = measured / predicted
    assert abs(ratio.mean() - 1) < 6 * ratio.std(ddof=1) / np.sqrt(len(ratio)) + 1e-9


@pytest.mark.parametrize("form", ["corrected", "as_printed"])
@pytest.mark.parametrize("name", NAMES)
def test_noise_is_predicted_or_explained_as_unknown(name: str, form: str):
    """Weights lie elsewhere than in mid-range, so tenfold is near; another range was 70 times off."""
    experiment = small(name, form)
    noise, whys = server_noise(plan(experiment)), {
        ("optimal_ldp_fl", "corrected"): "each range follows the server's model",
        ("optimal_ldp_fl", "as_printed"): "each range follows the server's model",
        # with Laplace in Piecewise's place, its noise was 400 000 000 times what was predicted
        ("pd_ldpfl", "as_printed"): "nothing is clipped, and the noise follows the largest weights",
    }  # fmt: skip
    assert noise.unknown == whys.get((name, form), "")
    assert math.isnan(noise.variance) == bool(noise.unknown)
    if noise.unknown:
        return
    done = [event for event in simulate(experiment, digits(), CPU) if isinstance(event, RoundDone)]
    assert 0.1 < np.mean([one.noise_variance for one in done]) / noise.variance < 10


@pytest.mark.parametrize("form", ["as_printed", "corrected"])
@pytest.mark.parametrize("name", NAMES)
def test_its_uploads_are_attacked_with_controls(name: str, form: str):
    """A picture of each client under each control, and a pick that is right where nothing is hidden."""
    experiment = changed(small(name, form), {"rounds": 1, "attack": "auto"})
    assert plan(experiment).why_not == ""
    events = list(simulate(experiment, digits()))
    emitted = [one for one in events if isinstance(one, Attacked)]
    assert {(one.control, one.client) for one in emitted} == {
        (control, int(client) + 1)
        for control in (None, "clean", "clipped")
        for client in plan(experiment).spread_by_budget()
    }
    shown = [event.image for event in events if isinstance(event, Target)]
    assert len(shown) == len(plan(experiment).spread_by_budget())
    shades = [len(np.unique(decode(one))) for one in shown]
    assert min(shades) > 5, "in shades of grey, whatever white is in training"
    assert {one.identification_rank for one in emitted if one.control == "clean"} == {1}
    assert all(one.image and np.isfinite(one.psnr) for one in emitted)
