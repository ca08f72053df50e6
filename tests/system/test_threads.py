"""A run computes on one thread, whichever thread asks for it."""

from pathlib import Path

import torch

from ldp_core.datasets import get
from ldp_core.experiment import parse
from ldp_core.federated.state import State
from ldp_core.simulate import simulate
from ldp_core.system.threads import on_one_thread


def test_a_run_has_one_thread_and_its_caller_as_many_as_before():
    before, within = torch.get_num_threads(), list[int]()

    def keep(state: State) -> None:
        within.append(torch.get_num_threads())

    experiment = parse({"rounds": 2, "attack": None})
    torch.set_num_threads(2)
    try:
        for _ in simulate(experiment, get("digits").load(Path("nowhere")), keep=keep):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert within == [1, 1, 1]


def test_an_error_gives_the_threads_back():
    @on_one_thread
    def failing():
        yield torch.get_num_threads()
        raise ValueError("lost")

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        events = failing()
        assert next(events) == 1
        try:
            next(events)
        except ValueError:
            assert torch.get_num_threads() == 2
        else:
            raise AssertionError("nothing was raised")
    finally:
        torch.set_num_threads(before)
