"""Every card and every claim: they can be read, opened and judged."""

import subprocess
import sys

import numpy as np
import pytest

from ldp_core import mechanisms, papers
from ldp_core.experiment import parse, plan
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
