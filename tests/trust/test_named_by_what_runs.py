"""Trust and mechanism in exports and lists are those of the run, for every trust and several mechanisms."""

import json
import xml.etree.ElementTree as ET
from itertools import product
from pathlib import Path
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


def drawn(kind: str, mechanism: str) -> str:
    return DRAWN.get(kind, MECHANISMS[mechanism])


def experiment_of(kind: str, mechanism: str) -> Experiment:
    return parse({**BASE, "trust": {"kind": kind}, "mechanism": {"name": mechanism}})


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Any:
    own = [
        Variant(f"{kind} {name}", {"trust": {"kind": kind}, "mechanism": {"name": name}})
        for kind, name in CASES
    ]
    by_size = {"aggregator": "data_weighted"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(tmp_path_factory.mktemp("runs")))
        yield trained_here(Draft(parse(BASE), (*own, Variant("by size", by_size))))


def test_card_names_trust_model_and_mechanism_that_run(job: Job):
    *found, by_size = json.loads(as_card(job.id))["runs"]
    for (kind, mechanism), card in zip(CASES, found, strict=True):
        assert card["deployment_model"]["model_name"] == MODELS[kind]
        assert card["implementation"]["mechanisms"] == drawn(kind, mechanism)
        assert ("every upload" in card["dp_variant"]["unprotected_quantities"]) == (kind == "central")
    assert by_size["dp_variant"]["variant_name"] != "No guarantee"
    assert "|D_i|" in by_size["dp_variant"]["unprotected_quantities"]
    assert "by by" not in by_size["implementation"]["post_processing"]


def test_table_of_runs_names_trust_and_mechanism_that_run(job: Job):
    rows = rows_of_jobs(lines())[: len(CASES)]
    for (kind, mechanism), row in zip(CASES, rows, strict=True):
        assert row["trust"] == kind
        assert row["mechanism"] == ("noise in the sum" if kind in DRAWN else mechanism)
        assert row["epsilon_covers"] == "run"


@pytest.mark.parametrize(("kind", "mechanism"), CASES)
def test_sentences_name_trust_and_mechanism_that_run(kind: str, mechanism: str):
    experiment = experiment_of(kind, mechanism)
    asked = kinds.get("run").parse({"draft": Draft(experiment, (Variant("one"),)).as_json()})
    assert drawn(kind, mechanism) in setting_line(experiment)
    assert experiment.trust.label in setting_line(experiment)
    assert drawn(kind, mechanism) in str(in_words("run", asked))


@pytest.mark.parametrize("kind", trust.names())
def test_library_result_names_the_mechanism_that_runs(kind: str):
    experiment = experiment_of(kind, "piecewise")
    events = [event for turn in drive({0: experiment}) for event in turn.events]
    assert drawn(kind, "piecewise") in repr(Result(experiment, events))


@pytest.mark.parametrize("kind", trust.names())
def test_form_is_told_only_of_a_mechanism_that_has_two(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(tmp_path))
    form = {"form": "as_printed", "mechanism": {"name": "harmony"}, "trust": {"kind": kind}}
    job = trained_here(Draft(parse({**BASE, **form}), (Variant("one"),)))
    (card,) = json.loads(as_card(job.id))["runs"]
    assert ("as printed" in card["implementation"]["mechanisms"]) == (kind not in DRAWN)
    assert bool(plan(parse({**BASE, **form})).correction) == (kind not in DRAWN)


@pytest.mark.parametrize(
    ("kind", "mechanism", "limit"),
    [("shuffled", "labelunit", "norm"), ("local", "laplace", "safe range")],
)
def test_card_of_class_means_assumes_more_than_its_features_do(
    kind: str, mechanism: str, limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(tmp_path))
    means = {"target": "class_means", "features": "dct", "mechanism": mechanism, "trust": {"kind": kind}}
    job = trained_here(Draft(parse({**BASE, **means}), (Variant("one"),)))
    (card,) = json.loads(as_card(job.id))["runs"]
    assumed = card["implementation"]["additional_information"]
    assert "budgets" in assumed and limit in assumed and "waves" in assumed
    clear = card["dp_variant"]["unprotected_quantities"]
    assert limit in clear
    assert ("shuffler sees" in clear) == (kind == "shuffled")


def test_no_deployment_is_on_the_axis_of_a_run(job: Job):
    assert all(one.delta not in (0.0, DELTA) or one.period != "one model" for one in DEPLOYMENTS)
    picture = ET.fromstring(card_picture(job.id))
    assert all(words in "".join(picture.itertext()) for words in listed())
    assert not [line for line in picture.iter() if line.get("stroke-dasharray")]


@pytest.mark.parametrize("kind", trust.names())
def test_price_names_a_delta_only_where_the_promise_has_one(kind: str):
    experiment = experiment_of(kind, "privunit")
    promise = plan(experiment).prices.uploads((2.0, -0.1, 0.1), 1)
    bound, *_ = promise_words(experiment, promise)["words"]
    assert ("δ" in bound) == (promise.delta > 0)
    assert promise.delta == 0 or kind != "local"
