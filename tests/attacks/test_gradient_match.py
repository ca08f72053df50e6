"""Gradient matching: on smooth networks without noise it finds the image; what stands in its way is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import attacks, datasets
from ldp_core.attacks.gradient_match import GradientMatch
from ldp_core.attacks.metrics import ncc, psnr
from ldp_core.cost.work import work_of, work_of_ladder
from ldp_core.experiment import parse
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.experiment.threat_model import facts, spies
from ldp_core.federated.federation import assemble, initial_weights
from ldp_core.leakage.grid import climb
from ldp_core.leakage.observe import Victims, audit_uploads
from ldp_core.streams import stream
from tests.data import digits, events

CPU = torch.device("cpu")


def found(data: Any, count: int, experiment: dict[str, Any], **own: Any) -> tuple[np.ndarray, np.ndarray]:
    """What is made of the first client's first images, one upload each without noise; and the images."""
    ready = assemble(parse({"target": "update", **experiment}), data, CPU)
    samples = ready.shards[0][:count]
    seen = audit_uploads(ready, Victims(np.zeros(count, np.int64), samples), initial_weights(ready), 1)
    attacker = GradientMatch(**own)
    guesses = attacker.reconstruct(seen["clean"], generator=stream(0, "reconstruction"))
    return guesses[:, 0], data.train_x[samples].astype(np.float64)


@pytest.mark.parametrize("labels", ["read", "sought"])
@pytest.mark.parametrize("start", ["usual", "wide"])
def test_digits_come_back_from_a_smooth_network(labels: str, start: str):
    """Seeds 0: of four images each."""
    guesses, truth = found(digits(), 4, {"model": {"name": "lenet", "start": start}}, labels=labels)
    assert ncc(guesses, truth).min() > 0.999
    assert psnr(guesses, truth).min() > 40


@pytest.mark.mnist
def test_a_picture_of_mnist_comes_back(mnist_dir):
    data = datasets.get("mnist").load(mnist_dir)
    guesses, truth = found(data, 2, {"model": "lenet", "dataset": "mnist"}, iterations=200)
    assert ncc(guesses, truth).min() > 0.99


def test_more_searches_never_end_further_away():
    once, truth = found(digits(), 3, {"model": "lenet"}, iterations=8)
    often, _ = found(digits(), 3, {"model": "lenet"}, iterations=8, restarts=4)
    assert ncc(often, truth).mean() >= ncc(once, truth).mean() - 0.02


def test_it_is_chosen_by_itself_only_where_nothing_is_read_off():
    assert [spy.attacker for spy in spies(parse({"model": "lenet"}))] == ["gradient_match"]
    assert "gradient_match" not in [spy.attacker for spy in spies(parse({"model": "mlp"}))]
    named = parse({"attack": {"attacker": {"name": "gradient_match", "iterations": 7}}})
    (spy,) = spies(named)
    assert spy.who == GradientMatch(iterations=7)
    assert parse(named.as_json()) == named
    assert (
        parse({"attack": {"attacker": "gradient_match"}}).as_json()["attack"]["attacker"] == "gradient_match"
    )


def test_a_run_is_attacked_every_so_many_rounds_with_its_controls():
    attack = {"clients": [0, 3], "every": 2}
    told = [e for e in events({"model": "lenet", "rounds": 3, "attack": attack}) if e["event"] == "attack"]
    assert [e["round"] for e in told] == [1] * 6 + [3] * 6
    clean = [e for e in told if e["control"] == "clean"]
    assert {e["attacker"] for e in told} == {"gradient_match"}
    assert min(e["ncc"] for e in clean) > 0.9, "weights in float32 hold a small gradient coarsely"
    assert parse({"attack": {"every": 1, "clients": [0]}}).key == parse({"attack": {"clients": [0]}}).key


def test_a_grid_is_solved_in_one_call(monkeypatch: pytest.MonkeyPatch):
    calls, alone = [], GradientMatch.reconstruct_all

    def counted(self: GradientMatch, seen: Any, **given: Any) -> Any:
        calls.append(len(seen))
        return alone(self, seen, **given)

    monkeypatch.setattr(GradientMatch, "reconstruct_all", counted)
    base = {"model": "lenet", "target": "update", "clients": {"range": 0.1}}
    ladder = parse_ladder({"base": base, "mechanisms": ["duchi"], "epsilons": [1, 8, 100], "images": 2})
    told = [event.as_json() for event in climb(ladder, digits())]
    assert calls == [5], "three budgets and two controls"
    clean = next(e for e in told if e["event"] == "reference" and e["control"] == "clean")
    assert clean["ncc"] > 0.99
    # its cells are the same whether it is climbed at once or taken up again
    rest = [event.as_json() for event in climb(ladder, digits(), told=told[:4])]
    for one, other in zip(rest, told[4:], strict=True):
        assert one["event"] == other["event"]
        assert one.get("identified") == other.get("identified")
        assert one.get("ncc", 0) == pytest.approx(other.get("ncc", 0), abs=1e-3)


def test_its_work_is_counted():
    base: dict[str, Any] = {"model": "lenet", "rounds": 4, "attack": {"clients": [0], "every": 2}}
    work = work_of(parse(base))
    attacker = attacks.reconstructor("gradient_match")
    one = attacker.effort(facts(parse(base), "audit")).gradients
    products = parse(base).model.products((8, 8), 10)
    assert work.searches == 2 * 3 * one * products
    assert work.attacks == 2
    assert work_of(parse({"rounds": 4})).searches == 0
    ladder = parse_ladder({"base": base, "images": 3, "epsilons": [1, 2], "mechanisms": ["duchi"]})
    assert work_of_ladder(ladder).searches == 3 * 4 * one * products
