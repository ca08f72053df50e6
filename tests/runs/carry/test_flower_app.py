"""The Flower app without Flower: its code is ours alone, its mechanisms and weights are those of ldp_core."""

from __future__ import annotations

import io
import json
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

from ldp_core import aggregators, datasets, mechanisms
from ldp_core.datasets import data_dir
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import carry, queue
from ldp_core.runs.carry import flower_app
from ldp_core.runs.carry.flower_app import AGGREGATORS, FOLDER, MECHANISMS, SOURCE, as_flower, unfit
from ldp_core.streams import stream

EVIL = '"""\nimport os\n{x}%s]\n</script>'
DRAWS = 40_000
SURE = 6.0
"""Standard errors: chance alone exceeds that once in 500 million figures, of which there are some 200."""
APART = 1e-9
"""How seldom two samples of one law are as far apart as they may be."""


@pytest.fixture
def exported(runs_dir: Path, tmp_path: Path) -> Path:
    variants = (
        Variant("mean"),
        Variant(EVIL, {"target": "update", "clients.range": 0.1, "aggregator.name": "data_weighted"}),
        Variant("lottery", {"aggregator.name": "probability_selection"}),
    )
    draft = Draft(parse({"rounds": 2, "name": EVIL, "attack": None}), variants)
    identity = queue.add("run", {"draft": draft.as_json()})
    carry.written(identity, tmp_path / "app.flower.zip")
    with ZipFile(tmp_path / "app.flower.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path / FOLDER


@pytest.fixture
def app(exported: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The parts of it that need no Flower, and the mod with a Flower of its own size."""
    monkeypatch.syspath_prepend(exported)
    plain = {"ArrayRecord": dict, "MetricRecord": dict, "RecordDict": dict, "Array": Stored}
    types = {"MessageType": SimpleNamespace(TRAIN="train"), "Context": None, "Message": None}
    for name, content in (
        ("flwr", {}),
        ("flwr.app", plain | types),
        ("flwr.clientapp", {}),
        ("flwr.clientapp.typing", {"ClientAppCallable": None}),
    ):
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    from studio_app import local_privacy, settings, task  # type: ignore[import-not-found]

    yield SimpleNamespace(mod=local_privacy.local_privacy, settings=settings, task=task)
    for name in [name for name in sys.modules if name.partition(".")[0] == "studio_app"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def parts() -> SimpleNamespace:
    """Those that stand alone."""

    def loaded(name: str) -> ModuleType:
        spec = spec_from_file_location(f"flower_{name}", SOURCE / "studio_app" / f"{name}.py")
        assert spec
        assert spec.loader
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return SimpleNamespace(mechanism=loaded("mechanism"), aggregation=loaded("aggregation"))


class Stored:
    def __init__(self, values: Any) -> None:
        self.values = values

    def numpy(self) -> Any:
        return self.values


def test_what_people_typed_is_data_and_all_code_is_ours(exported: Path):
    found = {file.relative_to(exported).as_posix(): file.read_bytes() for file in exported.rglob("*.*")}
    data = json.loads(found.pop(flower_app.DATA))
    assert (data["name"], data["variants"][1]["label"]) == (EVIL, EVIL)
    assert [one["label"] for one in data["left_out"]] == ["lottery"]
    for name, text in found.items():
        assert text == (SOURCE / name).read_bytes()
        if name.endswith(".py"):
            compile(text, name, "exec", dont_inherit=True)
    assert tomllib.loads(found["pyproject.toml"].decode())["tool"]["flwr"]["app"]["config"]["variant"] == 0


def test_clients_hold_what_they_held_and_learn(app: SimpleNamespace):
    run = app.settings.chosen({"variant": 0})
    experiment = parse({"rounds": 2, "attack": None})
    data = datasets.get("digits").load(data_dir())
    dealt = experiment.partition.split(data.train_y, 20, stream(experiment.seed, "partition"))
    for number in (0, 19):
        x, y = app.task.shard(run, number)
        rows = np.sort(dealt[number])
        assert len(y) == len(rows)
        assert {*map(bytes, x)} == {bytes(one.ravel()) for one in data.train_x[rows]}
    assert np.array_equal(np.sort(app.task.held_out()[1]), np.sort(data.test_y))
    x, y = (np.concatenate(parts) for parts in zip(*(app.task.shard(run, n) for n in range(20)), strict=True))
    model = app.task.train(app.task.initial(run), x, y, run)
    assert app.task.accuracy(model) > 0.9


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.4, 2.0, 5.0])  # above, too few answers are rare ones to judge by
def test_its_noise_has_our_law(parts: SimpleNamespace, name: str, epsilon: float):
    made, low, high = mechanisms.get(name), -0.5, 1.5
    ours, limit = stream(0, "audit"), np.sqrt(-np.log(APART / 2) / DRAWS)
    for value in (-0.5, 0.2, 1.5, 7.0):
        values = np.full(DRAWS, value)
        answers = parts.mechanism.perturb(name, values, epsilon, low, high)
        noise, variance = answers - np.clip(value, low, high), float(made.variance(value, epsilon, low, high))
        assert abs(noise.mean()) <= SURE * np.sqrt(variance / DRAWS)
        squares, rounding = noise**2, 1e-12 * (1 + variance)
        assert abs(squares.mean() - variance) <= SURE * squares.std() / np.sqrt(DRAWS) + rounding
        other = made.perturb(values, epsilon, low, high, ours)
        samples = [np.sort(np.round(one, 9)) for one in (answers, other)]
        places = np.unique(samples[1])
        shares = [np.searchsorted(one, places, "right") / DRAWS for one in samples]
        assert np.abs(shares[0] - shares[1]).max() <= limit, "the distance of Kolmogorov and Smirnov"
    assert parts.mechanism.worst_variance(name, epsilon, low, high) == pytest.approx(
        float(made.at(epsilon, low, high).max_variance), rel=1e-12
    )
    assert parts.mechanism.MECHANISMS == MECHANISMS


@pytest.mark.parametrize(("byte", "end"), [(b"\xff", 1 - 2.0**-53), (b"\0", 0.0)])
def test_bits_are_the_systems_and_none_leads_out_of_the_numbers(
    parts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, byte: bytes, end: float
):
    monkeypatch.setattr(parts.mechanism, "os", SimpleNamespace(urandom=lambda count: byte * count))
    assert parts.mechanism.uniforms(2).tolist() == [end] * 2
    for name in MECHANISMS:
        assert np.isfinite(parts.mechanism.perturb(name, np.array([0.5]), 2.0, -1.0, 1.0)).all()


@pytest.mark.parametrize("name", AGGREGATORS)
def test_its_server_weighs_as_ours(parts: SimpleNamespace, name: str):
    variances, sizes = [4.0, 1.0, 0.25, 9.0], [10.0, 20.0, 5.0, 5.0]
    for noise in (variances, [0.0, 1.0, 0.0, 2.0]):
        for between in (0.0, 0.5):
            told = parts.aggregation.weights(name, noise, sizes, between)
            assert told == pytest.approx(aggregators.get(name).weights(noise, sizes, between), rel=1e-12)
    assert parts.aggregation.AGGREGATORS == AGGREGATORS


def test_the_mod_sends_answers_and_the_public_budget_and_no_more(app: SimpleNamespace):
    """Whatever else the app puts into its reply stays at home, and a node's own budget comes first."""
    before, after = np.zeros(1000, np.float32), np.full(1000, 0.05, np.float32)

    def call(variant: int, **node: Any) -> dict[str, Any]:
        message = SimpleNamespace(
            content={"arrays": {"w": Stored(before)}}, metadata=SimpleNamespace(message_type="train")
        )
        content = {"arrays": {"w": Stored(after)}, "metrics": {"num-examples": 7, "loss": 0.1}, "more": {}}
        reply = SimpleNamespace(content=content, has_error=lambda: False)
        context = SimpleNamespace(run_config={"variant": variant}, node_config=node)
        sent: dict[str, Any] = app.mod(message, context, lambda *_: reply).content
        return sent

    sent = call(0, **{"partition-id": 3})
    assert sent["metrics"] == {"epsilon": 0.5, "low": -1.0, "high": 1.0}
    assert sent.keys() == {"arrays", "metrics"}
    answers = sent["arrays"]["w"].numpy()
    assert answers.dtype == np.float32
    assert not np.isin(answers, after).any()
    own = call(1, **{"partition-id": 3, "epsilon": 600.0, "low": -0.02, "high": 0.02})
    assert own["metrics"] == {"epsilon": 600.0, "low": -0.02, "high": 0.02, "num-examples": 7}
    assert own["arrays"]["w"].numpy() == pytest.approx(np.full(1000, 0.02), abs=1e-6), "clipped first"
    for node, words in (
        ({}, "does not say its epsilon"),
        ({"partition-id": 99}, "does not say its epsilon"),
        ({"epsilon": -1.0, "low": -1.0, "high": 1.0}, "epsilon must be a positive number; got -1.0"),
        ({"epsilon": 1.0, "low": 1.0, "high": 1.0}, "low must be below high"),
    ):
        with pytest.raises(ValueError, match=words):
            call(0, **node)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mechanism": "gaussian"}, "its mechanism is “gaussian”, and the app knows none, laplace"),
        ({"mechanism": "pdpm", "form": "as_printed"}, "in the form that its paper prints"),
        ({"aggregator": "sign_majority", "mechanism": "ldpsign"}, "its mechanism is “ldpsign”"),
        ({"local": {"optimizer": "adam"}}, "its optimizer is “adam”"),
        ({"system": "pprd_fl"}, ""),
        ({"dataset": "mnist"}, "its dataset is “mnist”"),
        ({"clients": {"run_limit": 100000}}, "stop at a limit of their own"),
        ({"selection": "once"}, "its selection is “once”"),
    ],
)
def test_what_the_app_cannot_do_is_said(change: dict[str, Any], words: str):
    why = unfit(parse(change))
    assert why
    assert words in why


def test_a_job_without_such_a_variant_gets_a_sentence(runs_dir: Path):
    draft = Draft(parse({"mechanism": "gaussian"}), (Variant("run"),))
    identity = queue.add("run", {"draft": draft.as_json()})
    with pytest.raises(InvalidInput, match="cannot be a Flower app: its mechanism is “gaussian”"):
        as_flower(identity)
    assert carry.why_not(queue.get(identity)).startswith("its mechanism is “gaussian”")
    both = Draft(draft.base, (*draft.variants, Variant("b", {"mechanism": "duchi"})))
    assert carry.why_not(queue.get(queue.add("run", {"draft": both.as_json()}))) == ""


def test_it_is_no_export_that_could_be_brought_back(exported: Path):
    with pytest.raises(InvalidInput, match=r"has no job\.json"):
        carry.bring_back(io.BytesIO((exported.parent / "app.flower.zip").read_bytes()))
