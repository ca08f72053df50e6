"""Runs shared by processes: each trained once, to the figures that it has here, whatever becomes of them."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from multiprocessing.process import BaseProcess
from typing import Any, cast

import pytest

from ldp_core.experiment import Experiment, parse
from ldp_core.many import leaves_cores
from ldp_core.runs.train_all import NAME, WORTH, train_all

ROUNDS = 2


def made(count: int, rounds: int = ROUNDS, **more: Any) -> list[Experiment]:
    return [parse({"rounds": rounds, "seed": seed, "attack": None, **more}) for seed in range(count)]


def hands() -> list[BaseProcess]:
    return [one for one in multiprocessing.active_children() if one.name == NAME]


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPSILON_CORES", "2")


@pytest.fixture
def unheard() -> Iterator[None]:
    """Crashes that are meant: nobody need read where."""
    heard = faulthandler.is_enabled()
    faulthandler.disable()
    yield
    if heard:
        faulthandler.enable()


def test_each_has_the_figures_that_it_has_in_one_process(monkeypatch: pytest.MonkeyPatch):
    rounds = 40  # so that the first is told before the last has begun
    runs = made(WORTH + 3, rounds=rounds)
    told, others, found = Counter[tuple[int, bool]](), 0, dict[int, Any]()
    for place, figures in train_all(runs, tick=lambda place, ended: told.update([(place, ended)])):
        others = max(others, len(hands()))
        assert place not in found
        found[place] = figures
    assert others == 2
    assert hands() == []
    monkeypatch.setenv("EPSILON_CORES", "1")
    here = {}
    for place, figures in train_all(runs):
        here[place] = figures
        assert hands() == [], "one core needs no other process"
    assert found.keys() == here.keys()
    for place, figures in found.items():
        assert (figures.status, figures.round) == ("completed", rounds)
        assert figures.accuracy == pytest.approx(here[place].accuracy, abs=0.005)
        assert figures.loss == pytest.approx(here[place].loss, rel=1e-3)
        assert told[place, False] == rounds
        assert told[place, True] == 1


def test_few_are_trained_here_and_so_is_what_fills_all_cores_by_itself():
    assert {len(hands()) for _ in train_all(made(WORTH - 1))} == {0}
    convolutions = parse(
        {"dataset": "mnist_sample", "model": "cnn", "rounds": 1, "attack": None, "local": {"epochs": 1}}
    )
    assert not leaves_cores(convolutions)
    mixed = [convolutions, *made(WORTH, rounds=40)]  # so that the first is told before the last has begun
    there = {place: len(hands()) for place, _ in train_all(mixed)}
    assert there.keys() == set(range(WORTH + 1))
    assert there[1] == 2
    assert there[0] == 0, "when its turn comes, the others are gone"


@pytest.mark.usefixtures("unheard")
def test_what_one_had_taken_that_crashed_is_begun_once_more():
    found = Counter[int]()
    for number, (place, _) in enumerate(train_all(made(40, rounds=10))):
        found[place] += 1
        if number == 0:
            os.kill(hands()[0].pid or 0, signal.SIGSEGV)
    assert found == Counter(range(40))
    assert hands() == []


def test_whoever_stops_leaves_no_process():
    going = cast("Generator[Any, None, None]", train_all(made(40, rounds=10)))
    next(going)
    assert len(hands()) == 2
    going.close()
    assert hands() == []
