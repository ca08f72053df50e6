"""Systems from outside, in a folder of parts: each by a seam of its own."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import aggregators, limits, papers, selections, systems, theory
from ldp_core.accounting import entries
from ldp_core.aggregators.base import Decision, RoundClients, SeesUploads
from ldp_core.contract import parts, promises
from ldp_core.contract.in_use import Broken
from ldp_core.cost.estimate import refuse_what_cannot_fit
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Draft, Variant, parse, plan
from ldp_core.plugins import folder
from ldp_core.runs import claims
from ldp_core.runs.carry import of_claims
from tests.cases import case
from tests.data import events, rounds
from tests.extent import in_gate

PARTS = Path(__file__).parent / "parts"
ROOMS: tuple[Any, ...] = (aggregators, selections, systems)
PEOPLE = {"count": 20, "range": 0.1, "epsilon": [1] * 18 + [50] * 2, "epsilon_scope": "upload"}
NOISY = {"mechanism": "gaussian", "target": "update", "clients": PEOPLE, "attack": None}
LIMITS = [50.0] * 7 + [150.0] * 9 + [450.0] * 4
BY_LIMIT = NOISY | {
    "clients": {"count": 20, "range": 0.05, "epsilon": 40, "epsilon_scope": "upload", "run_limit": LIMITS},
    "selection": "by_limit",
    "rounds": 20,
}


@pytest.fixture(scope="module", autouse=True)
def outside() -> Iterator[None]:
    """The program with this folder of parts."""

    def look_again() -> None:
        for room in ROOMS:
            vars(room.registry).pop("_classes", None)
        papers._found.cache_clear()
        papers.refused.clear()

    with pytest.MonkeyPatch.context() as patch:
        places = [PARTS, *(one for one in sorted(PARTS.glob("papers/*")) if one.is_dir())]
        patch.setattr(folder, "__path__", [*map(str, places)])
        look_again()
        yield
    look_again()
    for name in [one for one in sys.modules if one.startswith(f"{folder.__name__}.")]:
        del sys.modules[name]


@pytest.mark.parametrize("part", ["robust_hdp", "by_epsilon", "pfa", "by_limit", "near"])
def test_each_part_keeps_its_contract(part: str):
    for words, check in promises.promises(part):
        with case(words):
            check()


class Hides(SeesUploads):
    def decide(self, uploads: Any, clients: RoundClients) -> Decision:
        equal = np.full(len(uploads), 1 / len(uploads))
        return Decision(equal, lambda rows: np.asarray(rows)[-1])


class Median(SeesUploads):
    def decide(self, uploads: Any, clients: RoundClients) -> Decision:
        equal = np.full(len(uploads), 1 / len(uploads))
        return Decision(equal, lambda rows: np.median(rows, axis=0))


class Draws(SeesUploads):
    def decide(self, uploads: Any, clients: RoundClients) -> Decision:
        return Decision(np.random.default_rng().random(len(uploads)))


@pytest.mark.parametrize(("kind", "word"), [(Hides, "reported"), (Median, "linear"), (Draws, "otherwise")])
def test_decision_that_is_not_as_reported_is_refused(kind: type[SeesUploads], word: str):
    kind.name = kind.__name__
    with pytest.raises(Broken, match=word):
        for _, check in parts.of_aggregator(kind()):
            check()


def test_robust_hdp_finds_volunteers_and_reports_them():
    told, found = (rounds(NOISY | {"aggregator": name})[-1] for name in ("inverse_variance", "robust_hdp"))
    assert found["client_weights"]["permissive"] > 0.9
    assert found["noise_variance"] < 1.5 * told["noise_variance"]
    assert found["noise_variance_theory"] is None
    assert np.isnan(theory.client_weights(plan(parse(NOISY | {"aggregator": "robust_hdp"})))).all()


@pytest.mark.parametrize("name", ["robust_hdp", "pfa"])
def test_all_uploads_are_decided_on_at_once(name: str, monkeypatch: pytest.MonkeyPatch):
    kind: Any = aggregators.registry.kind(name)
    asked, given = NOISY | {"aggregator": name, "rounds": 2}, list[tuple[Any, Decision]]()
    decide = kind.decide

    def heard(self: SeesUploads, uploads: Any, clients: RoundClients) -> Decision:
        given.append((uploads.copy(), decide(self, uploads, clients)))
        return given[-1][1]

    monkeypatch.setattr(kind, "decide", heard)
    monkeypatch.setattr(limits, "CHUNK_BYTES", 7 * 4 * plan(parse(asked)).dimension)
    assert plan(parse(asked)).chunk == 7
    found = rounds(asked)
    assert [uploads.shape for uploads, _ in given] == [(20, 650)] * 2
    for one, (_, made) in zip(found, given, strict=True):
        strict = made.weights[:18].sum() / made.weights.sum()
        assert one["client_weights"]["strict"] == pytest.approx(strict)


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"trust": "secure_sum", "clients": PEOPLE | {"epsilon_scope": "run"}}, "aggregator"),
        ({"trust": "shuffled", "mechanism": "duchi"}, "aggregator"),
        ({"trust": "central", "clients": PEOPLE | {"epsilon_scope": "run"}}, "aggregator"),
        ({"unit": "record", "local": {"clip": 1.0, "batch_size": 1000}}, "aggregator"),
        ({"target": "class_means", "features": "dct", "mechanism": "privunit", "rounds": 1}, "aggregator"),
    ],
)
def test_aggregator_that_sees_uploads_is_refused_elsewhere(more: dict[str, Any], path: str):
    with pytest.raises(InvalidExperiment) as caught:
        parse(NOISY | {"aggregator": "robust_hdp"} | more)
    assert path in [one.path for one in caught.value.problems]


def test_uploads_that_do_not_fit_into_memory_are_refused():
    big = {
        "clients": {"count": 2000, "epsilon": 1},
        "model": {"name": "mlp", "hidden": 256},
        "dataset": "mnist",
    }
    each = (parse(big | {"aggregator": name}) for name in ("mean", "robust_hdp"))
    mean, robust = (Draft(one, (Variant("one"),)) for one in each)
    refuse_what_cannot_fit(mean)
    with pytest.raises(InvalidExperiment, match="aggregator is too large"):
        refuse_what_cannot_fit(robust)


def test_ledger_counts_each_clients_own_uploads():
    asked = plan(parse(BY_LIMIT))
    assert asked.turns.counts is not None
    drawn = asked.turns.counts
    assert len({*drawn[:7].tolist()}) == 1 and drawn[0] < drawn[7] < drawn[19]
    for client, entry in enumerate(entries(asked)):
        alone = asked.prices.uploads(asked.population.of(client), int(drawn[client]))
        assert entry.run_worst.bound == alone.bound == entry.run_expected.bound <= LIMITS[client]
        assert entry.run_expected.guarantee
    came = [len(asked.turns.chosen(number)) for number in range(1, 21)]
    assert [one["participants"] for one in rounds(BY_LIMIT)] == came


def test_noise_of_drawn_rounds_is_predicted():
    """Over 20 rounds of 650 weights, whose relative error is about 1 %."""
    measured = np.mean([one["noise_variance"] for one in rounds(BY_LIMIT)])
    assert measured == pytest.approx(theory.server_variance(parse(BY_LIMIT)), rel=0.1)


def test_selection_by_budget_is_refused_in_a_sum():
    with pytest.raises(InvalidExperiment, match="selection"):
        parse({"selection": "by_limit", "trust": "secure_sum", "clients": {"epsilon_scope": "run"}})


def test_more_rounds_than_can_be_drawn_before_are_refused():
    with pytest.raises(InvalidExperiment) as caught:
        parse({"selection": "by_limit", "rounds": 1001, "clients": {"count": 10_000, "epsilon": 1}})
    assert "rounds" in [one.path for one in caught.value.problems]


def test_term_in_the_loss_keeps_clients_near_the_model():
    def moved(**pull: float) -> float:
        begun, one = events({"system": {"name": "near", **pull}, "mechanism": "none", "rounds": 1})[:2]
        assert "no fused kernel" in begun["engine"]
        return float(one["accuracy"])

    start = events({"mechanism": "none", "rounds": 1, "attack": None})[0]["accuracy"]
    free, plain = moved(pull=0.0), rounds({"mechanism": "none", "rounds": 1, "attack": None})[0]["accuracy"]
    assert free == pytest.approx(plain, abs=0.01)
    assert abs(moved(pull=1.9) - free) > 0 and abs(moved(pull=1.9) - start) < abs(free - start)


def test_system_with_a_term_is_refused_for_a_records_promise():
    with pytest.raises(InvalidExperiment, match="system"):
        parse({"system": "near", "unit": "record", "local": {"clip": 1.0, "batch_size": 1000}})


@pytest.mark.parametrize("name", ["robust_hdp", "pfa", "idp_fedavg"])
def test_outside_paper_is_measured_judged_exported_and_rerun(name: str, runs_dir: Path, tmp_path: Path):
    assert name in papers.names() and not papers.refused
    claim, said = papers.get(name).main_claim, list[str]()
    assert claims.judged(name)[claim.id].word == "holds"
    if name not in in_gate(("idp_fedavg",), papers.names()):
        return
    for fresh in (False, True):
        claims.rerun(name, claim.id, seeds=1, fresh=fresh, into=tmp_path, say=said.append)
    runs = len({arm.key(0) for one in claim.read_each.values() for arm in one.measured})
    assert said[-1].startswith(f"{runs} of {runs} ")
    exported = json.loads(of_claims.everything()["figures.json"])
    own = {one["arm"] for one in exported if (one["paper"], one["claim"]) == (name, claim.id)}
    assert own == {arm.label for arm in claim.measured}


def test_reading_changes_its_named_arms_only():
    claim = papers.get("idp_fedavg").main_claim
    other = claim.read("ε 20 an upload")
    changed = [one.label for one in other.measured if one.set != claim.arm(one.label).set]
    assert changed == ["SAMPLE", "until the limit"]
