"""What the program computes is what is recorded, and only what is computed changes its version."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ldp_core import aggregators, behaviour
from ldp_core.behaviour import RECORDED, __main__, own, parts_of, plugged, version
from ldp_core.behaviour.figures import asked, differing, measured, names
from ldp_core.contract.registries import REGISTRIES
from ldp_core.engines.choice import choice_for
from ldp_core.experiment import Experiment, parse
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.experiment.threat_model import spies
from ldp_core.system.json_file import read_json

KNOWN = read_json(RECORDED)
RECORD = "if this is as it should be, run python -m ldp_core.behaviour --record"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    monkeypatch.delenv("EPSILON_ENGINE", raising=False)


@pytest.mark.parametrize("name", names())
def test_computed_figures_equal_recorded_ones(name: str):
    assert name in KNOWN, RECORD
    assert differing(KNOWN[name], measured(name)) == [], RECORD


def test_record_covers_parts_engines_and_attacks():
    runs = asked()
    assert set(KNOWN) == set(names()), RECORD
    for kind, registry in REGISTRIES.items():
        for name in own(registry):
            result = any(one == f"{kind} {name}" or one.startswith(f"{kind} {name},") for one in names())
            assert result or (kind, name) == ("attacker", "likelihood"), (
                "which is tried on every audit upload"
            )
    tried = [one for one in runs.values() if isinstance(one, Experiment)]
    assert {choice_for(one).kind for one in tried} == {"batched", "fused"}
    assert {spy.upload for one in tried for spy in spies(one)} == {"audit", "real"}


def test_unchanged_figures_keep_their_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    now = {"a": {"weights": 1.0}, "b": {"weights": 2.0}}
    file = tmp_path / "recorded.json"
    file.write_text('{"b": {"weights": 2.0002}, "c": {"weights": 3.0}}')
    monkeypatch.setattr(__main__, "RECORDED", file)
    monkeypatch.setattr(__main__, "names", lambda: [*now])
    monkeypatch.setattr(__main__, "measured", lambda name: dict(now[name]))
    __main__.record()
    assert read_json(file) == {"a": {"weights": 1.0}, "b": {"weights": 2.0002}}
    assert capsys.readouterr().out == "a: new\nc: gone\n"
    now["b"]["weights"] = 2.1
    __main__.record()
    assert read_json(file) == now
    assert capsys.readouterr().out == "b: weights was 2.0002 and is 2.1\n"


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, Any], None]]:
    known = dict(KNOWN)
    monkeypatch.setattr(behaviour, "_recorded", lambda: known)

    def change(name: str, figures: Any) -> None:
        known[name] = figures
        behaviour._version.cache_clear()

    yield change
    behaviour._version.cache_clear()


def test_version_changes_with_used_parts_only(changes: Callable[[str, Any], None]):
    plain, clean = parse({}), parse({"attack": None})
    ladder, duchi = parse_ladder({}), parse({"mechanism": "duchi", "attack": None})
    paper = parse({"system": "pprd_fl", "attack": None})
    tried: list[Experiment | Ladder] = [plain, clean, ladder, duchi, paper]

    def after(name: str, figures: Any) -> list[bool]:
        before = [version(one) for one in tried]
        changes(name, figures)
        return [one != version(run) for one, run in zip(before, tried, strict=True)]

    assert all(len(version(one)) == 8 for one in tried)
    every = version()
    assert after("mechanism newcomer, corrected", {"weights 1": 1.0}) == [False] * 5
    assert after("mechanism duchi, as_printed", {"weights 1": 1.0}) == [False, False, True, True, False]
    assert after("attacker posterior", {"weights 1": 1.0}) == [True, False, True, False, False]
    assert after("system pprd_fl, rest noised, corrected", {}) == [False] * 4 + [True]
    assert after("ladder audit", {}) == [False, False, True, False, False]
    assert after("setting update", {}) == [True] * 5
    assert after("dataset digits", {}) == [True, True, True, True, False] and version() != every


def test_figures_are_compared_as_numbers_and_words():
    assert differing({"status": "completed", "loss": 5.0}, {"status": "completed", "loss": 5.0005}) == []
    assert differing({"status": "completed"}, {"status": "diverged"})
    assert differing({"loss": 5.0}, {"loss": 5.01}) and differing({"loss": 5.0}, {})
    assert not differing({"end accuracy": 0.9}, {"end accuracy": 0.9028}), "one of 360"
    assert differing({"end accuracy": 0.9}, {"end accuracy": 0.92})


def test_a_part_from_outside_adds_its_version(monkeypatch: pytest.MonkeyPatch):
    mean = parse({})
    before, whole = version(mean), version()
    kind = aggregators.registry.kind("mean")
    other = type("Other", (kind,), {"label": "other", "name": "other", "plugin": "weights-1.2"})
    monkeypatch.setitem(aggregators.registry._classes, "other", other)
    assert plugged(parts_of(mean)) == [] and "other" not in own(aggregators.registry)
    assert plugged({("aggregator", "other"), ("aggregator", "mean")}) == ["weights-1.2"]
    assert version(parse({"aggregator": "other"})).endswith("+weights-1.2")
    assert (version(mean), version()) == (before, whole), "what names none of its parts stays as it is"
    assert not any("other" in name for name in names())
