"""The Flower app without Flower: its code is ours alone, its mechanisms and weights are those of ldp_core."""

import json
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, Variant, parse, parse_draft
from ldp_core.runs import carry, queue
from ldp_core.runs.carry import flower_app
from ldp_core.runs.carry.flower_app import FOLDER, SOURCE, as_flower, unfit
from ldp_core.streams import stream
from ldp_core.system.shipped import PACKAGE
from tests.data import digits

MECHANISMS = [name for name in mechanisms.offered() if not unfit(parse({"mechanism": name}))]
EVIL = '"""\nimport os\n{x}%s]\n</script>'
DRAWS, SURE, APART = 40_000, 6.0, 1e-9
"""Samples, and standard errors and the probability that chance alone exceeds: once in 500 million figures."""


@pytest.fixture
def exported(runs_dir: Path, tmp_path: Path) -> Path:
    variants = (
        Variant("mean"),
        Variant(EVIL, {"target": "update", "clients.range": 0.1, "aggregator.name": "data_weighted"}),
        Variant("majority", {"aggregator.name": "sign_majority", "mechanism.name": "ldpsign"}),
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
    monkeypatch.setitem(sys.modules, "flwr.app", SimpleNamespace(**plain, **types))
    monkeypatch.setitem(sys.modules, "flwr.clientapp.typing", SimpleNamespace(ClientAppCallable=None))
    parts = ("aggregation", "local_privacy", "mechanism", "settings", "task")
    yield SimpleNamespace(**{name: import_module(f"studio_app.{name}") for name in parts})
    for name in [name for name in sys.modules if name.partition(".")[0] == "studio_app"]:
        del sys.modules[name]


class Stored:
    def __init__(self, values: Any) -> None:
        self.values = values

    def numpy(self) -> Any:
        return self.values


def test_typed_text_is_data_in_the_flower_app(exported: Path):
    found = {file.relative_to(exported).as_posix(): file.read_bytes() for file in exported.rglob("*.*")}
    data = json.loads(found.pop(flower_app.DATA))
    assert (data["name"], data["variants"][1]["label"]) == (EVIL, EVIL)
    assert [one["label"] for one in data["left_out"]] == ["majority"]
    for name, text in found.items():
        ours = PACKAGE.parent if name.startswith("ldp_core/") else SOURCE
        assert text == (ours / name).read_bytes()
        if name.endswith(".py"):
            compile(text, name, "exec", dont_inherit=True)
    assert tomllib.loads(found["pyproject.toml"].decode())["tool"]["flwr"]["app"]["config"]["variant"] == 0
    assert "ldp_core/mechanisms/shared/law.py" in found
    assert sum(map(len, found.values())) < 9e6, "Flower sends no more than 10 MB"


def test_flower_clients_hold_their_shards_and_learn(app: SimpleNamespace):
    run = app.settings.chosen({"variant": 0})
    experiment = parse({"rounds": 2, "attack": None})
    data = digits()
    dealt = experiment.partition.split(data.train_y, 20, stream(experiment.seed, "partition"))
    for number in (0, 19):
        x, y = app.task.shard(run, number)
        assert len(y) == len(dealt[number])
        assert {*map(bytes, x)} == {bytes(one.ravel()) for one in data.train_x[dealt[number]]}
    assert np.array_equal(np.sort(app.task.held_out()[1]), np.sort(data.test_y))
    x, y = (np.concatenate(parts) for parts in zip(*(app.task.shard(run, n) for n in range(20)), strict=True))
    model = app.task.train(app.task.initial(run), x, y, run)
    assert app.task.accuracy(model) > 0.8, "of 400 orders of training, 9 ended at 90 % or below, one at 86"


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.4, 5.0])  # above, too few answers are rare ones to judge by
def test_its_noise_has_our_law(app: SimpleNamespace, name: str, epsilon: float):
    budget = app.settings.Budget(epsilon, -0.5, 1.5)
    run, law = {"mechanism": {"name": name}}, mechanisms.get(name).at(*budget)
    ours, limit = stream(0, "audit"), np.sqrt(-np.log(APART / 2) / DRAWS)
    for value in (-0.5, 0.2, 1.5, 7.0):
        values = np.full(DRAWS, value)
        answers = app.mechanism.perturb(run, values, budget)
        noise, variance = answers - float(law.mean(value)), float(law.variance(value))
        assert abs(noise.mean()) <= SURE * np.sqrt(variance / DRAWS)
        squares, rounding = noise**2, 1e-12 * (1 + variance)
        assert abs(squares.mean() - variance) <= SURE * squares.std() / np.sqrt(DRAWS) + rounding
        other = law.perturb(values, ours)
        samples = [np.sort(np.round(one, 9)) for one in (answers, other)]
        places = np.unique(samples[1])
        shares = [np.searchsorted(one, places, "right") / DRAWS for one in samples]
        assert np.abs(shares[0] - shares[1]).max() <= limit, "the distance of Kolmogorov and Smirnov"
    assert app.mechanism.worst_variance(run, budget) == float(law.max_variance)


@pytest.mark.parametrize(("byte", "end"), [(b"\xff", 1 - 2.0**-53), (b"\0", 0.0)])
def test_bits_are_the_systems_and_none_leads_out_of_the_numbers(
    app: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, byte: bytes, end: float
):
    monkeypatch.setattr(app.mechanism, "os", SimpleNamespace(urandom=lambda count: byte * count))
    assert app.mechanism.SystemBits().random(2).tolist() == [end] * 2
    budget = app.settings.Budget(2.0, -1.0, 1.0)
    for name in MECHANISMS:
        run = {"mechanism": {"name": name}}
        assert np.isfinite(app.mechanism.perturb(run, np.array([0.5]), budget)).all()


def test_a_lottery_may_draw_nobody(app: SimpleNamespace):
    run = {"aggregator": {"name": "probability_selection"}}
    drawn = [app.aggregation.weights(run, [1.0, 1.0], [1.0, 1.0]) for _ in range(60)]
    assert {float(one.sum()) for one in drawn} == {0.0, 1.0}


def test_flower_mod_sends_answers_and_budget_only(app: SimpleNamespace):
    """Whatever else the app puts into its reply stays at home, and a node's own budget comes first."""
    before, after = np.zeros(1000, np.float32), np.full(1000, 0.05, np.float32)

    def call(variant: int, **node: Any) -> dict[str, Any]:
        train = SimpleNamespace(message_type="train")
        message = SimpleNamespace(content={"arrays": {"w": Stored(before)}}, metadata=train)
        content = {"arrays": {"w": Stored(after)}, "metrics": {"num-examples": 7, "loss": 0.1}, "more": {}}
        reply = SimpleNamespace(content=content, has_error=lambda: False)
        context = SimpleNamespace(run_config={"variant": variant}, node_config=node)
        sent: dict[str, Any] = app.local_privacy.local_privacy(message, context, lambda *_: reply).content
        return sent

    sent = call(0, **{"partition-id": 3})
    assert sent["metrics"] == {"epsilon": 0.5, "low": -1.0, "high": 1.0}
    assert sent.keys() == {"arrays", "metrics"}
    answers = sent["arrays"]["w"].numpy()
    assert answers.dtype == np.float32 and not np.isin(answers, after).any()
    budget = {"epsilon": 600.0, "low": -0.02, "high": 0.02}
    own = call(1, **{"partition-id": 3}, **budget)
    assert own["metrics"] == budget | {"num-examples": 7}
    assert own["arrays"]["w"].numpy() == pytest.approx(np.full(1000, 0.02), abs=1e-6), "clipped first"
    for node, words in (
        ({}, "does not say its epsilon"),
        ({"partition-id": 99}, "does not say its epsilon"),
        ({"epsilon": -1.0, "low": -1.0, "high": 1.0}, "epsilon must be a positive, finite number"),
        ({"epsilon": 1.0, "low": 1.0, "high": 1.0}, "low must be below high"),
    ):
        with pytest.raises(ValueError, match=words):
            call(0, **node)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mechanism": {"name": "gaussian", "per": "upload"}}, "answers for a whole upload, and the app"),
        ({"mechanism": "dynamic_gaussian"}, "changes from round to round"),
        ({"mechanism": "pdpm", "form": "as_printed"}, "in the form that its paper prints"),
        ({"aggregator": "sign_majority", "mechanism": "ldpsign"}, "it votes"),
        ({"system": "pprd_fl"}, ""),
        ({"clients": {"run_limit": 100000}}, "stop at a limit of their own"),
        ({"model": {"layers": "conv 4 3, dense 5"}}, "fully connected layers with ReLU alone"),
    ],
)
def test_unsupported_flower_settings_are_named(change: dict[str, Any], words: str):
    why = unfit(parse(change))
    assert why and words in why


@pytest.mark.parametrize(
    ("model", "hidden"),
    [("logistic_regression", []), ("mlp2", [64, 32]), ({"layers": "dense 7, dense 5, dense 3"}, [7, 5, 3])],
)
def test_the_app_gets_the_units_of_each_hidden_layer(model: Any, hidden: list[int]):
    assert flower_app._settings(parse({"model": model}))["hidden"] == hidden


def test_a_job_without_such_a_variant_gets_a_sentence(runs_dir: Path):
    why = "its mechanism answers for a whole layer"
    draft = parse_draft({"mechanism": "harmony"})
    identity = queue.add("run", {"draft": draft.as_json()})
    with pytest.raises(InvalidInput, match=f"cannot be a Flower app: {why}"):
        as_flower(identity)
    assert carry.why_not(queue.get(identity)).startswith(why)
    both = Draft(draft.base, (*draft.variants, Variant("b", {"mechanism": "duchi"})))
    assert carry.why_not(queue.get(queue.add("run", {"draft": both.as_json()}))) == ""
