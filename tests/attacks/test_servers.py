"""Servers and the models that they make: what each unit sees, what is refused, what stays as it was."""

from typing import Any

import numpy as np
import pytest

from ldp_core import models
from ldp_core.accounting import ledger
from ldp_core.attacks import servers
from ldp_core.attacks.servers import Task
from ldp_core.attacks.servers.silencing import Silencing
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse, plan
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.streams import stream
from tests.data import digits

UNITS, IMAGES = 40, 20
LIARS = [name for name in servers.registry.labels() if servers.get(name).reader]
REAL: dict[str, Any] = {"model": "mlp", "attack": {"uploads": "real"}}
SUM = {"trust": "secure_sum", "clients": {"epsilon": 8, "epsilon_scope": "run"}, "target": "update"}


def lie(server: str, **more: Any) -> dict[str, Any]:
    with_sum = SUM if server == "silencing" else {}
    return {**REAL, **with_sum, "attack": {"uploads": "real", "server": server}, **more}


def task() -> Task:
    slices = models.get("mlp", hidden=UNITS).slices((8, 8), 10)
    public = digits().test_x.reshape(-1, 64).astype(np.float64)
    weights = np.full(slices[-1].stop, 7, np.float32)
    return Task(slices, weights, public, IMAGES, room=0.3, generator=stream(0, "crafted model"))


@pytest.mark.parametrize(("server", "reacting"), [("imprint", None), ("trap", 1.0), ("silencing", None)])
def test_units_single_public_images_out(server: str, reacting: float | None):
    asked = task()
    made = servers.get(server).crafted(asked, size=2.0)
    weight, bias, second, last = (made[one.start : one.stop].reshape(one.shape) for one in asked.slices)
    active = asked.public @ weight.T + bias > 0
    assert max(np.abs(weight).max(), np.abs(bias).max()) == pytest.approx(asked.room)
    assert (second == second[:, :1]).all() and not last.any()
    if reacting is not None:  # one image of an upload on average
        assert IMAGES * active.mean() == pytest.approx(reacting, abs=0.3)
    else:  # thresholds rise, and between two of them lie equally many images
        between = active[:, :-1] & ~active[:, 1:]
        assert (active[:, :-1] >= active[:, 1:]).all()
        assert between.sum(axis=0) == pytest.approx(len(asked.public) / UNITS, abs=6)


def test_dead_units_let_no_image_pass():
    asked = task()
    made = Silencing().dead(asked)
    weight, bias = (made[one.start : one.stop].reshape(one.shape) for one in asked.slices[:2])
    assert not (asked.public @ weight.T + bias > 0).any()


@pytest.mark.parametrize("server", LIARS)
def test_crafted_model_lies_within_the_accepted_range(server: str):
    asked = task()
    wary = servers.get(server, within=0.05)
    made = wary.crafted(asked, size=100.0)
    assert np.abs(made[: asked.slices[-1].stop]).max() == pytest.approx(0.05)
    free = servers.get(server, within=1e6).crafted(task(), size=100.0)
    assert np.array_equal(free, servers.get(server).crafted(task(), size=100.0))
    assert parse(lie(server)).as_json()["attack"]["server"] == server
    given = lie(server) | {"attack": {"uploads": "real", "server": {"name": server, "within": 0.05}}}
    assert parse(parse(given).as_json()).attack == parse(given).attack != parse(lie(server)).attack


@pytest.mark.parametrize("server", LIARS)
def test_promise_is_the_same_for_a_server_that_lies(server: str):
    lying = parse(lie(server))
    honest = parse({**lying.as_json(), "attack": {"uploads": "real"}})
    assert ledger(lying) == ledger(honest)
    assert plan(lying).key != plan(honest).key
    assert [spy.attacker for spy in plan(lying).spies] == [servers.get(server).reader]
    assert "made for this upload" in " ".join(plan(lying).spies[0].knows)


def test_honest_server_changes_neither_key_nor_json():
    named = {"uploads": "real", "server": "honest"}
    assert parse({**REAL, "attack": named}).as_json() == parse(REAL).as_json()
    assert plan(parse({**REAL, "attack": named})).key == plan(parse(REAL)).key
    grid = {"base": {"model": "mlp"}, "upload": "real"}
    assert parse_ladder({**grid, "server": "honest"}).as_json() == parse_ladder(grid).as_json()
    assert "server" not in parse_ladder(grid).as_json()


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        (lie("trap", model="logistic_regression"), "attack.server"),
        (lie("imprint", model="mlp2"), "attack.server"),
        (lie("trap", system="pd_ldpfl"), "attack.server"),
        (lie("silencing", trust="local"), "attack.server"),
        (lie("trap", attack={"server": "trap"}), "attack.uploads"),
        (lie("trap", attack={"server": "trap", "uploads": "both"}), "attack.uploads"),
        (
            lie("trap", attack={"server": "trap", "uploads": "real", "attacker": "rank_one"}),
            "attack.attacker",
        ),
        (lie("trappe"), "attack.server"),
        ({"attack": {"server": {"name": "honest", "within": 1}}}, "attack.server"),
    ],
)
def test_unfit_lie_is_refused_at_its_field(changes: dict[str, Any], path: str):
    with pytest.raises(InvalidExperiment) as refused:
        parse(changes)
    assert [problem.path.removesuffix(".name") for problem in refused.value.problems] == [path]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"server": "silencing", "upload": "real"}, "server"),
        ({"server": "trap"}, "upload"),
        ({"server": "trap", "upload": "real", "attacker": "trimmed"}, "attacker"),
    ],
)
def test_grid_with_unfit_lie_is_refused(changes: dict[str, Any], path: str):
    with pytest.raises(InvalidExperiment) as refused:
        parse_ladder({"base": {"model": "mlp"}, **changes})
    assert [problem.path for problem in refused.value.problems] == [path]
