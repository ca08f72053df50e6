"""Many runs at once, whose clients are trained together, round by round."""

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack

import torch

from ldp_core.datasets import Data
from ldp_core.engines.base import choose
from ldp_core.engines.joint_training import ROWS, train_works
from ldp_core.engines.recipe import Recipe
from ldp_core.errors import InvalidInput, StudioError
from ldp_core.events import Event
from ldp_core.experiment import Experiment
from ldp_core.federated.federation import choose_device
from ldp_core.federated.noising import Noised, Noising, Together
from ldp_core.federated.round import Round
from ldp_core.simulate import Run
from ldp_core.system.threads import on_one_thread

BYTES = 2**27
"""Largest size of the weights of all clients of the active runs, in bytes."""
SELDOM = 20_000
"""Number of new objects between two garbage collections, which take a twentieth of the time otherwise."""


def at_once(experiment: Experiment) -> int:
    """Number of such runs to train as one batch; 1 if batching gains nothing."""
    if experiment.target == "class_means":  # which trains nothing
        return 1
    return max(1, min(ROWS // experiment.clients.count, _holds(experiment, choose_device())))


def leaves_cores(experiment: Experiment) -> bool:
    """True if such a run hardly profits from more than one core, and uses little memory."""
    device = choose_device()
    return device.type == "cpu" and _holds(experiment, device) > 0


def _holds(experiment: Experiment, device: torch.device) -> int:
    """Number of such runs that fit into memory; 0 if clients of several runs cannot be batched."""
    source, local = experiment.source, experiment.local
    recipe = Recipe(experiment.model, source.shape, source.classes, local.optimizer, local.learning_rate)
    joins = choose(experiment.model.batched, device, recipe).joins(experiment.model)
    return BYTES // (4 * experiment.clients.count * experiment.dimension) if joins else 0


@on_one_thread
def run_many(
    experiments: Iterable[tuple[int, Experiment]], data: Mapping[str, Data], figures: bool = False
) -> Iterator[tuple[int, Event | InvalidInput]]:
    """Run all experiments, a round of each in turn, as there is room; yields events with the number of their
    run, or an InvalidInput where data cannot be partitioned. They are those of `simulate` but for the last
    bits of weights trained together. `figures` is as for `Run`.
    """
    with ExitStack() as after:
        after.callback(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(SELDOM)
        sized = ((number, one, 1 / at_once(one)) for number, one in experiments)
        waiting = next(sized, None)
        under_way, together = dict[int, Run](), Together()
        share: dict[int, float] = {}  # of what may be under way together
        while waiting or under_way:
            while waiting and waiting[2] + sum(share.values()) < 1 + 1e-9:
                (number, experiment, room), waiting = waiting, next(sized, None)
                try:
                    run = Run(experiment, data[experiment.dataset], figures=figures)
                except InvalidInput as error:
                    yield number, error
                    continue
                under_way[number], share[number] = run, room
                yield from ((number, event) for event in run.begin())
            prepared = {number: run.prepare() for number, run in under_way.items() if not run.done}
            trained = _trained(prepared)
            asked = {
                number: under_way[number].noisings(one, trained[number]) for number, one in prepared.items()
            }
            noised = _noised(asked, together)
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


def _trained(rounds: Mapping[int, Round]) -> dict[int, Iterable[torch.Tensor]]:
    if len(rounds) == 1:  # which may be a large one, so a work at a time
        return {number: one.alone() for number, one in rounds.items()}
    planned = {number: one.works() for number, one in rounds.items()}
    found: dict[int, list[torch.Tensor]] = {number: [] for number in rounds}
    while wanted := {number: work for number, works in planned.items() if (work := next(works, None))}:
        for number, weights in zip(wanted, train_works([*wanted.values()]), strict=True):
            found[number].append(weights)
    return dict(found)


def _noised(asked: Mapping[int, Iterator[Noising]], together: Together) -> dict[int, Iterable[Noised]]:
    """Perturbed chunks of each run; for a run that diverged, an iterable that raises its error."""
    if len(asked) == 1:
        return {number: (one.alone() for one in chunks) for number, chunks in asked.items()}
    found: dict[int, list[Noised]] = {number: [] for number in asked}
    failed: dict[int, StudioError] = {}

    def following(number: int) -> Noising | None:
        try:
            return next(asked[number], None)
        except StudioError as error:
            failed[number] = error
            return None

    while wanted := {number: one for number in asked if (one := following(number))}:
        for number, noised in zip(wanted, together.noised([*wanted.values()]), strict=True):
            found[number].append(noised)
    return found | {number: _raising(error) for number, error in failed.items()}


def _raising(error: StudioError) -> Iterator[Noised]:
    raise error
    yield
