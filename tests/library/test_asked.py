"""Fields by short and dotted names, and what is refused."""

from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms, trust
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import changed, parse, plan
from ldp_core.library import asked


@pytest.mark.parametrize(
    ("fields", "whole"),
    [
        ({"epsilon": 2, "rounds": 3}, {"clients": {"epsilon": 2}, "rounds": 3}),
        (
            {"mechanism": "gaussian", "delta": 1e-6, "calibration": "classical"},
            {"mechanism": {"name": "gaussian", "delta": 1e-6, "calibration": "classical"}},
        ),
        ({"low": -2, "high": 2, "count": 3}, {"clients": {"low": -2, "high": 2, "count": 3}}),
        ({"count": np.int64(2), "epsilon": np.array([1, 2])}, {"clients": {"count": 2, "epsilon": [1, 2]}}),
        (
            {"optimizer": "adam", "candidates": 5},
            {"local": {"optimizer": "adam"}, "attack": {"candidates": 5}},
        ),
        (
            {"mechanism": mechanisms.get("privunit"), "norm": 3},
            {"mechanism": {"name": "privunit", "norm": 3}},
        ),
        ({"system": "pldp_fl", "epsilon": 2}, {"system": {"name": "pldp_fl"}, "clients": {"epsilon": 2}}),
    ],
)
def test_short_names(fields: dict[str, Any], whole: dict[str, Any]):
    found = asked(None, {}, fields)
    if whole.get("system"):
        assert found.system == parse(whole).system and found.clients.epsilon == 2
    else:
        assert found == parse(whole)


def test_dotted_names_and_where_to_begin():
    base = parse({"rounds": 3, "partition": {"kind": "dirichlet"}})
    found = asked(base, {"partition.alpha": 0.2, "attack.every": 2}, {"epsilon": 4})
    assert found == parse(
        {
            "rounds": 3,
            "partition": {"kind": "dirichlet", "alpha": 0.2},
            "attack": {"every": 2},
            "clients": {"epsilon": 4},
        }
    )
    assert asked({"rounds": 3}, {}, {"clients.epsilon": 4}) == asked({"rounds": 3}, {}, {"epsilon": 4})


@pytest.mark.parametrize(
    ("settings", "fields", "words"),
    [
        (
            {},
            {"kind": "iid"},
            "partition.kind, selection.kind or trust.kind; write settings={'partition.kind': …}",
        ),
        ({}, {"rouds": 3}, "rouds is not a field here; did you mean rounds?"),
        ({}, {"scope": "run"}, "did you mean epsilon_scope?"),
        ({}, {"delta": 1e-5}, "it belongs to mechanism='dynamic_gaussian', mechanism='gaussian'"),
        ({"clients.epsilon": 3}, {"epsilon": 2}, "clients.epsilon is set twice"),
        ({}, {"epsilon": -1}, "got -1"),
        ({}, {"mechanism": mechanisms.get("pdpm", form="as_printed")}, "write form=“as_printed” beside"),
    ],
)
def test_invalid_keyword_settings_are_refused(settings: dict[str, Any], fields: dict[str, Any], words: str):
    with pytest.raises(InvalidExperiment) as refused:
        asked(None, settings, fields)
    assert words in str(refused.value)


def test_a_name_that_two_chosen_parts_have():
    with pytest.raises(InvalidExperiment, match=r"could be mechanism\.sampling or system\.sampling"):
        asked(None, {}, {"system": "personalized_ldp_fl", "sampling": 0.5})


@pytest.mark.parametrize(
    ("word", "name"),
    [
        *(("server", "central"), ("no_one", "local"), ("shuffler", "shuffled"), ("central", "central")),
        *((kind.label, kind.name) for kind in map(trust.registry.kind, trust.names())),
    ],
)
def test_trust_is_taken_by_the_word_of_the_pages(word: str, name: str):
    whole = {"target": "update", "epsilon_scope": "run", "epsilon": 2}
    found = asked(None, {}, {**whole, "trust": word})
    assert found.trust.name == name and found == asked(None, {}, {**whole, "trust": name})
    assert plan(changed(found, {"trust.kind": word})).key == plan(found).key
