"""Attackers that search: ours, a plain loop image by image, and breaching, on the same images, one core each.

    python -m tests.benchmarks.attacks [--images 4] [--turns 2] [--without-breaching]
    python -m tests.benchmarks.attacks --share      # of 24 images, how many iDLG gets back; a whole ladder

Turns are interleaved. Time to equal PSNR: what a contender's processor takes for an image until the median
over a turn's images is as good as it gets there (or as ours gets, where that is less), and what ours takes to
the same. LeNet is attacked by what suits it here, iDLG, and in the plain loop by PyTorch's own L-BFGS;
breaching has its cosine attack for both. Its total variation takes three channels, so it runs without.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ldp_core import attacks, datasets, models
from ldp_core.attacks import Observation
from ldp_core.attacks.findings.metrics import clamped, psnr
from ldp_core.attacks.shared.search import Search, SearchBatch
from ldp_core.experiment import parse
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.federated.federation import assemble, initial_weights
from ldp_core.leakage.grid import climb
from ldp_core.leakage.observe import audit_values, observe, public_images
from ldp_core.runs.storage.paths import data_dir
from ldp_core.streams import stream
from tests.benchmarks.machine import described
from tests.models.modules import module

ROOT = Path(__file__).parents[2]
SHAPE, CLASSES, RATE, STEPS = (28, 28), 10, 0.1, 300
BUDGETS = (50, 150, 300)
"""Steps that breaching is given, which tells nothing on the way."""
Curve = list[tuple[float, float]]
"""Seconds an image, and the median over images in dB, as they go on."""


def module_of(name: str, weights: torch.Tensor) -> nn.Module:
    """The model in plain PyTorch, with these weights (d,)."""
    found = module(models.get(name), SHAPE, CLASSES)
    nn.utils.vector_to_parameters(weights, found.parameters())
    return found


def observed(name: str, first: int, count: int, dataset: str = "mnist") -> tuple[Observation, np.ndarray]:
    """Uploads of some images without noise, and the images."""
    data = datasets.get(dataset).load(data_dir())
    asked = {"dataset": dataset, "model": name, "local": {"learning_rate": RATE}}
    ready = assemble(parse(asked), data, torch.device("cpu"))
    samples = np.concatenate(ready.shards)[first : first + count]
    weights, budget = initial_weights(ready), np.ones((count, 1))
    exact, noise = audit_values(ready, samples, weights), stream(0, "attack noise")
    seen = observe(
        ready, exact, weights, ready.experiment.pieces(1), (budget, -budget, budget), noise,
        public=public_images(ready),
    )["clean"]  # fmt: skip
    return seen, data.train_x[samples].astype(np.float64)


def ours(who: Search, seen: Observation, truth: np.ndarray) -> Curve:
    began, curve = time.process_time(), []
    batch = SearchBatch(who, [seen], [stream(0, "reconstruction")])
    for _ in batch.follow():
        spent = time.process_time() - began
        curve.append((spent / len(truth), quality(batch.images(0)[:, 0], truth)))
    return curve


def plain(who: Search, seen: Observation, truth: np.ndarray, name: str) -> Curve:
    """As a tutorial has it: one image after another, gradients by autograd with a graph."""
    net, looks = module_of(name, torch.from_numpy(seen.previous)), who.looks()
    frames, spent = np.zeros((len(looks), *truth.shape)), np.zeros(len(looks))
    sizes = [p.numel() for p in net.parameters()]
    draws = stream(0, "reconstruction").uniform(size=truth.shape)
    for i, (goal, y) in enumerate(zip(seen.gradients, seen.labels(), strict=True)):
        began, x = time.process_time(), torch.from_numpy(draws[i]).float()[None].requires_grad_()
        parts, label = torch.split(torch.from_numpy(goal).float(), sizes), torch.tensor([int(y)])

        def distance(x: torch.Tensor = x, parts: Any = parts, y: torch.Tensor = label) -> Any:
            own = torch.autograd.grad(
                nn.functional.cross_entropy(net(x), y), list(net.parameters()), create_graph=True
            )
            if who.distance == "squared":
                apart = [((a.flatten() - b) ** 2).sum() for a, b in zip(own, parts, strict=True)]
                return torch.stack(apart).sum() / sum((b**2).sum() for b in parts)
            dot = sum((a.flatten() * b).sum() for a, b in zip(own, parts, strict=True))
            size = torch.stack([(a**2).sum() for a in own]).sum() * sum((b**2).sum() for b in parts)
            edges = (x[..., 1:] - x[..., :-1]).abs().mean() + (x[..., 1:, :] - x[..., :-1, :]).abs().mean()
            return 1 - dot / size.sqrt() + who.prior * edges

        step = lbfgs(x, distance) if who.distance == "squared" else signed(x, distance)
        for number in range(1, looks[-1] + 1):
            step()
            if number in looks:
                at = looks.index(number)
                frames[at, i], spent[at] = x.detach()[0].numpy(), spent[at] + time.process_time() - began
    return [(float(s) / len(truth), quality(f, truth)) for s, f in zip(spent, frames, strict=True)]


def lbfgs(x: torch.Tensor, distance: Callable[[], torch.Tensor]) -> Callable[[], object]:
    optimizer = torch.optim.LBFGS(
        [x], max_iter=1, history_size=20, line_search_fn="strong_wolfe", tolerance_grad=0, tolerance_change=0
    )

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        value = distance()
        (x.grad,) = torch.autograd.grad(value, x)
        return value

    return lambda: optimizer.step(closure)  # type: ignore[no-untyped-call]


def signed(x: torch.Tensor, distance: Callable[[], torch.Tensor]) -> Callable[[], object]:
    optimizer = torch.optim.Adam([x], lr=0.1)
    falls = torch.optim.lr_scheduler.MultiStepLR(optimizer, [STEPS * k // 8 for k in (3, 5, 7)])

    def step() -> None:
        (slope,) = torch.autograd.grad(distance(), x)
        x.grad = slope.sign()
        optimizer.step()
        falls.step()
        with torch.no_grad():
            x.clamp_(0, 1)

    return step


def breaching(python: Path, seen: Observation, truth: np.ndarray, name: str) -> Curve:
    with tempfile.TemporaryDirectory() as scratch:
        task, found = Path(scratch) / "task.npz", Path(scratch) / "found.npz"
        np.savez(
            task,
            model=name,
            weights=seen.previous,
            x=truth.astype(np.float32),
            y=seen.labels(),
            steps=BUDGETS,
        )
        script = ROOT / "tests" / "benchmarks" / "contenders" / "with_breaching.py"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        subprocess.run(
            [python, script, task, found],
            cwd=ROOT,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        given = np.load(found)
        return [
            (float(s) / len(truth), quality(images, truth))
            for s, images in zip(given["seconds"], given["images"], strict=True)
        ]


def quality(guesses: np.ndarray, truth: np.ndarray) -> float:
    return float(np.median(psnr(clamped(guesses), truth)))


def with_breaching(folder: Path) -> Path:
    """An interpreter that has breaching, beside the packages of this one."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "beside.pth").write_text(str(Path(torch.__file__).parents[1]), encoding="utf-8")
    for what in (["--no-deps", "breaching==0.1.2"], ["hydra-core"]):
        subprocess.run([python, "-m", "pip", "install", "--quiet", *what], check=True)
    return python


CONTESTS = (("lenet", "idlg"), ("cnn", "cosine_tv"))


def reached(curve: Curve, target: float) -> float:
    return next((seconds for seconds, decibels in curve if decibels >= target), float("inf"))


def compare(count: int, turns: int, python: Path | None) -> None:
    print("| model, attack | contender | dB in the end | s an image | to dB | in s | ours in s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for name, label in CONTESTS:
        who = attacks.registry.get(label, iterations=STEPS)
        if not isinstance(who, Search):
            raise TypeError(label)
        kept: dict[str, list[Curve]] = {}
        for turn in range(turns):
            seen, truth = observed(name, turn * count, count)
            kept.setdefault("ours", []).append(ours(who, seen, truth))
            kept.setdefault("plain loop", []).append(plain(who, seen, truth, name))
            if python:
                kept.setdefault("breaching", []).append(breaching(python, seen, truth, name))
        for contender, curves in kept.items():
            end, whole = (np.mean([curve[-1][k] for curve in curves]) for k in (1, 0))
            pairs = [(c, o, min(best(c), best(o))) for c, o in zip(curves, kept["ours"], strict=True)]
            theirs = np.mean([reached(c, target) for c, _, target in pairs])
            own = np.mean([reached(o, target) for _, o, target in pairs])
            target = np.mean([target for *_, target in pairs])
            what = f"| {name}, {label} | {contender} | {end:.1f} | {whole:.2f} "
            print(f"{what}| {target:.1f} | {theirs:.2f} | {own:.2f} | {theirs / own:.1f} |", flush=True)


def best(curve: Curve) -> float:
    return max(decibels for _, decibels in curve)


def share() -> None:
    for dataset in ("digits", "mnist"):
        seen, truth = observed("lenet", 0, 24, dataset)
        began, cpu = time.perf_counter(), time.process_time()
        guesses = attacks.reconstructor("idlg").reconstruct(seen, generator=stream(0, "reconstruction"))
        came = psnr(clamped(guesses[:, 0]), truth)
        spent = time.perf_counter() - began, time.process_time() - cpu
        print(
            f"iDLG, LeNet, {dataset}: {(came > 20).sum()} of 24 back, median {np.median(came):.1f} dB, "
            f"{spent[0]:.1f} s by the clock, {spent[1]:.1f} s of the processor"
        )
    asked = {
        "base": {
            "dataset": "mnist", "model": "lenet", "local": {"learning_rate": RATE}, "clients": {"range": 0.2}
        },
        "mechanisms": ["piecewise", "duchi"], "epsilons": [1, 2, 4, 8, 12, 16, 20, 24], "images": 24,
    }  # fmt: skip
    began, cpu = time.perf_counter(), time.process_time()
    cells: set[tuple[str, float]] = set()
    for event in climb(parse_ladder(asked), datasets.get("mnist").load(data_dir())):
        result = event.as_json()
        if result["event"] == "guess" and result["epsilon"] and len(cells) < 16:
            cells.add((result["mechanism"], result["epsilon"]))
            if len(cells) == 16:
                clock, used = time.perf_counter() - began, time.process_time() - cpu
                print(f"a guess in each of 16 cells after {clock:.1f} s, {used:.1f} s of the processors")
        if result["event"] == "cell":
            what = f"{result['mechanism']} at ε {result['epsilon']:g}"
            print(f"{what}: {result['psnr']:.1f} dB, {result['recovered']} of 24")
    print(
        f"all after {time.perf_counter() - began:.0f} s, {time.process_time() - cpu:.0f} s of the processor"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--images", type=int, default=4)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--share", action="store_true")
    parser.add_argument("--without-breaching", action="store_true")
    parser.add_argument("--python", type=Path, help="an interpreter that has breaching already")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{described()}, torch {torch.__version__}, load {os.getloadavg()[0]:.1f}")
    if asked.share:
        share()
    elif asked.without_breaching or asked.python:
        compare(asked.images, asked.turns, asked.python)
    else:
        with tempfile.TemporaryDirectory() as folder:
            compare(asked.images, asked.turns, with_breaching(Path(folder)))
    print(f"load at the end {os.getloadavg()[0]:.1f}", file=sys.stderr)


if __name__ == "__main__":
    main()
