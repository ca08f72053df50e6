"""The attack grid: a request in, cells out; and the findings that it shows, on real images."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core.attacks.idlg import IDLG
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse, plan
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.federated.federation import assemble
from ldp_core.leakage import grid_context, online
from ldp_core.leakage.grid import climb
from ldp_core.leakage.observe import choose_victims, observe
from ldp_core.runs.lockstep import drive
from tests.attacks.observed import audit_uploads
from tests.data import digits

BASE = {"clients": {"epsilon": 1, "range": 0.2}, "local": {"learning_rate": 0.1, "epochs": 1}}


@cache
def climbed(text: str) -> tuple[dict[str, Any], ...]:
    return tuple(event.as_json() for event in climb(parse_ladder(json.loads(text)), digits()))


def cells(**request: Any) -> dict[tuple[str, float], dict[str, Any]]:
    found = climbed(json.dumps({"base": BASE, **request}))
    return {(e["mechanism"], e["epsilon"]): e for e in found if e["event"] == "cell"}


def test_events_come_in_order_as_plain_json():
    found = climbed(json.dumps({"base": BASE, "epsilons": [8, 1], "images": 3}))
    kinds = [event["event"] for event in found]
    assert kinds == ["ladder", *["reference", "reference", "cell", "cell"] * 2, "end"]
    assert [e["epsilon"] for e in found if e["event"] == "cell"] == [1, 8, 1, 8]
    assert json.loads(json.dumps(found, allow_nan=False))
    assert {e["control"] for e in found if e["event"] == "reference"} == {"clean", "clipped"}
    assert all(e["psnr"] > 60 and e["identified"] == 3 for e in found if e["event"] == "reference")
    assert found[0]["chance"] == pytest.approx(0.1)
    assert found[-1]["cells"] == 4


def test_equal_ladder_requests_give_equal_cells():
    request = parse_ladder({"base": BASE, "images": 2, "epsilons": [2], "seed": 4})
    assert parse_ladder(json.loads(json.dumps(request.as_json()))) == request
    searching = parse_ladder({"base": BASE, "attacker": {"name": "idlg", "restarts": 2}})
    assert searching.attacker == IDLG(restarts=2)
    assert parse_ladder(json.loads(json.dumps(searching.as_json()))) == searching
    assert [e.as_json() for e in climb(request, digits())] == [e.as_json() for e in climb(request, digits())]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ([], "a ladder must be a JSON object"),
        ({"bse": {}}, "bse is not a field here"),
        ({"base": {"rounds": -1}}, "base.rounds must be"),
        ({"mechanisms": []}, "mechanisms must be a list"),
        ({"mechanisms": ["piecewise", "piecewise"]}, "named twice"),
        ({"mechanisms": ["none"]}, "control of every ladder"),
        ({"mechanisms": ["pieceweis"]}, "must be .*; got “pieceweis”"),
        ({"epsilons": [0]}, "epsilons must be a number between"),
        ({"epsilons": "all"}, "epsilons must be a list"),
        ({"client": 21}, "client must lie between 1 and 20; got 21"),
        ({"client": 0}, "client must be a whole number between 1 and "),
        ({"attacker": "likelihood"}, "attacker must be auto"),
        ({"upload": "both"}, "upload must be audit or real"),
        ({"images": 1000}, "images must be a whole number between 1 and 100"),
    ],
)
def test_a_wrong_request_is_refused_in_a_sentence(request_: Any, said: str):
    with pytest.raises(InvalidExperiment, match=said):
        parse_ladder(request_)


def test_resumed_ladder_computes_only_missing_cells(monkeypatch: pytest.MonkeyPatch):
    """Wherever a ladder stopped, what follows is the same to the last bit."""
    request = parse_ladder({"base": BASE, "images": 2, "epsilons": [2, 8]})
    whole = [event.as_json() for event in climb(request, digits())]
    assert [e["event"] for e in whole] == ["ladder", *["reference", "reference", "cell", "cell"] * 2, "end"]
    for stopped, left in ((1, 4), (2, 4), (3, 4), (4, 3), (5, 2), (6, 2), (8, 1), (9, 0)):
        calls: list[int] = []

        def counted(*given: Any, calls: list[int] = calls, **named: Any) -> Any:
            calls.append(1)
            return observe(*given, **named)

        monkeypatch.setattr(grid_context, "observe", counted)
        rest = [event.as_json() for event in climb(request, digits(), earlier=whole[:stopped])]
        assert rest == whole[stopped:]
        assert len(calls) == left


def test_the_same_epsilon_does_not_hide_the_same():
    """Seed 0, ±0.2, round 1, 20 images: Piecewise at ε 8 gives most back, Duchi none."""
    found = cells(epsilons=[1, 8])
    assert found["piecewise", 8.0]["recovered"] >= 18
    assert found["piecewise", 8.0]["psnr"] > 25
    assert found["piecewise", 8.0]["verdict"]["kind"] == "recovered"
    assert found["duchi", 8.0]["recovered"] == 0
    assert found["duchi", 8.0]["psnr"] < 16


def test_trimmed_attack_recovers_piecewise_images():
    """The same with the attacker that uses no prior: most of 20 images at 20 dB or more."""
    found = cells(epsilons=[8], attacker="trimmed")
    assert found["piecewise", 8.0]["recovered"] >= 15
    assert found["duchi", 8.0]["recovered"] == 0
    plain = cells(epsilons=[8], attacker="least_squares")
    assert found["piecewise", 8.0]["psnr"] > plain["piecewise", 8.0]["psnr"] + 3


def test_identity_survives_where_pixels_are_gone():
    """Seed 0, ε 1, 20 images: no picture, and the interval of the share identified excludes chance."""
    cell = cells(epsilons=[1, 8])["piecewise", 1.0]
    assert cell["recovered"] == 0
    assert cell["verdict"]["kind"] == "hidden"
    assert cell["identified_low"] > 0.3 > 0.1
    assert cell["identified"] / cell["n"] <= cell["cap"] + 0.2


def test_seeing_the_same_values_again_sharpens():
    """ε 2, 8 images: once, and ten times."""
    once, often = (cells(epsilons=[2], images=8, rounds_observed=t)["piecewise", 2.0] for t in (1, 10))
    assert often["psnr"] > once["psnr"] + 4
    assert often["recovered"] > once["recovered"]


def test_ladder_round_is_independent_of_base_rounds():
    few, many = ({"base": BASE | {"rounds": rounds}, "epsilons": [8], "images": 1} for rounds in (2, 9))
    assert cells(**few, round=4) == cells(**many, round=4) != cells(**few, round=2)


CPU = torch.device("cpu")


def test_default_victims_are_min_median_and_max_budgets():
    ready = assemble(plan(parse({"clients": {"count": 5, "epsilon": [3, 1, 2, 9, 5]}})), digits(), CPU)
    victims = choose_victims(ready)
    assert victims.clients.tolist() == [1, 0, 3]
    for client, sample in zip(victims.clients, victims.samples, strict=True):
        assert sample in ready.shards[client]


def test_few_clients_are_attacked_once_each():
    for count in (1, 2):
        ready = assemble(plan(parse({"clients": {"count": count, "epsilon": 1}})), digits(), CPU)
        assert choose_victims(ready).clients.tolist() == list(range(count))


def test_victims_image_is_independent_of_mechanism():
    chosen = []
    for changes in ({}, {"mechanism": "duchi"}, {"attack": {"clients": [20, 4]}}):
        victims = choose_victims(assemble(plan(parse(changes)), digits(), CPU))
        chosen.append(dict(zip(victims.clients.tolist(), victims.samples.tolist(), strict=True)))
    assert chosen[0] == chosen[1]
    assert chosen[0][19] == chosen[2][19]


def test_the_three_versions_differ_as_they_say():
    ready = assemble(plan(parse({"clients": {"range": 0.05}})), digits(), CPU)
    seen = audit_uploads(ready, choose_victims(ready))
    assert np.abs(seen["clean"].uploads).max() > 0.05
    assert np.abs(seen["clipped"].uploads).max() <= 0.05 + 1e-9
    assert np.abs(seen[None].uploads).max() > 0.1


ATTACKED = [
    {"attack": {"attacker": "posterior", "rounds_observed": 2}},
    {"attack": {"attacker": "trimmed"}, "clients": {"epsilon": 30.0}},
    {"attack": {"attacker": "rank_one"}, "mechanism": "gaussian", "target": "update"},
]


@pytest.mark.parametrize("changes", ATTACKED)
def test_rounds_attacked_together_have_each_ones_bits(changes, monkeypatch):
    experiment = parse({"rounds": 3, **changes})

    def attacks() -> list[Any]:
        turns = [[e for e in turn.events if e["event"] == "attack"] for turn in drive({0: experiment})]
        return [turn for turn in turns if turn]

    together = attacks()
    monkeypatch.setattr(online, "AT_ONCE", 1)
    alone = attacks()
    assert (len(together), len(alone)) == (1, 3)
    assert together[0] == [event for turn in alone for event in turn]
