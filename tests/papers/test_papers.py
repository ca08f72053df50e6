"""Every card and every claim: they can be read, opened and judged."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms, papers
from ldp_core.errors import UnknownName
from ldp_core.experiment import parse
from ldp_core.papers.arms import Computed, Records, Sent, Trained
from ldp_core.papers.base import Claim
from ldp_core.papers.way import way
from ldp_core.theory.relative_error import relative_errors
from tests.conftest import ROOT
from tests.extent import in_gate
from tests.papers.claims import EACH


def test_all_five_systems_have_a_card():
    assert papers.names() == ["pldp_fl", "personalized_ldp_fl", "pprd_fl", "pd_ldpfl", "optimal_ldp_fl"]
    with pytest.raises(UnknownName, match="got “pldp”"):
        papers.get("pldp")
    for name in papers.names():
        paper = papers.get(name)
        assert len({claim.id for claim in paper.claims}) == len(paper.claims)


@EACH
def test_a_claim_speaks_of_arms_that_there_are(name: str, claim: Claim):
    labels = [arm.label for arm in claim.measured]
    assert len(set(labels)) == len(labels)
    spoken = {label for statement in claim.statements for label in statement.arms}
    assert spoken | {control.arm for control in claim.controls} <= set(labels)
    assert {control.against for control in claim.controls} - {""} <= set(labels)
    assert len({arm.key(seed) for arm in claim.runs for seed in range(2)}) == 2 * len(claim.runs)
    assert {arm.key(0) for arm in claim.measured} == {arm.key(0) for arm in claim.runs}
    assert claim.seeds >= 3


@EACH
def test_every_arm_can_run_and_be_opened(name: str, claim: Claim):
    """An experiment takes milliseconds to read, and there are hundreds: each arm's is made here once."""
    trained = {arm.label: arm for arm in claim.measured if isinstance(arm, Trained)}
    made = {label: arm.experiment() for label, arm in trained.items()}
    for arm in claim.measured[: in_gate(1, None)]:  # what a seed and a work are is the same word for all
        assert arm.work()
        if isinstance(arm, Trained):
            assert arm.experiment(2).seed == 2
    for label, experiment in made.items():
        assert (experiment.attack is None) == ("attack" not in trained[label].set)
    draft = claim.draft
    assert (draft is None) == all(isinstance(arm, Computed) for arm in claim.measured)
    if draft:
        for variant, experiment in zip(draft.variants, draft.experiments(), strict=True):
            assert experiment.key == made[variant.label].key


def test_the_way_of_the_data_is_read_off_the_experiment():
    example = papers.get("pldp_fl").example
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


@pytest.mark.parametrize(
    ("settings", "there", "not_there"),
    [
        ({"system": "personalized_ldp_fl"}, "with probability 0.8", "sign"),
        ({"system": {"name": "personalized_ldp_fl", "case": "non_iid"}}, "650 signs", "averages"),
        ({"system": "pd_ldpfl"}, "its safe range", "max θ"),
        ({"system": "pd_ldpfl", "form": "as_printed"}, "scale t", "its safe range"),
        ({"system": {"name": "pd_ldpfl", "input": "none", "output": "none"}}, "1 local epoch", "keeps"),
        ({"system": "optimal_ldp_fl", "form": "as_printed"}, "75 %", "its safe range"),
    ],
)
def test_data_way_names_the_systems_own_steps(settings: dict[str, Any], there: str, not_there: str):
    steps = " | ".join(
        f"{step.does} | {step.sends}" for step in way(parse({"dataset": "digits", **settings}))
    )
    assert there in steps and not_there not in steps


def test_records_are_measured_as_the_theory_has_them():
    claim = papers.get("pldp_fl").claim("relative-error")
    assert claim
    arm = claim.read("from 0").arm("ε₂ τ₁")
    assert isinstance(arm, Records)
    epsilon, half = np.tile(np.arange(1, 11) / 10, 7), np.tile([0.1, 0.2], 35)
    expected = relative_errors(mechanisms.get("pdpm", form="as_printed"), epsilon, 0, 2 * half, seed=4)
    assert arm.measure(4) == pytest.approx(expected.mean())


def test_traffic_claim_equals_the_shares():
    claim = papers.get("pldp_fl").claim("traffic")
    assert claim
    for arm in claim.measured:
        assert isinstance(arm, Sent)
        assert arm.measure(0) == arm.measure(1) == pytest.approx(arm.share)


def test_claims_are_read_without_torch_or_scikit_learn():
    code = (
        "import sys; from ldp_core import behaviour, papers; from ldp_core.papers import verdict, stored;"
        "[papers.get(n) for n in papers.names()]; behaviour.version();"
        "print(sorted({'torch', 'sklearn', 'scipy.stats', 'streamlit', 'sqlite3'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
