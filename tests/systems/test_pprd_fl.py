"""PPRD-FL by name: R-PSS in both forms, its noise, its ledger, and what its gain is made of."""

from typing import Any

import numpy as np
import pytest
import torch

from ldp_core.accounting import ledger
from ldp_core.accounting.ledger_entry import SCOPES
from ldp_core.experiment import amended, departures, parse, plan
from ldp_core.federated.federation import assemble, initial_weights, taking_part, untrained
from ldp_core.federated.round import one_round
from ldp_core.runs.train_all import train_all
from ldp_core.streams import stream
from ldp_core.systems import Participation
from ldp_core.systems.pprd_fl import chosen
from ldp_core.theory import sent_in_clear, server_noise
from tests.data import digits, events

NAME = "pprd_fl"
PRINTED: dict[str, Any] = {"system": NAME, "form": "as_printed"}
ON_DIGITS: dict[str, Any] = {**PRINTED, "dataset": "digits"}


def joined(changes: dict[str, Any]) -> Participation:
    return taking_part(assemble(plan(parse(changes)), digits(), torch.device("cpu")))


def test_pprd_fl_settings_are_the_papers():
    one = parse(PRINTED)
    assert (one.model.name, one.clients.count, departures(one)) == ("cnn", 10, ())
    assert {d.field for d in departures(parse(ON_DIGITS))} >= {"dataset", "model", "clients.count"}
    outcome = [item.what for item in sent_in_clear(plan(one))]
    assert any("|D_i|" in what for what in outcome)
    assert "on average at least 4368 of the 21840 weights of an upload" in outcome


def test_larger_half_is_always_perturbed():
    """800 rows of 101: the share is p within 5 standard errors (false alarm < 1e-6)."""
    weights = stream(0, "records").uniform(-1, 1, (800, 101))
    found = chosen(weights, 0.3, stream(0, "encoding", 1))
    middle = np.sort(np.abs(weights), axis=1)[:, 50:51]
    larger = np.abs(weights) >= middle
    assert larger.sum() == 800 * 51
    assert found[larger].all()
    rest = found[~larger]
    assert abs(rest.mean() - 0.3) < 5 * np.sqrt(0.21 / rest.size)
    assert chosen(np.zeros((1, 7)), 0.0, stream(0, "encoding", 1)).sum() == 4, "equals by their place"


def test_printed_weights_near_zero_go_in_clear():
    one = joined(amended(ON_DIGITS, {"system.selected": 0.99}).as_json())
    values = np.full((5, one.public.dimension), 1e-7, dtype=np.float32)
    values[:, ::2] = 0.5
    encoded = one.encode(values, *ends(5), np.arange(5), stream(0, "encoding", 1))
    assert encoded.clear is not None
    assert encoded.clear[:, 1::2].all()
    assert not encoded.clear[:, ::2].any()


def test_corrected_the_choice_depends_on_no_clients_data():
    one = joined({"system": NAME, "dataset": "digits"})
    model = stream(1, "records").uniform(-1, 1, one.public.dimension).astype(np.float32)
    one.begin(model, np.arange(3))
    values = stream(2, "records").uniform(-1, 1, (2, 3, len(model))).astype(np.float32)
    masks = [one.encode(v, *ends(3), np.arange(3), stream(0, "encoding", 1)).unsent for v in values]
    assert masks[0] is not None and masks[1] is not None
    assert (masks[0] == masks[1]).all()
    middle = np.median(np.abs(model))
    assert not masks[0][:, np.abs(model) > middle].any(), "the server's large weights are always sent"


def ends(rows: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full((rows, 1), -10.0), np.full((rows, 1), 10.0)


def test_unsent_weights_keep_the_servers_values():
    """One client, so that what it leaves out is not sent; to the last bit."""
    experiment = amended(ON_DIGITS, {"clients.count": 1, "system.selected": 0.5, "system.rest": "kept"})
    federation = assemble(plan(experiment), digits(), torch.device("cpu"))
    result = one_round(federation, untrained(federation))
    before, after = initial_weights(federation), result.weights
    small = before.abs() < before.abs().median()
    assert bool((after[small] == before[small]).all())
    assert float((after[~small] != before[~small]).float().mean()) > 0.99


def test_the_noise_of_both_forms():
    """σ as printed is 2C/|D_i| times that of the textbook's formula; corrected it is 2C. In round 10 it has
    grown by 1 + ln(10)/75 = 1.0307, and no more.
    """
    textbook = np.sqrt(2 * np.log(1.25 / 1e-5)) / 0.4
    for form, sensitivity in (("as_printed", 20 / 6000), ("corrected", 20.0)):
        one = parse({"system": NAME, "form": form})
        first, last = (plan(one).pieces(number)[0].mechanism for number in (1, 10))
        sigma = [float(m.at(0.4, -10, 10).max_variance) ** 0.5 for m in (first, last)]
        assert sigma[0] == pytest.approx(sensitivity * textbook, rel=1e-12)
        assert sigma[1] / sigma[0] == pytest.approx(1.0307, abs=5e-5)


def test_ledger_denies_guarantees_for_clear_weights():
    """In clear: nothing. All perturbed as printed: ε 125 000 a round where 0.4 is claimed. Corrected: 0.95
    for ten rounds, less than the sum of 3.9, as Gaussian noise adds up as the root of squares.
    """
    clear, noised, right = (
        ledger(amended(PRINTED, changes))[0]
        for changes in ({}, {"system.selected": 1}, {"form": "corrected"})
    )
    assert not any(clear[scope]["guarantee"] for scope in SCOPES)
    assert clear["worth"] == "nothing"
    assert "R-PSS sends 20 % of the weights as they are" in clear["upload"]["why"]
    assert noised["upload"]["epsilon"] == pytest.approx(1.25e5, rel=2e-3)
    assert noised["run_worst"]["epsilon"] == pytest.approx(1.19e6, rel=4e-3)
    assert right["run_worst"]["epsilon"] == pytest.approx(0.951, abs=5e-4)
    assert right["upload"]["guarantee"] and right["upload"]["epsilon"] < 0.4


def test_clear_share_of_updates_is_unknown():
    """A black pixel moves no weight, and what lies near zero is not perturbed: on digits a seventh less noise
    was measured than had been predicted, and a third of an upload went in clear where a fifth was stated.
    """
    changes = {"system": NAME, "dataset": "digits", "form": "as_printed", "target": "update"}
    assert "changes near zero go without noise" in server_noise(plan(parse(changes))).unknown
    assert not server_noise(plan(parse({**changes, "target": "weights"}))).unknown
    assert not server_noise(plan(parse({**changes, "form": "corrected"}))).unknown
    assert any(one.what.startswith("on average at least") for one in sent_in_clear(plan(parse(changes))))


def test_rpss_gain_comes_from_clear_weights():
    """The same runs with the rest perturbed as well lose it, and so do those that do not send the rest: six
    seeds, paired, on average by 10 points each (15 and 19 when this was written).
    """
    base = amended(
        ON_DIGITS,
        {"clients.epsilon": 0.7, "model": "logistic_regression", "system.selected": 0.5, "attack": None},
    )
    rests = ("clear", "noised", "kept")
    runs = [amended(base.as_json(), {"system.rest": rest, "seed": s}) for rest in rests for s in range(6)]
    accuracy = np.zeros(len(runs))
    for place, figures in train_all(runs):
        accuracy[place] = figures.accuracy
    clear, noised, kept = accuracy.reshape(3, 6)
    assert (clear - noised).mean() > 0.1
    assert (clear - kept).mean() > 0.1


def test_its_uploads_are_attacked_where_they_are_all_there():
    base = {**ON_DIGITS, "attack": "auto"}
    (audit,) = (one for one in plan(parse(base)).spies if one.upload == "audit")
    assert audit.attacker == "clear_weights"
    assert "that 20 % of the weights come as they are" in audit.knows
    assert plan(amended(base, {"system.selected": 1})).spies[0].attacker != "clear_weights"
    harmony = parse({**base, "form": "corrected", "mechanism": "harmony"})
    assert not plan(harmony).readable, "of a part of a vector that is answered as one no law is known"
    assert "PPRD-FL under Harmony has no law that is known; choose another" in plan(harmony).why_not


@pytest.mark.parametrize("model", ["logistic_regression", "mlp"])
def test_images_are_recovered_from_sent_weights(model: str):
    """Of a fifth of the weights nothing is known; without noise the rest of them is the image."""
    base = {"system": NAME, "dataset": "digits", "model": model, "attack": "auto", "rounds": 1}
    base["local"] = {"optimizer": "sgd", "learning_rate": 0.5}
    assert "which weights were not sent" in plan(parse(base)).spies[0].knows
    found = [e for e in events(base) if e["event"] == "attack"]
    clean = [one for one in found if one["control"] == "clean"]
    assert clean and min(one["psnr"] for one in clean) > 60
    quiet = {**base, "mechanism": "laplace", "clients": {"epsilon": 700, "range": 1}}
    sent = [e for e in events(quiet) if e["event"] == "attack" and e["control"] is None]
    assert min(one["psnr"] for one in sent) > 20
    assert {one["identification_rank"] for one in sent} == {1}
