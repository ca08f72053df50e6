"""An attacker cannot reach the data: nothing that an observation leads to is a training sample."""

import gc
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

from ldp_core import attacks
from ldp_core.attacks import Observation
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import Federation, assemble
from ldp_core.leakage.observe import choose_victims
from ldp_core.streams import stream
from tests.attacks.observed import audit_uploads
from tests.data import digits


def reachable(start: Any) -> list[Any]:
    """Everything that can be reached from an object's own data (not through modules, classes or code)."""
    found, queue = {id(start): start}, [start]
    while queue:
        for other in gc.get_referents(queue.pop()):
            if isinstance(other, ModuleType | type | FunctionType) or id(other) in found:
                continue
            found[id(other)] = other
            queue.append(other)
    return list(found.values())


def observed() -> tuple[Federation, Any, dict[Any, Observation]]:
    ready = assemble(plan(parse({})), digits(), torch.device("cpu"))
    victims = choose_victims(ready)
    return ready, victims, audit_uploads(ready, victims)


def test_no_training_sample_can_be_reached():
    ready, _, found = observed()
    train = {row.tobytes() for row in ready.train_x.numpy().reshape(len(ready.train_y), -1)}
    for seen in found.values():
        for attacker in attacks.reconstructors():
            attacks.reconstructor(attacker).reconstruct(seen, generator=stream(0, "reconstruction"))
        objects = reachable(seen)
        assert not any(isinstance(one, Federation) for one in objects)
        arrays = [np.asarray(one) for one in objects if isinstance(one, np.ndarray | torch.Tensor)]
        assert any(len(one) == len(seen.previous) for one in arrays if one.ndim), "the walk finds arrays"
        for array in arrays:
            assert not np.shares_memory(array, ready.train_x.numpy())
            if array.ndim and array.shape[-1] and array.size % 64 == 0:
                rows = np.ascontiguousarray(array, dtype=np.float32).reshape(-1, 64)
                assert not train & {row.tobytes() for row in rows}


def test_planted_training_data_is_found_by_the_walk():
    """The test above can fail: an observation that carries the data is noticed."""
    ready, _, found = observed()
    leaky = found[None].of(slice(None))
    object.__setattr__(leaky, "previous", ready.train_x.numpy())
    assert any(
        isinstance(one, np.ndarray) and np.shares_memory(one, ready.train_x.numpy())
        for one in reachable(leaky)
    )


def test_the_public_images_are_held_out():
    ready, _, found = observed()
    public = found[None].public
    assert public is not None
    held_out = {row.tobytes() for row in ready.test_x.numpy().reshape(len(ready.test_y), -1)}
    assert {row.tobytes() for row in public.x.reshape(len(public.x), -1)} <= held_out
