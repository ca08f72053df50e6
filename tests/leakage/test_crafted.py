"""What a server that lies gets back from a real upload, of MNIST's images through a hidden layer."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core.attacks import servers
from ldp_core.datasets import Data, get
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.federated.federation import assemble
from ldp_core.leakage.crafted import observe_lied, silenced
from ldp_core.leakage.grid import climb
from ldp_core.leakage.observe import begun, public_images
from ldp_core.simulate import simulate
from ldp_core.streams import stream
from tests.extent import in_gate

WHOLE: dict[str, Any] = {  # 60 images a client, all of them in one step
    "dataset": "mnist_sample",
    "model": {"name": "mlp", "hidden": 64},
    "clients": {"count": 83, "range": 1},
    "local": {"learning_rate": 0.1, "epochs": 1, "batch_size": 100},
}
BATCHES = {**WHOLE, "local": {"learning_rate": 0.1, "epochs": 2, "batch_size": 10}}


@cache
def images() -> Data:
    return get("mnist_sample").load(Path("nowhere"))


def back(server: str, base: dict[str, Any], epsilon: float = 8.0) -> tuple[int, int]:
    """Images of about 60 back from the first client's upload: without noise, and under Piecewise."""
    grid = {
        "base": base,
        "upload": "real",
        "server": server,
        "mechanisms": ["piecewise"],
        "epsilons": [epsilon],
    }
    found = [event.as_json() for event in climb(parse_ladder(grid), images())]
    clean = next(e["recovered"] for e in found if e["event"] == "reference" and e["control"] == "clean")
    return clean, next(e["recovered"] for e in found if e["event"] == "cell")


def recovered(experiment: Experiment) -> dict[str | None, int]:
    """Images back from the attacked upload, by control."""
    sent = [event.as_json() for event in simulate(experiment, images())]
    return {e["control"]: e["recovered"] for e in sent if e["event"] == "attack"}


@pytest.mark.parametrize("base", in_gate([WHOLE], [WHOLE, BATCHES]))
def test_crafted_model_returns_more_images_than_the_honest_one(base: dict[str, Any]):
    counts = {name: back(name, base) for name in ("honest", "imprint", "trap")}
    assert counts["honest"][0] <= 4 and counts["honest"][1] == 0
    assert counts["imprint"][0] >= 13 and counts["trap"][0] >= 13
    assert counts["imprint"][1] <= 3
    assert counts["trap"][1] >= 4  # where the honest server, and any picture of its attack, has none


def test_no_lie_returns_an_image_at_the_budget_of_a_run():
    changes = {
        **WHOLE,
        "clients": {"count": 83, "range": 1, "epsilon": 8, "epsilon_scope": "run"},
        "rounds": 1,
    }
    for server in ("imprint", "trap"):
        attack = {"uploads": "real", "server": server, "clients": [1]}
        found = recovered(parse({**changes, "attack": attack}))
        assert found["clean"] >= 13 and found[None] == 0


def test_silenced_clients_leave_one_upload_alone_in_the_sum():
    budget = {"count": 83, "range": 1, "epsilon": 8, "epsilon_scope": "run"}
    attack = {"uploads": "real", "server": "silencing", "clients": [1]}
    experiment = parse(
        {**WHOLE, "clients": budget, "trust": "secure_sum", "target": "update", "rounds": 1, "attack": attack}
    )
    ready = assemble(plan(experiment), images(), torch.device("cpu"))
    start, public = begun(ready, np.array([0])), public_images(ready)
    added = silenced(servers.get("silencing"), start, np.array([0]), public)
    assert added is not None
    last = ready.recipe.model.slices(ready.shape, ready.classes)[-1]
    assert not added[:, : last.start].any() and added[:, last.start :].any()  # the last biases alone move
    assert silenced(servers.get("imprint"), start, np.array([0]), public) is None
    found = recovered(experiment)
    assert found["clean"] >= 13 and found[None] == 0


def test_crafted_model_depends_on_public_images_alone():
    ready = assemble(plan(parse(WHOLE)), images(), torch.device("cpu"))
    blank = replace(ready, train_x=torch.zeros_like(ready.train_x))
    public, client = public_images(ready), np.array([0])
    noise = stream(0, "attack noise")
    made = [
        observe_lied(servers.get("trap"), begun(one, client), client, public, noise) for one in (ready, blank)
    ]
    for control, seen in made[0].items():
        assert np.array_equal(seen.previous, made[1][control].previous)
