"""Every card and every claim: they can be read, opened and judged."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms, papers, systems
from ldp_core.experiment import amended, plan
from ldp_core.papers.base import Claim
from ldp_core.papers.measuring import measure
from ldp_core.papers.pldp_fl.program import relative_errors
from ldp_core.runs.lockstep import load
from tests.conftest import ROOT
from tests.papers.claims import EACH


@EACH
def test_arms_of_a_claim_have_keys_of_their_own(name: str, claim: Claim):
    assert len({arm.key(seed) for arm in claim.measured for seed in range(2)}) == 2 * len(claim.measured)


@EACH
def test_every_arm_can_run_and_be_opened(name: str, claim: Claim):
    """An experiment takes milliseconds to read, and there are hundreds: each arm's is made here once."""
    made = {arm.label: arm.tried for arm in claim.measured}
    assert claim.measured[0].work() and claim.measured[0].experiment(2).seed == 2
    for arm in claim.measured:
        assert (made[arm.label].attack is None) == ("attack" not in arm.set)
    draft = claim.draft
    assert (draft is None) == all(arm.named for arm in claim.measured)
    if draft:
        for variant, experiment in zip(draft.variants, draft.experiments(), strict=True):
            assert plan(experiment).key == plan(made[variant.label]).key


def test_records_are_measured_as_the_theory_has_them():
    claim = papers.get("pldp_fl").claim("relative-error")
    assert claim
    epsilon, half = np.tile(np.arange(1, 11) / 10, 7), np.tile([0.1, 0.2], 35)
    printed = mechanisms.get("pdpm", form="as_printed")
    for label, low, high in (("ε₂ τ₁, from 0", 0 * half, 2 * half), ("ε₂ τ₁", 1 - half, 1 + half)):
        (found,) = measure([(claim.arm(label), 4)], load)
        assert found.value == pytest.approx(relative_errors(printed, epsilon, low, high, seed=4).mean())


def test_claims_are_read_without_torch_or_scikit_learn():
    code = (
        "import sys; from ldp_core import behaviour, papers; from ldp_core.papers import verdict, stored;"
        "[papers.get(n) for n in papers.names()]; behaviour.version();"
        "print(sorted({'torch', 'sklearn', 'scipy.stats', 'streamlit', 'sqlite3'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


TEXTS = os.environ.get("PAPERS_DIR", "")
"""Where the five papers' texts lie, as 000-….txt to 004-….txt: the gate sets it."""
OWN = ("dlg-digits", "images-mnist")
"""Of these the paper has words and no figures: “exactly”, “never”; their notes say so."""


def numbers(text: str) -> set[float]:
    return {float(one) for one in re.findall(r"\d+(?:\.\d+)?", text)}


@EACH
def test_each_printed_figure_stands_in_a_quotation(name: str, claim: Claim):
    if claim.id in OWN:
        assert claim.note
        return
    assert claim.quotes
    quoted = set().union(*(numbers(quote.text) for quote in claim.quotes))
    printed = {one.paper for one in claim.statements} - {None, 0.0}
    if claim.id.startswith("modes"):  # “similar” is the difference of the two best figures
        printed = {one.paper for one in claim.statements if one.of}
    assert printed | {*claim.paper.values()} <= quoted, "no gain is no figure"


HEADING = re.compile(r"^#*\s*(\d+\.\d+(?:\.\d+)?)\.? ")


@pytest.mark.skipif(not TEXTS, reason="PAPERS_DIR does not say where the papers' texts are")
@pytest.mark.parametrize("name", papers.names())
def test_quotations_match_the_named_section(name: str):
    paper = papers.get(name)
    (file,) = Path(TEXTS).glob(f"{paper.order:03}-*.txt")
    text, heads = "", [(0, "")]
    for line in file.read_text().splitlines():
        if found := HEADING.match(line):
            heads.append((len(text), found[1]))
        text += "".join(line.split())
    quotes = {quote for claim in paper.claims for quote in claim.quotes}
    assert quotes
    for quote in quotes:
        at = text.find("".join(quote.text.split()))
        assert at >= 0, quote
        if quote.where.startswith("section"):
            assert quote.where == f"section {[head for start, head in heads if start <= at][-1]}", quote


@pytest.mark.skipif(not TEXTS, reason="PAPERS_DIR does not say where the papers' texts are")
@pytest.mark.parametrize("name", papers.names())
def test_words_in_quotation_marks_are_the_papers(name: str):
    (file,) = Path(TEXTS).glob(f"{papers.get(name).order:03}-*.txt")
    text = "".join(file.read_text().split()).lower()
    paper, system = papers.get(name), systems.registry.kind(name)
    flaws = (f"{title} {text}" for title, text in paper.flaws.items())
    claims = (text for one in paper.claims for text in (one.note, *(each.says for each in one.readings)))
    said = " ".join([*system.readings, *system.altered, *flaws, *claims])
    quoted = re.findall("“([^”]+)”", said)
    assert quoted
    assert [words for words in quoted if "".join(words.split()).lower() not in text] == []


PRINTED = """
pldp_fl | local.epochs=5 local.batch_size=20 local.learning_rate=0.01 local.optimizer=sgd
pldp_fl | mechanism.name=pdpm target=weights aggregator.name=mean rounds=50
pldp_fl | clients.count=100 clients.epsilon=eps2 clients.range=tau1 selection.fraction=0.7
personalized_ldp_fl | system.start=zero mechanism.calibration=paper001 mechanism.sampling=0.8
personalized_ldp_fl | local.optimizer=optimal local.batch_size=50 clients.range=200.0
personalized_ldp_fl | clients.count=3 rounds=10 mechanism.delta=0.002
personalized_ldp_fl dataset=fashion_mnist | mechanism.sampling=0.9 system.images=paper
personalized_ldp_fl system.case=non_iid | mechanism.name=ldpsign clients.range=4.0
pprd_fl | local.optimizer=adam local.learning_rate=0.001 local.epochs=3 rounds=10
pprd_fl | aggregator.name=data_weighted mechanism.name=dynamic_gaussian mechanism.a=75.0
pd_ldpfl | aggregator.name=data_weighted mechanism.name=piecewise target=weights
pd_ldpfl | system.input=affine system.output=affine system.a=1.0 system.b=0.0
pd_ldpfl | clients.epsilon=8.0 local.learning_rate=0.05 rounds=50 partition.alpha=1.0
optimal_ldp_fl | mechanism.name=harmony selection.least=0.5 clients.count=200
"""


@pytest.mark.parametrize("row", PRINTED.strip().splitlines())
def test_system_sets_its_papers_printed_values(row: str):
    asked, wanted = row.split(" | ")
    name, *changes = asked.split()
    given = dict(one.split("=") for one in changes)
    found = amended({"system": {"name": name}, "form": "as_printed"}, given).as_json()
    values = dict(one.split("=") for one in wanted.split())
    assert {path: _at(found, path) for path in values} == values


def _at(found: Any, path: str) -> str:
    for name in path.split("."):
        found = found[name]
    return found if isinstance(found, str) else json.dumps(found)


def test_scaled_variance_follows_theorem_1_of_pd_ldpfl():
    m, v, half = 0.3, 0.2, 2.718281828459045**4
    printed = v**2 / (half - 1) + m**2 * (half + 3) / (3 * (half - 1) ** 2)
    assert float(mechanisms.get("piecewise").variance(v, 8.0, -m, m)) == pytest.approx(printed)
