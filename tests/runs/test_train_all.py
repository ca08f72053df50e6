"""What a sweep is made of: each run's final figures, equal to those of it alone, in a process or many."""

import faulthandler
import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from multiprocessing.process import BaseProcess
from typing import Any, cast

import pytest

from ldp_core.experiment import Experiment, parse, parse_draft
from ldp_core.many import leaves_cores
from ldp_core.runs import kinds
from ldp_core.runs.batch import FIRST, Figures
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.train_all import NAME, WORTH, train_all
from tests.data import events
from tests.runs.in_process import bodies, compute, queued


@pytest.fixture(autouse=True)
def _runs_are_worth_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldp_core.runs.train_all.WORTH_SECONDS", 0.0)


def assert_close(figures: Figures, expected: Mapping[str, Any]) -> None:
    assert figures.accuracy == pytest.approx(expected["accuracy"], abs=0.005)
    assert figures.loss == pytest.approx(expected["loss"], rel=1e-3)
    assert figures.noise_variance == pytest.approx(expected["noise_variance"], rel=1e-3)


def test_diverging_run_keeps_its_last_finished_round():
    loud = {"mechanism": "laplace", "target": "update", "clients": {"epsilon": 0.05, "range": 1e4}}
    wild = parse({"rounds": 4, "attack": None, **loud})
    calm, ticks = parse({"rounds": 2, "attack": None}), list[tuple[int, bool]]()
    found = dict(train_all([wild, calm], tick=lambda place, ended: ticks.append((place, ended))))
    *_, last, end = events(wild.as_json())
    assert (last["event"], end["status"], end["round"]) == ("round", "diverged", 1)
    mine = found[0]
    assert (mine.status, mine.round, mine.message) == ("diverged", 1, end["message"])
    assert_close(mine, last | end)
    assert [one for one in ticks if one[0] == 0] == [(0, False), (0, True)]
    assert found[1].status == "completed"


def test_failed_cells_do_not_stop_others():
    groups = [{"share": 0.5, "labels": None}, {"share": 0.5, "labels": [3]}]
    unfit = {"clients": {"count": 1400}, "partition": {"kind": "group_labels", "groups": groups}}
    odd: list[dict[str, Any]] = [{"local": {"learning_rate": 1e6}}, unfit, {}]
    found = dict(train_all([parse({"rounds": 1, "attack": None} | one) for one in odd]))
    assert [found[i].status for i in range(3)] == ["diverged", "failed", "completed"]
    assert found[0].message.startswith("diverged at round 1")
    assert "group 2 has 700 clients but only" in found[1].message
    assert found[1].accuracy is None


def test_first_batch_is_small(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    made = [parse({"rounds": 20, "attack": None, "seed": seed}) for seed in range(16)]
    begun = set[int]()
    next(train_all(made, tick=lambda place, ended: begun.add(place)))
    assert begun == set(range(FIRST))


EXPERIMENT = parse({"rounds": 5, "attack": None, "mechanism": "none"})
DRAFT = parse_draft(EXPERIMENT.as_json())


@pytest.mark.usefixtures("runs_dir")
def test_engines_keep_separate_results(monkeypatch: pytest.MonkeyPatch):
    def train() -> tuple[str, tuple[str, ...]]:
        job = queued(DRAFT)
        assert compute(job).status == "completed"
        return bodies(job)[-1]["weights_sha256"], job.keys

    monkeypatch.delenv("EPSILON_ENGINE", raising=False)
    usual = train()
    monkeypatch.setenv("EPSILON_ENGINE", "batched")
    assert not kinds.is_known("run", Training(DRAFT))
    other = train()
    assert other[0] != usual[0] and other[1] != usual[1], "the last bits of five rounds"
    assert train() == other
    monkeypatch.delenv("EPSILON_ENGINE")
    assert train() == usual


def made(count: int, rounds: int = 2, **more: Any) -> list[Experiment]:
    return [parse({"rounds": rounds, "seed": seed, "attack": None, **more}) for seed in range(count)]


def hands() -> list[BaseProcess]:
    return [one for one in multiprocessing.active_children() if one.name == NAME]


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPSILON_SLOT_CORES", "2")


@pytest.fixture
def unheard() -> Iterator[None]:
    """Crashes on purpose, without a traceback."""
    heard = faulthandler.is_enabled()
    faulthandler.disable()
    yield
    if heard:
        faulthandler.enable()


def test_sweep_in_processes_equals_one_process(monkeypatch: pytest.MonkeyPatch):
    rounds = 40  # so that the first ends before the last begins
    runs = made(WORTH + 3, rounds=rounds)
    recorded, others, found = Counter[tuple[int, bool]](), 0, dict[int, Any]()
    for place, figures in train_all(runs, tick=lambda place, ended: recorded.update([(place, ended)])):
        others = max(others, len(hands()))
        assert place not in found
        found[place] = figures
    assert others == 2
    assert hands() == []
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    here = {}
    for place, figures in train_all(runs):
        here[place] = figures
        assert hands() == [], "one core needs no other process"
    assert found.keys() == here.keys()
    for place, figures in found.items():
        assert (figures.status, figures.round, figures.seconds > 0) == ("completed", rounds, True)
        assert_close(figures, vars(here[place]))
        assert (recorded[place, False], recorded[place, True]) == (rounds, 1)


def test_few_or_core_filling_runs_stay_in_process():
    assert {len(hands()) for _ in train_all(made(WORTH - 1))} == {0}
    short = {"rounds": 1, "attack": None, "local": {"epochs": 1}}
    convolutions = parse({"dataset": "mnist_sample", "model": "cnn", **short})
    assert not leaves_cores(convolutions)
    mixed = [convolutions, *made(WORTH, rounds=40)]  # so that the first ends before the last begins
    there = {place: len(hands()) for place, _ in train_all(mixed)}
    assert there.keys() == set(range(WORTH + 1))
    assert (there[1], there[0]) == (2, 0), "when its turn comes, the others are gone"


@pytest.mark.usefixtures("unheard")
def test_cells_of_a_crashed_process_are_restarted():
    """At its first round, when each has far to go: who has ended is not killed while it computes."""
    crashed = list[int]()

    def crash(place: int, ended: bool) -> None:
        if not crashed:
            crashed.append(hands()[0].pid or 0)
            os.kill(crashed[0], signal.SIGSEGV)

    found = Counter(place for place, _ in train_all(made(WORTH + 3, rounds=100), tick=crash))
    assert crashed and found == Counter(range(WORTH + 3))
    assert hands() == []


def test_closed_sweep_leaves_no_process():
    going = cast("Generator[Any, None, None]", train_all(made(40, rounds=10)))
    next(going)
    assert len(hands()) == 2
    going.close()
    assert hands() == []
