"""`ldp_core.run`, as a program or a notebook calls it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldp_core
from ldp_core import accounting, experiment, mechanisms, trust
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import changed, parse, plan
from ldp_core.library import Result, asked
from ldp_core.limits import at_most, number
from ldp_core.runs.lockstep import drive
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def result() -> Result:
    return ldp_core.run(rounds=3, mechanism="duchi", epsilon=2)


def test_library_run_equals_the_command_line(result: Result):
    asked = {"rounds": 3, "mechanism": {"name": "duchi"}, "clients": {"epsilon": 2}}
    assert result.experiment == experiment.parse(asked)
    *_, last = drive({0: result.experiment})
    end = last.events[-1]
    assert result.events[-1] | {"seconds": 0} == end | {"seconds": 0}
    assert (result.accuracy, result.status) == (end["accuracy"], "completed")


def test_result_tables_equal_the_events(result: Result):
    rounds = [one for one in result.events if one["event"] == "round"]
    assert result.rounds.index.tolist() == [0, 1, 2, 3]
    assert result.rounds["accuracy"].tolist()[1:] == [one["accuracy"] for one in rounds]
    assert result.rounds["noise_variance"].tolist()[1:] == [one["noise_variance"] for one in rounds]
    tried = [one for one in result.events if one["event"] == "attack"]
    assert result.attacks["psnr"].tolist() == [one["psnr"] for one in tried]
    assert {"round", "client", "control", "identification_rank"} <= set(result.attacks)
    assert result.ledger == accounting.ledger(result.experiment)


def test_result_has_text_and_picture(result: Result):
    assert f"accuracy {result.accuracy:.1%}" in repr(result) and "Duchi" in repr(result)
    entry = result.ledger[0]
    for scope, words in (("coordinate", "per weight"), ("run_worst", "for the whole run at worst")):
        epsilon, delta = entry[scope]["epsilon"], entry[scope]["delta"]
        assert f"{at_most(epsilon, 4)} {words} (δ {number(delta)})" in repr(result)
    assert "<svg" in result._repr_html_()


SCRIPT = """
import json, sys
import ldp_core
lean = not {"torch", "numpy", "pydantic"} & set(sys.modules)
for part in ("mechanisms", "aggregators", "attacks", "datasets", "presets"):
    assert getattr(ldp_core, part).names()
assert ldp_core.accounting.ledger(ldp_core.experiment.parse({}))
assert set(dir(ldp_core)) >= {"run", "presets"} and not hasattr(ldp_core, "nothing")
light = not {"torch", "pandas", "sklearn"} & set(sys.modules)
assert "llvmlite" not in sys.modules  # its kernel is made when it trains
ldp_core.run(rounds=1).rounds
assert "llvmlite" in sys.modules
import torch
print(json.dumps([lean, light, torch.get_num_threads()]))
"""


def test_library_import_is_light_and_writes_no_file(tmp_path: Path):
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EPSILON_")}
    environment |= {"HOME": str(home), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "2"}
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=here, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(said.stdout) == [True, True, 2]
    assert not [*home.rglob("*"), *here.rglob("*")]


def test_measured_epsilon_is_a_table():
    found = ldp_core.run(rounds=1, epsilon=8).measured
    assert {"client", "scope", "epsilon_lower", "confidence", "trials", "most"} <= {*found.columns}
    assert ldp_core.run(rounds=1, attack=None).measured.empty


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
