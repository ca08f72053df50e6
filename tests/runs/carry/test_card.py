"""The card of a training: what it says is the ledger's, as JSON and as a picture."""

import json
import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ldp_core.accounting import entries, worth
from ldp_core.accounting.deployments import DEPLOYMENTS
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from ldp_core.runs.carry.card import as_card, card_picture
from tests.runs.in_process import trained

DRAFT = Draft(
    parse({"rounds": 2, "attack": None, "clients": {"count": 5, "epsilon": [0.01, 0.02, 0.01, 0.01, 0.05]}}),
    (Variant("<mean>"), Variant("no mechanism", {"mechanism.name": "none"})),
)


@pytest.fixture
def job(runs_dir: Path) -> str:
    return trained(DRAFT).id


def test_the_card_has_the_ledgers_worst_promise_in_the_registrys_fields(job: str):
    noisy, bare = json.loads(as_card(job))["runs"]
    most = max((one.run_worst for one in entries(DRAFT.experiments()[0])), key=lambda one: one.bound)
    loss = noisy["privacy_loss"]
    assert loss["privacy_parameters"] == {"epsilon": pytest.approx(most.bound), "delta": most.delta}
    assert worth(most).promises in loss["privacy_parameters_details"]
    assert loss["number_of_privacy_units"] == 5
    assert noisy["deployment_model"]["model_name"] == "Local"
    assert bare["privacy_loss"]["privacy_parameters"]["epsilon"] is None, "no guarantee is no number"
    assert bare["dp_variant"]["unprotected_quantities"]


def test_the_picture_stands_alone_and_says_the_same(job: str):
    top = ET.fromstring(card_picture(job))
    words = " ".join(top.itertext())
    most = max(one.run_worst.bound for one in entries(DRAFT.experiments()[0]))
    assert "<mean>: " in words and "no mechanism: " in words and "no guarantee" in words
    assert f"ε ≤ {float(f'{most:.3g}'):g}" in words
    assert all(one.name in words for one in DEPLOYMENTS)
    assert {one.tag.partition("}")[2] for one in top.iter()} == {"svg", "rect", "line", "text"}


def test_deployments_rise_and_name_their_sources():
    assert [one.epsilon for one in DEPLOYMENTS] == sorted(one.epsilon for one in DEPLOYMENTS)
    assert all(one.source and one.read and one.unit and math.isfinite(one.epsilon) for one in DEPLOYMENTS)


def test_what_has_not_ended_has_no_card(runs_dir: Path):
    waiting = queue.add("run", {"draft": DRAFT.as_json()})
    with pytest.raises(InvalidInput, match="queued"):
        as_card(waiting)
