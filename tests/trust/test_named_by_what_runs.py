"""Trust and mechanism in exports, lists and sentences are those of the run, for every trust."""

import json
import xml.etree.ElementTree as ET
from itertools import product
from typing import Any

import pytest

from ldp_core import trust
from ldp_core.accounting import DELTA
from ldp_core.accounting.deployments import DEPLOYMENTS, listed
from ldp_core.experiment import Draft, Experiment, Variant, parse, plan
from ldp_core.library import Result
from ldp_core.runs import Job, kinds, rows_of_jobs
from ldp_core.runs.carry.card import as_card, card_picture
from ldp_core.runs.jobs.listing import lines
from ldp_core.runs.lockstep import drive
from pages.parts.clients.costs import promise_words
from pages.parts.runs.said import in_words
from pages.parts.tune.price import setting_line
from tests.runs.in_process import trained as trained_here

MODELS = {"local": "Local", "shuffled": "Shuffle", "secure_sum": "Distributed", "central": "Central"}
DRAWN = {"secure_sum": "Skellam noise in the sum", "central": "Gaussian noise in the sum"}
MECHANISMS = {"piecewise": "Piecewise", "privunit": "PrivUnit"}
CASES = [*product(trust.names(), MECHANISMS)]
CLIENTS = {"count": 4, "epsilon": 2.0, "epsilon_scope": "run", "range": 0.1}
BASE: dict[str, Any] = {"clients": CLIENTS, "target": "update", "rounds": 1, "attack": None}
HARMONY = {"form": "as_printed", "mechanism": {"name": "harmony"}}
MEANS = {"target": "class_means", "features": "dct"}
SPECIAL: dict[str, dict[str, Any]] = {
    "by size": {"aggregator": "data_weighted"},
    **{f"{kind} printed": {**HARMONY, "trust": {"kind": kind}} for kind in trust.names()},
    "norm": {**MEANS, "mechanism": "labelunit", "trust": {"kind": "shuffled"}},
    "safe range": {**MEANS, "mechanism": "laplace"},
}


def drawn(kind: str, mechanism: str) -> str:
    return DRAWN.get(kind, MECHANISMS[mechanism])


def experiment_of(kind: str, mechanism: str) -> Experiment:
    return parse({**BASE, "trust": {"kind": kind}, "mechanism": {"name": mechanism}})


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The special cases, then all cases."""
    own = {f"{kind} {name}": {"trust": {"kind": kind}, "mechanism": {"name": name}} for kind, name in CASES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(tmp_path_factory.mktemp("runs")))
        both = (Draft(parse(BASE), tuple(Variant(*one) for one in of.items())) for of in (SPECIAL, own))
        yield [trained_here(draft) for draft in both]


def test_card_names_trust_model_and_mechanism_that_run(jobs: list[Job]):
    found, others = (json.loads(as_card(job.id))["runs"] for job in jobs[::-1])
    for (kind, mechanism), card in zip(CASES, found, strict=True):
        assert card["deployment_model"]["model_name"] == MODELS[kind]
        assert card["implementation"]["mechanisms"] == drawn(kind, mechanism)
        assert ("every upload" in card["dp_variant"]["unprotected_quantities"]) == (kind == "central")
    special = dict(zip(SPECIAL, others, strict=True))
    assert special["by size"]["dp_variant"]["variant_name"] != "No guarantee"
    assert "|D_i|" in special["by size"]["dp_variant"]["unprotected_quantities"]
    assert "by by" not in special["by size"]["implementation"]["post_processing"]
    for kind in trust.names():  # a form is told only of a mechanism that has two
        told = "as printed" in special[f"{kind} printed"]["implementation"]["mechanisms"]
        assert told == (kind not in DRAWN)
        assert bool(plan(parse({**BASE, **SPECIAL[f"{kind} printed"]})).correction) == told
    for limit in ("norm", "safe range"):  # of class means more is assumed than their features
        assumed = special[limit]["implementation"]["additional_information"]
        assert all(word in assumed for word in ("budgets", limit, "waves"))
        clear = special[limit]["dp_variant"]["unprotected_quantities"]
        assert limit in clear and ("shuffler sees" in clear) == (limit == "norm")


def test_table_of_runs_names_trust_and_mechanism_that_run(jobs: list[Job]):
    for (kind, mechanism), row in zip(CASES, rows_of_jobs(lines()), strict=False):
        assert row["trust"] == kind
        assert row["mechanism"] == ("noise in the sum" if kind in DRAWN else mechanism)
        assert row["epsilon_covers"] == "run"


@pytest.mark.parametrize(("kind", "mechanism"), CASES)
def test_sentences_name_trust_and_mechanism_that_run(kind: str, mechanism: str):
    experiment = experiment_of(kind, mechanism)
    asked = kinds.get("run").parse({"draft": Draft(experiment, (Variant("one"),)).as_json()})
    events = [event for turn in drive({0: experiment}) for event in turn.events]
    for said in (setting_line(experiment), str(in_words("run", asked)), repr(Result(experiment, events))):
        assert drawn(kind, mechanism) in said
    assert experiment.trust.label in setting_line(experiment)
    promise = plan(experiment).prices.uploads((2.0, -0.1, 0.1), 1)
    bound, *_ = promise_words(experiment, promise)["words"]
    assert ("δ" in bound) == (promise.delta > 0)


def test_no_deployment_is_on_the_axis_of_a_run(jobs: list[Job]):
    assert all(one.delta not in (0.0, DELTA) or one.period != "one model" for one in DEPLOYMENTS)
    picture = ET.fromstring(card_picture(jobs[-1].id))
    assert all(words in "".join(picture.itertext()) for words in listed())
    assert not [line for line in picture.iter() if line.get("stroke-dasharray")]


def test_card_assumes_the_limits_of_all_its_rows(jobs: list[Job]):
    """Among the four of its picture are Piecewise, by safe ranges, and PrivUnit, by a norm."""
    picture = ET.fromstring(card_picture(jobs[-1].id))
    (assumed,) = [one for one in picture.itertext() if "Assumed public" in one]
    assert "norm" in assumed and "safe ranges" in assumed
