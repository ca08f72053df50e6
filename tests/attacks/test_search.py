"""Attackers that search: without noise they find the image, noise is weighed, and nothing ends the others."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import attacks, datasets
from ldp_core.attacks.cosine_tv import CosineTV
from ldp_core.attacks.dlg import DLG
from ldp_core.attacks.findings.metrics import clamped, psnr
from ldp_core.attacks.idlg import IDLG
from ldp_core.attacks.shared import inversion_objective
from ldp_core.attacks.shared.minimise import Curved, Signed
from ldp_core.attacks.shared.search import Search, SearchBatch
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse, plan
from ldp_core.streams import stream
from tests.attacks.observed import back, observed
from tests.data import digits, events
from tests.extent import in_gate, turns


@pytest.mark.parametrize(("who", "start"), turns([DLG(), IDLG()], ["usual", "wide"]), ids=str)
def test_digits_come_back_from_a_smooth_network(who: Search, start: str):
    """Seeds 0: so many images each; seeking the label, too, may fail from one start in ten."""
    count = in_gate(4, 8)
    seen, truth = observed(digits(), count, {"model": {"name": "lenet", "start": start}})
    came = back(who, seen, truth)
    assert (came > 20).sum() >= (count if type(who) is IDLG else count - 1)
    assert np.median(came) > 50


@pytest.fixture(scope="module")
def mnist(mnist_dir: Path) -> datasets.Data:
    return datasets.get("mnist").load(mnist_dir)


@pytest.mark.mnist
def test_pictures_of_mnist_come_back(mnist: datasets.Data):
    """A cheap part of the 24 that the benchmark has: all of them, seed 0."""
    count, asked = in_gate(4, 8), {"model": "lenet", "dataset": "mnist"}
    seen, truth = observed(mnist, count, asked)
    assert back(IDLG(iterations=60), seen, truth).min() > 20


@pytest.mark.mnist
def test_kinks_leave_a_likeness(mnist: datasets.Data):
    """The papers' network, which has ReLU and maxima: four images, 120 steps; the average image has 12 dB."""
    seen, truth = observed(mnist, 4, {"model": "cnn", "dataset": "mnist"})
    assert np.median(back(CosineTV(iterations=120), seen, truth)) > 15


def test_weaker_noise_and_a_prior_raise_the_psnr():
    """Gaussian noise of 3·10⁻⁴ and 3·10⁻⁶ on weights, six digits: nothing, all, and what the prior adds."""
    came = {}
    for power, priors in ((3, (0.0, 5.0)), (5, (5.0,))):
        noise = {"name": "gaussian", "sensitivity": 10.0**-power}
        experiment = {"model": "lenet", "mechanism": noise, "clients": {"range": 0.5}}
        seen, truth = observed(digits(), 6, experiment, 20.0, None)
        for prior in priors:
            came[power, prior] = float(np.median(back(IDLG(iterations=80, prior=prior), seen, truth)))
    assert came[3, 5.0] < 14
    assert came[5, 5.0] > 30
    assert came[3, 5.0] > came[3, 0.0] + 2


def test_answers_outside_the_window_are_left_out():
    """Piecewise in ±0.2 at ε 20: one answer in twenty thousand lies far away, and would spoil the rest."""
    experiment = {"model": "lenet", "mechanism": "piecewise", "clients": {"range": 0.2}}
    seen, truth = observed(digits(), 4, experiment, 20.0, None)
    assert back(IDLG(iterations=80), seen, truth).min() > 25


def test_a_search_can_be_watched_and_ends_the_same():
    seen, truth = observed(digits(), 3, {"model": "lenet"})
    who = IDLG(iterations=30)
    batch = SearchBatch(who, [seen, seen], [stream(0, "reconstruction") for _ in range(2)])
    looks, quality = [], []
    for look in batch.follow():
        looks.append((look.iterations, look.observation, look.done))
        quality.append(float(np.median(psnr(clamped(batch.images(0)[:, 0]), truth))))
    steps = who.looks()
    assert [(n, i) for n, i, _ in looks] == [(n, i) for n in steps for i in range(2)], "coarse before fine"
    assert [done for *_, done in looks] == [False] * (len(looks) - 2) + [True] * 2
    assert batch.share == 1
    assert quality[-1] > quality[0] + 10
    alone = who.reconstruct(seen, generator=stream(0, "reconstruction"))
    assert psnr(batch.images(0)[:, 0], alone[:, 0]).min() > 40


def test_nan_loss_ends_one_search_only():
    seen, truth = observed(digits(), 3, {"model": "lenet"})
    broken = seen.uploads.copy()
    broken[:, 1] = np.inf
    came = back(IDLG(iterations=60), replace(seen, uploads=broken), truth)
    assert np.isfinite(came).all()
    assert came[0] > 40
    assert came[2] > 40


def test_restart_with_nan_loss_is_not_chosen(monkeypatch: pytest.MonkeyPatch):
    """The first search of the second image breaks after a few steps; its other one, and the rest, go on."""
    seen, truth = observed(digits(), 2, {"model": "lenet"})
    alone, calls = inversion_objective.Match._evaluate, []

    def broken(self: Any, at: torch.Tensor, which: torch.Tensor) -> Any:
        calls.append(len(at))
        values, slopes = alone(self, at, which)
        spoilt = (which == 2) & (len(calls) > 5)
        return values.masked_fill(spoilt, torch.nan), slopes.masked_fill(spoilt[:, None], torch.nan)

    monkeypatch.setattr(inversion_objective.Match, "_evaluate", broken)
    for who, least in ((IDLG(iterations=60, restarts=2), 40), (CosineTV(iterations=60, restarts=2), 5)):
        calls.clear()
        came = back(who, seen, truth)
        assert np.isfinite(came).all()
        assert came.min() > least


def test_short_memory_halves_the_search_batch(monkeypatch: pytest.MonkeyPatch):
    seen, truth = observed(digits(), 6, {"model": "lenet"})
    alone, sizes = inversion_objective.Match._evaluate, []

    def little(self: Any, at: torch.Tensor, which: torch.Tensor) -> Any:
        sizes.append(len(at))
        if len(at) > 2:
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")
        return alone(self, at, which)

    monkeypatch.setattr(inversion_objective.Match, "_evaluate", little)
    assert back(IDLG(iterations=60), seen, truth).min() > 40
    assert sizes[:4] == [6, 6, 4, 2], "16 at once, 8, 4, then 2"


def test_the_rounds_that_are_attacked_can_be_named():
    named = parse({"rounds": 9, "attack": {"rounds": [7, 2, 7]}})
    assert named.attack and named.attack.attacked(9) == (2, 7)
    assert parse(named.as_json()) == named
    assert "rounds" not in (parse({"attack": {"clients": [1]}}).as_json()["attack"])
    for rounds, why in (
        ([10], "must lie between 1 and 9, the last round; got 10"),
        ([0], "whole numbers from 1; got 0"),
        ([], "a list of between 1 and 100 rounds, or null"),
        ("all", "or null; got “all”"),
    ):
        with pytest.raises(InvalidExperiment, match=why):
            parse({"rounds": 9, "attack": {"rounds": rounds}})


@pytest.mark.parametrize("asked", [True, False])
def test_frames_show_the_search_from_first_to_last_step(asked: bool):
    """Asked for, in its round; else behind all rounds, with the same pictures."""
    attack = {"clients": [1, 4], **({"rounds": [1]} if asked else {})}
    emitted = events({"model": "lenet", "rounds": 2, "mechanism": "none", "attack": attack})
    kinds = [event["event"] for event in emitted]
    frames = [event for event in emitted if event["event"] == "frame"]
    (ends,) = ([e for e in emitted if e["event"] == "attack" and e["control"] is None],)
    assert (kinds.index("frame") < kinds.index("round")) is asked
    assert kinds[-1] == "end"
    assert {event["round"] for event in [*frames, *ends]} == {1}
    steps = [event["iterations"] for event in frames if event["client"] == 4]
    assert steps == attacks.reconstructor("idlg").looks()[: len(steps)]  # type: ignore[attr-defined]
    assert len(steps) >= 5
    first, last = (frame["psnr"] for frame in (frames[0], frames[-1]))
    assert ends[0]["psnr"] > last - 1
    assert last > first + 5


def test_search_attacks_every_nth_round_with_controls():
    attack = {"clients": [1, 4], "every": 2, "attacker": {"name": "idlg", "iterations": 50}}
    emitted = [e for e in events({"model": "lenet", "rounds": 3, "attack": attack}) if e["event"] == "attack"]
    assert [e["round"] for e in emitted] == [1] * 6 + [3] * 6
    clean = [e for e in emitted if e["control"] == "clean"]
    assert {e["attacker"] for e in emitted} == {"idlg"}
    assert min(e["ncc"] for e in clean) > 0.9, "weights in float32 hold a small gradient coarsely"
    assert (
        plan(parse({"attack": {"every": 1, "clients": [1]}})).key
        == plan(parse({"attack": {"clients": [1]}})).key
    )


def rosenbrock(at: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    at = at.detach().requires_grad_()
    scale = torch.tensor([1.0, 100.0, 1e4], dtype=at.dtype)[rows]
    values = (1 - at[:, 0]) ** 2 + scale * (at[:, 1] - at[:, 0] ** 2) ** 2
    (slopes,) = torch.autograd.grad(values.sum(), at)
    return values.detach(), slopes


def ended(start: torch.Tensor, steps: int) -> Curved:
    one = Curved(rosenbrock, start, steps)
    one.advance(steps)
    return one


def test_rows_of_unlike_steepness_reach_their_minima():
    start = torch.tensor([[-1.2, 1.0]] * 3, dtype=torch.float64)
    end = ended(start, 300)
    torch.testing.assert_close(end.x, torch.ones_like(end.x), rtol=0, atol=1e-4)
    assert end.value.max() < 1e-9
    torch.testing.assert_close(ended(start[:1], 300).x, end.x[:1], rtol=0, atol=1e-9)


def test_steps_never_go_up_and_nan_rows_stay():
    start = torch.tensor([[-1.2, 1.0], [torch.nan, 0.0]], dtype=torch.float64)
    lowest = rosenbrock(start, torch.arange(2))[0][0]
    for steps in (1, 2, 5, 10):
        end = ended(start, steps)
        assert end.value[0] < lowest
        lowest = end.value[0]
        assert torch.isnan(end.x[1, 0])


def test_interrupted_minimisation_resumes_to_the_same_bits():
    start = torch.tensor([[-1.2, 1.0], [0.3, 0.1]], dtype=torch.float64)
    for kind in (Curved, Signed):
        whole, parts = kind(rosenbrock, start, 40), kind(rosenbrock, start, 40)
        whole.advance(40)
        for until in (1, 7, 8, 40):
            parts.advance(until)
        assert torch.equal(whole.x, parts.x)
        assert whole.value[0] < rosenbrock(start, torch.arange(2))[0][0]
