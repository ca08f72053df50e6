"""The line-up's uploads are those of the engine, and what it says at each budget is what it shows."""

import re

import numpy as np
import pytest
import torch

from ldp_core.attacks import Public
from ldp_core.datasets import data_dir
from ldp_core.experiment import parse
from ldp_core.federated.federation import assemble, choose_device, initial_weights
from ldp_core.leakage.observe import one_step
from pages.parts.learn.line_up import LAWS, OWN, TRIES, data, first_changes


def test_one_step_in_numpy_is_the_engine_s():
    base = parse({"target": "update"})
    stock = base.source.load(data_dir())
    federation = assemble(base, stock, choose_device())
    weights, x, y = initial_weights(federation), stock.test_x[:4], stock.test_y[:4]
    engine = one_step(federation, torch.from_numpy(x), torch.from_numpy(y), weights)
    ours = first_changes(weights.numpy().astype(float), Public(x, y), base.local.learning_rate)
    np.testing.assert_allclose(ours, engine, atol=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_who_it_was_goes_before_what_it_looks_like(law: str):
    found = data(law)
    assert len(found["images"]) == len(found["names"]) == 10
    right = [int(re.findall(r"in (\d+) of", step["words"])[0]) for step in found["steps"]]
    closer = ["no closer" not in step["words"] for step in found["steps"]]
    assert right[0] <= TRIES / 2 < right[-1] == TRIES
    first = next(i for i, hits in enumerate(right) if hits > 0.9 * TRIES)
    assert first < (closer.index(True) if any(closer) else len(closer)), "as the title says"
    assert found["steps"][-1]["picked"] == OWN
