"""Many runs at once, whose clients are trained together, round by round."""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, TypeVar

import torch

from ldp_core.datasets import Data
from ldp_core.engines.base import choose
from ldp_core.engines.joint_training import ROWS, train_works
from ldp_core.engines.plan import Recipe
from ldp_core.errors import InvalidInput, StudioError
from ldp_core.events import Event
from ldp_core.experiment import Experiment, Plan, plan
from ldp_core.federated.federation import device_for
from ldp_core.federated.noising import JointNoising, Noised, Noising
from ldp_core.simulate import Simulation
from ldp_core.system.threads import on_one_thread

T = TypeVar("T")
W = TypeVar("W")
BYTES = 2**27
"""Largest size of the weights of all clients of the active runs, in bytes."""
SELDOM = 20_000
"""Number of new objects between two garbage collections, which take a twentieth of the time otherwise."""


def at_once(experiment: Experiment) -> int:
    """Number of such runs to train as one batch; 1 if batching gains nothing."""
    if experiment.target == "class_means":  # which trains nothing
        return 1
    own = plan(experiment)
    return max(1, min(ROWS // experiment.clients.count, _holds(own, device_for(own))))


def leaves_cores(experiment: Experiment) -> bool:
    """True if such a run hardly profits from more than one core, and uses little memory."""
    own = plan(experiment)
    device = device_for(own)
    return device.type == "cpu" and _holds(own, device) > 0


def _holds(plan: Plan, device: torch.device) -> int:
    """Number of such runs that fit into memory; 0 if clients of several runs cannot be batched."""
    experiment, source, local = plan.experiment, plan.source, plan.experiment.local
    recipe = Recipe(experiment.model, source.shape, source.classes, local.optimizer, local.learning_rate)
    joins = choose(experiment.model.batched, device, recipe).joins(experiment.model)
    return BYTES // (4 * experiment.clients.count * plan.dimension) if joins else 0


@on_one_thread
def run_many(
    experiments: Iterable[tuple[int, Experiment]], data: Mapping[str, Data], figures: bool = False
) -> Iterator[tuple[int, Event | InvalidInput]]:
    """Run all experiments, a round of each in turn, as there is room; yields events with the number of their
    run, or an InvalidInput where data cannot be partitioned. They are those of `simulate` but for the last
    bits of weights trained together. `figures` is as for `Simulation`.
    """
    with ExitStack() as after:
        after.callback(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(SELDOM)
        sized = ((number, one, 1 / at_once(one)) for number, one in experiments)
        waiting = next(sized, None)
        under_way, together = dict[int, Simulation](), JointNoising()
        share: dict[int, float] = {}  # of what may be under way together
        while waiting or under_way:
            while waiting and waiting[2] + sum(share.values()) < 1 + 1e-9:
                (number, experiment, room), waiting = waiting, next(sized, None)
                try:
                    run = Simulation(experiment, data[experiment.dataset], figures=figures)
                except InvalidInput as error:
                    yield number, error
                    continue
                under_way[number], share[number] = run, room
                yield from ((number, event) for event in run.begin())
            prepared = {number: run.prepare() for number, run in under_way.items() if not run.done}
            noised: Mapping[int, Iterable[Noised]]
            if len(prepared) == 1:  # which may be a large one, so a work at a time
                ((number, one),) = prepared.items()
                noised = {number: map(Noising.alone, under_way[number].noisings(one, one.alone()))}
            else:
                trained = _in_step({number: one.works() for number, one in prepared.items()}, train_works)
                asked = {n: under_way[n].noisings(one, trained[n]) for n, one in prepared.items()}
                noised = _in_step(asked, together.noised)
            for number, run in [*under_way.items()]:
                try:
                    if number in prepared:
                        yield from ((number, event) for event in run.finish(prepared[number], noised[number]))
                    if not run.done:
                        continue
                    yield from ((number, event) for event in run.end())
                except InvalidInput as error:
                    yield number, error
                del under_way[number], share[number]


def _in_step(
    works: Mapping[int, Iterator[W]], do: Callable[[list[W]], Iterable[T]]
) -> dict[int, Iterable[T]]:
    """Results of each run's works, one of each at a time; those of a run that diverged raise its error."""
    found: dict[int, list[T]] = {number: [] for number in works}
    failed: dict[int, Iterable[T]] = {}

    def following(number: int) -> W | None:
        try:
            return next(works[number], None)
        except StudioError as error:
            failed[number] = _raising(error)
            return None

    while wanted := {number: one for number in works if (one := following(number)) is not None}:
        for number, result in zip(wanted, do([*wanted.values()]), strict=True):
            found[number].append(result)
    return found | failed


def _raising(error: StudioError) -> Iterator[Any]:
    raise error
    yield
