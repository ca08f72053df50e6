"""At most thirty words, each with one meaning."""

import re
from typing import Any

import pytest
import torch

from ldp_core.errors import Problem, StorageFailed
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import assemble, untrained
from ldp_core.federated.round import one_round
from pages.parts.systems.unlike import flat
from pages.parts.ui.meanings import error_in_words, problem_in_words
from tests.conftest import ROOT
from tests.data import digits
from tests.pages.conftest import drawn


@pytest.mark.parametrize(
    ("changes", "as_far"),
    [
        ({}, False),
        ({"mechanism": {"name": "privunit", "norm": 5.0}}, False),
        ({"form": "as_printed"}, True),
        ({"target": "update"}, True),
    ],
)
def test_model_moves_at_most_by_the_noise_variance(changes: dict[str, Any], as_far: bool):
    """An outsider found 26 stated where the model moved by 1.4: the corrected form had brought it back."""
    ready = assemble(plan(parse({"clients": {"epsilon": 0.1}} | changes)), digits(), torch.device("cpu"))
    one = one_round(ready, untrained(ready))
    moved = float(((one.weights - one.unnoised).double() ** 2).mean())
    assert moved == pytest.approx(one.noise_variance, rel=1e-4) if as_far else moved < one.noise_variance / 2


def test_a_mistake_is_stated_by_the_pages_word_for_its_field():
    for path, words in (
        ("clients.count", "clients"),
        ("base.clients.epsilon", "budgets"),
        ("partition.kind", "how it is split"),
        ("local.learning_rate", "learning rate"),
        ("", ""),
        ("line 2, run_limit", "line 2, run_limit"),
    ):
        assert problem_in_words(Problem(path, "must be 1")) == f"{words} must be 1".strip()
    for path in flat(parse({"system": "pldp_fl"}).as_json()):
        assert not re.search(r"[._]", problem_in_words(Problem(path, "is wrong"))), path
    scope = problem_in_words(Problem("clients.epsilon_scope", "must be run with a sum; got mechanism"))
    assert scope == "one ε covers must be a person's whole run with a sum; got one weight"
    message = "must be 1 for sign_majority; set system.sampling and local.epochs; got “a_b.csv” of table:x_y"
    said = problem_in_words(Problem("rounds", message))
    assert "sampling of the system and local epochs" in said and "“a_b.csv” of table:x_y" in said
    assert not re.search(r"[a-z][._][a-z]", said.replace("“a_b.csv” of table:x_y", ""))
    assert error_in_words(StorageFailed("no room")) == "no room"


def refused() -> None:
    from ldp_core.errors import InvalidExperiment, Problem
    from pages.parts.ui.job_actions import refusal, refusing
    from pages.parts.ui.polling import guarded

    error = InvalidExperiment([Problem("clients.run_limit", "must be 1 or more")])

    @guarded
    def draw() -> None:
        raise error

    with refusing():
        raise error
    refusal()
    draw()


def test_refusals_use_the_pages_field_names():
    app = drawn(refused)
    words = "limits of a run must be 1 or more"
    assert [one.value for one in app.error] == [words, f"This cannot be shown now: {words}."]
    for file in (ROOT / "pages").rglob("*.py"):
        output = re.findall(r"str\((?:error|problem)\)|\{(?:error|problem)[!:}]", file.read_text())
        assert not output or file.name == "meanings.py", f"{file}: `error_in_words` has the page's words"
