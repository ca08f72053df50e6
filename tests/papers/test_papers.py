"""Every card and every claim: they can be read, opened and judged."""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from ldp_core import mechanisms, papers, systems
from ldp_core.experiment import amended, parse, plan
from ldp_core.mechanisms.base import Floats
from ldp_core.papers.base import Claim
from ldp_core.papers.measuring import measure
from ldp_core.papers.pldp_fl.program import relative_errors
from ldp_core.runs.lockstep import load
from ldp_core.theory.way import way
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


def test_the_way_of_the_data_is_read_off_the_experiment():
    example = papers.get("pldp_fl").base
    steps = way(parse(example))
    assert [step.who for step in steps] == ["server", "client", "client", "client", "server"]
    assert [step.kind for step in steps] == ["", "clear", "", "noised", ""]
    clean = way(parse({**example, "mechanism": "none", "form": "corrected"}))
    assert [step.kind for step in clean] == ["", "", "clear", ""]
    for form, kinds in (
        ("as_printed", ["", "clear", "", "noised", "clear", ""]),
        ("corrected", ["", "clear", "", "noised", "", ""]),
    ):
        assert [step.kind for step in way(parse({"system": "pprd_fl", "form": form}))] == kinds


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


LARGEST, CLIENTS, DELTA = 16_050, 150, 1e-5
"""Weights of paper 004's largest layer; who answers in a round, on average; the ledger's δ."""


def card(name: str, title: str) -> str:
    return papers.get(name).flaws[title]


def test_noise_and_reach_are_in_lengths_of_the_range():
    """One weight of 16 050, in the middle of a range of length 1, by any of 150 clients."""
    noise = {
        epsilon: math.sqrt(float(one.variance(0.0, epsilon, -0.5, 0.5)) / CLIENTS)
        for epsilon in (1.0, 100.0)
        for one in [mechanisms.get("harmony", dimension=LARGEST)]
    }
    assert f"{noise[1.0]:.0f} times the range's length at ε 1" in card(
        "optimal_ldp_fl", "One weight of 16 050"
    )
    assert f"and of {noise[100.0]:.0f} times however" in card("optimal_ldp_fl", "One weight of 16 050")
    reach = LARGEST / CLIENTS / 2 / math.tanh(0.5)
    assert f"{reach:.0f} times the range's length" in card("optimal_ldp_fl", "The ranges run away")


def test_shuffling_gain_is_stated_as_a_bound():
    sentence = card("optimal_ldp_fl", "Shuffling gives nothing here")
    assert "Counted exactly, 150" not in sentence
    any_mechanism = least(clones(math.exp(-1)), 1)
    of_bits, exact = least(clones(2 / (math.e + 1)), 1), max(least(counts(1, n), 1) for n in range(CLIENTS))
    assert (any_mechanism, of_bits, exact) == pytest.approx((0.439, 0.354, 0.318), abs=1e-3)
    assert f"ε 1 into {any_mechanism:.2f} at most" in sentence
    assert f"Duchi's two answers that is {of_bits:.2f} ({exact:.2f}, counted exactly)" in sentence
    assert f"ε 5 stays {max(least(counts(5, n), 5) for n in (0, CLIENTS - 1)):.2f}" in sentence


def test_clear_weights_and_own_scales_identify_clients():
    """R-PSS passes over a weight with 0.2 where 10 % go in clear, and with 0.4 where 20 % do: half are always
    chosen. Of a scale that is a tenth larger, some of 10 000 answers at weights of 0 lie beyond the other's.
    """
    sentence = card("pprd_fl", "A part goes in clear")
    assert f"{1 - 0.8**10:.3f} at 10 %, of {1 - 0.6**10:.3f} at 20 %" in sentence
    reach = 1 / math.tanh(2)
    beyond = 0.2 * reach * math.exp(mechanisms.get("piecewise").log_prob(0.95 * reach, 0.0, 8.0, -1.0, 1.0))
    assert 1e-9 < (1 - beyond) ** 10_000 < 2e-8
    assert "probability of 0.99999999 at ε 8" in card("pd_ldpfl", "The scale gives the weights away")


def least(delta: Callable[[float], float], most: float) -> float:
    return float(brentq(lambda epsilon: delta(epsilon) - DELTA, 1e-4, most))


def clones(share: float) -> Callable[[float], float]:
    """δ by ε at local ε 1: each other client answers with this probability like one of the two inputs, at
    even odds (Feldman, McMillan and Talwar 2021; e^−ε for any mechanism, 2/(e^ε + 1) for two answers).
    """
    others, ones = np.ogrid[:CLIENTS, :CLIENTS]
    weight = binom.pmf(others, CLIENTS - 1, share) * binom.pmf(ones, others, 0.5)
    right = math.e / (math.e + 1)
    first, second = np.zeros((2, CLIENTS, CLIENTS + 1))
    for end, chance in ((1, right), (0, 1 - right)):
        first[:, end : end + CLIENTS] += weight * chance
        second[:, 1 - end : 1 - end + CLIENTS] += weight * chance
    return lambda epsilon: hockey_stick(first, second, epsilon)


def counts(local: float, ones: int) -> Callable[[float], float]:
    """The same, counted: how many of 150 answers are the upper one, where so many others lie at that end."""
    right = 1 / (1 + math.exp(-local))
    rest = np.convolve(
        binom.pmf(np.arange(ones + 1), ones, right),
        binom.pmf(np.arange(CLIENTS - ones), CLIENTS - 1 - ones, 1 - right),
    )
    up, down = np.convolve(rest, [1 - right, right]), np.convolve(rest, [right, 1 - right])
    return lambda epsilon: max(hockey_stick(up, down, epsilon), hockey_stick(down, up, epsilon))


def hockey_stick(first: Floats, second: Floats, epsilon: float) -> float:
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


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
