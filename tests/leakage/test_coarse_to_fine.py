"""A ladder that is searched: a guess everywhere first, and the same bits whenever it is taken up."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core.attacks import servers
from ldp_core.attacks.shared.minimise import Descent
from ldp_core.attacks.shared.search import SearchBatch
from ldp_core.datasets import Data, get
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.federated.federation import assemble
from ldp_core.leakage import coarse_to_fine
from ldp_core.leakage.coarse_to_fine import Searches
from ldp_core.leakage.crafted import observe_lied, silenced
from ldp_core.leakage.grid import climb
from ldp_core.leakage.grid_context import Grid
from ldp_core.leakage.observe import begun, public_images
from ldp_core.simulate import simulate
from ldp_core.streams import stream
from tests.data import digits
from tests.extent import in_gate
from tests.pace import within

ASKED: dict[str, Any] = {
    "base": {
        "model": "lenet",
        "target": "update",
        "clients": {"range": 0.1},
        "local": {"learning_rate": 0.1},
    },
    "mechanisms": ["piecewise", "duchi"],
    "epsilons": [1, 30],
    "images": 10,
    "attacker": {"name": "idlg", "iterations": 30},
}
PLACES = 2 * 2 + 2 * 2 - 1
"""Cells and controls that are searched for: without noise and uncut both mechanisms send the same."""


def events(earlier: Sequence[dict[str, Any]] = (), **changes: Any) -> list[dict[str, Any]]:
    return [e.as_json() for e in climb(parse_ladder(ASKED | changes), digits(), earlier=earlier)]


@cache
def whole() -> tuple[dict[str, Any], ...]:
    return tuple(events())


def place(event: dict[str, Any]) -> tuple[Any, ...]:
    return event["mechanism"], event["epsilon"], event["control"]


def test_guesses_come_breadth_first():
    guesses = [e for e in whole() if e["event"] == "guess"]
    first = guesses[:PLACES]
    assert len({place(e) for e in first}) == PLACES
    assert {e["iterations"] for e in first} == {4}
    results = [e["event"] for e in whole() if e["event"] != "guess"]
    assert results == ["ladder", *["reference", "reference", "cell", "cell"] * 2, "end"]
    done = [e["done"] for e in guesses]
    assert done == sorted(done)
    assert done[-1] == 4
    assert json.loads(json.dumps(whole(), allow_nan=False))


def test_the_last_frame_is_the_result_and_pictures_get_better():
    clean = [e for e in whole() if e["event"] == "guess" and e["control"] == "clean"]
    result = next(e for e in whole() if e["event"] == "reference")
    assert clean[-1]["image"] == result["image"]
    assert clean[-1]["psnr"] == pytest.approx(result["psnr"])
    assert clean[-1]["psnr"] > clean[0]["psnr"] + 10
    assert result["recovered"] >= 9
    one, other = (e for e in whole() if e["event"] == "reference" and e["control"] == "clean")
    assert one | {"mechanism": ""} == other | {"mechanism": ""}


def test_noise_hides_alike_from_search_and_closed_form():
    cells = {(e["mechanism"], e["epsilon"]): e for e in whole() if e["event"] == "cell"}
    assert cells["piecewise", 30.0]["recovered"] >= 9
    assert cells["piecewise", 1.0]["recovered"] == cells["duchi", 30.0]["recovered"] == 0


def test_resumed_ladder_has_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
):
    outcome, alone = list(whole()), SearchBatch
    kinds = [e["event"] for e in outcome]
    last = len(kinds) - 1 - kinds[::-1].index("cell")
    for stopped in (20, *in_gate((), (kinds.index("cell") + 1,)), last):
        wanted: list[bool] = []

        def counted(*given: Any, wanted: list[bool] = wanted) -> Any:
            wanted += given[3]
            return alone(*given)

        monkeypatch.setattr(coarse_to_fine, "SearchBatch", counted)
        assert events(outcome[:stopped]) == outcome[stopped:]
        monkeypatch.undo()
        found = sum(e["event"] in ("cell", "reference") for e in outcome[:stopped])
        twice = found > 4  # the second mechanism's control is the first one's
        assert sum(wanted) == PLACES - found + twice


@pytest.mark.parametrize("attacker", ["idlg", "cosine_tv"])
def test_ladder_resumed_with_its_searches_repeats_no_step(attacker: str, monkeypatch: pytest.MonkeyPatch):
    """Stopped at every few events, with several parts of the images after one another, on two cores."""
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    monkeypatch.setattr(Grid, "parts", lambda grid: [slice(0, 2), slice(2, 4)])
    steps, advance = list[int](), Descent.advance

    def counted(descent: Descent, until: int) -> None:
        before = descent.taken
        advance(descent, until)
        steps.append(descent.taken - before)

    monkeypatch.setattr(Descent, "advance", counted)
    asked = parse_ladder(ASKED | {"attacker": {"name": attacker, "iterations": 12}, "images": 4})
    whole = [e.as_json() for e in climb(asked, digits())]
    once = sum(steps)
    monkeypatch.setenv("EPSILON_SLOT_CORES", "2")
    for killed in (False, True):  # every other time, so that what is kept is older than the events
        found, states, attempts = list[dict[str, Any]](), b"", 0
        steps.clear()
        while len(found) < len(whole):
            searches, attempts = Searches(states), attempts + 1
            under_way = climb(asked, digits(), earlier=tuple(found), searches=searches)
            found += [event.as_json() for event in islice(under_way, 9)]
            if not (killed and attempts % 2):
                states = searches.states() if searches.under_way else b""
        assert found == whole
        assert sum(steps) > once if killed else sum(steps) == once


def test_closed_ladder_ends_its_search_early():
    begun = climb(parse_ladder(ASKED | {"attacker": {"name": "idlg", "iterations": 2000}}), digits())
    for _ in range(3):
        next(begun)
    before = time.monotonic()
    begun.close()  # type: ignore[attr-defined]
    assert time.monotonic() - before < within(2)


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
