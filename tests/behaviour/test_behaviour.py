"""What the program computes is what is recorded; its version is part of the keys of results."""

from typing import Any

import pytest

from ldp_core import aggregators, behaviour
from ldp_core.behaviour import VERSION, version
from ldp_core.contract.registries import REGISTRIES
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.runs.record.computations import of_run
from ldp_core.system.json_file import read_json
from tests.behaviour.table import RECORDED, asked, differing, measured, names, own, record

KNOWN = read_json(RECORDED)
RAISE = "if this is meant, raise ldp_core.behaviour.VERSION, then run python -m tests.behaviour.table"


@pytest.mark.parametrize("name", names())
def test_results_equal_the_recorded_ones(name: str):
    assert name in KNOWN["results"], "a new part: run python -m tests.behaviour.table"
    assert differing(KNOWN["results"][name], measured(name)) == [], RAISE


def test_table_covers_parts_engines_and_uploads():
    assert set(KNOWN["results"]) == set(names())
    assert KNOWN["version"] == VERSION, "run python -m tests.behaviour.table"
    assert len(RECORDED.read_text().splitlines()) <= 200
    for kind, registry in REGISTRIES.items():
        for name in own(registry):
            result = any(one == f"{kind} {name}" or one.startswith(f"{kind} {name},") for one in names())
            assert result or (kind, name) == ("attacker", "likelihood"), "tried on every audit upload"
    tried = [one for one in asked().values() if isinstance(one, Experiment)]
    assert {spy.upload for one in tried for spy in plan(one).spies} == {"audit", "real"}


def test_changed_result_is_recorded_with_a_raised_version_only():
    now: dict[str, Any] = {"a": {"weights": [1.0]}, "b": {"weights": [2.0]}}
    same = {"b": {"weights": [2.0002]}, "gone": {}}
    kept = record({"version": VERSION, "results": same}, now)
    assert kept == {"version": VERSION, "results": {"a": {"weights": [1.0]}, "b": {"weights": [2.0002]}}}
    now["b"] = {"weights": [2.1]}
    with pytest.raises(ValueError, match="b: raise"):
        record(kept, now)
    assert record(kept | {"version": VERSION - 1}, now)["results"] == now


def test_results_are_compared_as_numbers_and_words():
    assert differing({"attackers": "a", "loss": 5.0}, {"attackers": "a", "loss": 5.0005}) == []
    for now in ({"loss": 5.01}, {}, {"loss": 5.0, "noise": 1.0}):
        assert differing({"loss": 5.0}, now)  # type: ignore[arg-type]
    assert differing({"weights": [1.0, 2.0]}, {"weights": [1.0, 2.1]})


def test_version_and_plugins_are_part_of_keys(monkeypatch: pytest.MonkeyPatch):
    plain = parse({})
    before = of_run(plain).key
    kind = aggregators.registry.kind("mean")
    other = type("Other", (kind,), {"label": "other", "name": "other", "plugin": "weights-1.2"})
    monkeypatch.setitem(aggregators.registry._classes, "other", other)
    assert version(parse({"aggregator": "other"})) == f"{VERSION}+weights-1.2"
    assert (version(plain), of_run(plain).key) == (version(), before)
    assert not any("other" in name for name in names())
    monkeypatch.setattr(behaviour, "VERSION", VERSION + 1)
    assert of_run(plain).key != before
