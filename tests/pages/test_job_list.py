"""What the list of runs says of each, so that two of them can be told apart."""

from __future__ import annotations

import pytest

from ldp_core import presets
from pages.parts.job_list import Words, in_words

DRAFT = presets.get("two_volunteers").draft


def test_a_run_says_what_it_compares_and_who_asks_for_what():
    said = in_words("run", {"draft": DRAFT.as_json(), "reference": True})
    assert said == Words(
        "Two volunteers among twenty",
        f"10 runs of {DRAFT.base.rounds} rounds",
        "Piecewise: mean, 1/σ, 1/σ²",
        "20 clients: 18 ask for ε 0.5, 2 for ε 8",
    )


@pytest.mark.parametrize("change", [{"rounds": 7}, {"mechanism.name": "duchi"}, {"clients.epsilon": 3.0}])
def test_what_was_changed_is_marked_and_shows(change: dict[str, object]):
    prepared = in_words("run", {"draft": DRAFT.as_json()})
    said = in_words("run", {"draft": DRAFT.with_base(change).as_json()})
    assert said.name == f"{prepared.name} (edited)"
    assert said[1:] != prepared[1:]


def test_a_ladder_says_what_it_attacks_and_under_which_mechanisms():
    ladder = {"upload": "audit", "mechanisms": ["duchi", {"name": "piecewise"}], "epsilons": [1.0]}
    said = in_words("attack", {"draft": DRAFT.as_json(), "ladder": ladder})
    assert said.size == "an attack on one image"
    assert said.compared == "Duchi, Piecewise"


def test_a_request_of_another_version_keeps_its_name():
    request = {"draft": {"base": {"name": "older", "a field of then": 1, "rounds": 3}, "seeds": 1}}
    assert in_words("run", request) == Words("older")
