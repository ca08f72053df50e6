"""Layers that a client keeps, and who reads its uploads nevertheless: side by side, round by round."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import attacks, datasets, models
from ldp_core.accounting import ledger
from ldp_core.attacks import servers
from ldp_core.attacks.cosine_tv import CosineTV
from ldp_core.attacks.idlg import IDLG
from ldp_core.attacks.personal_search import PersonalSearch
from ldp_core.attacks.servers import Task
from ldp_core.attacks.servers.silencing import Silencing
from ldp_core.attacks.shared.search import Search
from ldp_core.attacks.up_to_contrast import stretched
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse, plan
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.federated.state import State
from ldp_core.leakage.grid import climb
from ldp_core.models._extended import OFFSET
from ldp_core.simulate import simulate
from ldp_core.streams import stream
from tests.attacks.observed import back, observed
from tests.data import digits, events
from tests.extent import in_gate

RUN: dict[str, Any] = {
    "system": "pd_ldpfl",
    "dataset": "digits",
    "local": {"batch_size": 10},
    "rounds": 16,
    "mechanism": "none",
}


def decibels(attacker: str, **given: Any) -> dict[int, float]:
    """Round → the median PSNR over the three clients under attack, as sent."""
    attack = {"attacker": {"name": attacker}, "every": 5}
    found = [
        e for e in events(RUN | {"attack": attack} | given) if e["event"] == "attack" and not e["control"]
    ]
    attacked = dict.fromkeys(e["round"] for e in found)
    return {n: float(np.median([e["psnr"] for e in found if e["round"] == n])) for n in attacked}


def test_personal_layers_defeat_only_least_squares():
    plain, stretching, solving = (decibels(n) for n in ("least_squares", "up_to_contrast", "personal_layers"))
    assert plain[1] > 100 and plain[11] < 20 and plain[16] < 20, "as the paper says, of this attacker"
    assert min(stretching.values()) > 28
    assert min(solving.values()) > 50
    assert all(solving[n] > stretching[n] + 10 for n in (6, 11, 16))


@pytest.mark.parametrize(
    ("model", "dataset", "plain", "least"),
    [("lenet", "digits", IDLG(iterations=40), 50), ("cnn", "mnist_sample", CosineTV(iterations=120), 15)],
)
def test_personal_search_reads_behind_personal_layers(model: str, dataset: str, plain: Search, least: float):
    """Layers that begin at a = 2 and b = 0.1, as everybody knows; four images of the first client."""
    system = {"name": "pd_ldpfl", "a": 2.0, "b": 0.1}
    asked = {"system": system, "dataset": dataset, "model": model, "mechanism": "none"}
    seen, truth = observed(datasets.get(dataset).load(Path("nowhere")), 4, asked)
    behind = PersonalSearch(iterations=plain.iterations)
    before = np.median(back(plain, seen, truth))
    assert before + 3 < least < np.median(back(behind, seen, truth)), "12 and 17 dB, and 5 and 74"
    (spy,) = plan(parse(asked)).spies
    assert spy.attacker == behind.name, "the one that suits"
    unread = attacks.unfit(parse(asked).model, truth.shape[1:], 10, "personal_layers")
    assert unread.endswith("personal_search")


def test_without_personal_layers_all_of_them_read_alike():
    system = {"name": "pd_ldpfl", "input": "none", "output": "none"}
    alone = {"system": system, "rounds": in_gate(6, 16)}
    for attacker in ("least_squares", "up_to_contrast", "personal_layers"):
        assert min(decibels(attacker, **alone).values()) > 100, attacker


@pytest.mark.parametrize("mechanism", ["none", "piecewise"])
def test_server_estimates_unsent_offsets_from_uploads(mechanism: str):
    """Each client's b from its uploads alone, with and without noise at ε 16: within 10 % after five rounds
    (4 to 6 % in seeds 0 to 2), and still its shape after fifteen, when steps are long.
    """
    states: list[State] = []
    run = RUN | {"mechanism": mechanism, "rounds": 15, "attack": None, "clients": {"epsilon": 16}}
    list(simulate(parse(run), digits(), keep=states.append))
    truths, notes = ([state.arrays[name] for state in states] for name in ("input", OFFSET))
    assert np.linalg.norm(notes[5] - truths[5][:, 1:]) < 0.1 * np.linalg.norm(truths[5][:, 1:])
    assert np.corrcoef(notes[15].ravel(), truths[15][:, 1:].ravel())[0, 1] > 0.75


def test_as_printed_the_scale_is_read_off_the_largest_answer():
    """At ε 60 an image comes back through a scale that is estimated, as through a public one."""
    printed = RUN | {"mechanism": "piecewise", "form": "as_printed", "rounds": 1}
    printed |= {"attack": "auto", "clients": {"epsilon": 60}}
    found = [e for e in events(printed) if e["event"] == "attack" and e["control"] is None]
    assert found and min(one["psnr"] for one in found) > 20
    assert {one["cap"] for one in found} == {1.0}, "no bound holds of a scale that follows the data"


def test_an_image_that_fits_its_range_is_left_alone():
    fits, shifted = np.linspace(0, 1, 50), np.linspace(-0.5, 2.5, 50)
    both = stretched(np.stack([fits, shifted]))
    assert np.array_equal(both[0], fits)
    assert both[1, 25] == pytest.approx(fits[25], abs=0.01)
    assert both[1].min() == pytest.approx(-0.01, abs=0.02)


def test_ladder_of_a_late_round_attacks_personal_layers():
    ladder = {"base": RUN, "mechanisms": ["piecewise"], "epsilons": [20], "round": 12, "images": 4}
    cells = {}
    for attacker in ("least_squares", "personal_layers"):
        asked = parse_ladder(ladder | {"attacker": {"name": attacker}})
        emitted = [e.as_json() for e in climb(asked, digits())]
        clean = next(e for e in emitted if e["event"] == "reference" and e["control"] == "clean")
        cells[attacker] = clean["psnr"]
    assert cells["personal_layers"] > 50 > 25 > cells["least_squares"]


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
