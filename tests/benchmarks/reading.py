"""Which measure says that a picture is back as a reader does: `python -m tests.benchmarks.reading`.

The reading test. A classifier learns the data set without the images that are attacked (so it has never seen
a victim), from copies in random contrast and with random noise, for an eye forgives both. It reads what the
attackers make of uploads of one image each, at budgets from where nothing is legible to where all is. A
picture is read where the classifier names the victim's class and the picture is more like the victim than
any of its nine decoys, so that an average of the class is not taken for the image.

Printed: for correlation and for PSNR, the threshold that agrees most often with that, how often it does, and
how many of the pictures above it are read. `ldp_core.attacks.findings.verdict` has the outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

from ldp_core import datasets
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.findings.verdict import READ, RECOVERED_DB
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.federated.federation import assemble, choose_device
from ldp_core.leakage.grid import _trained
from ldp_core.leakage.grid_context import Grid, Known, climb_rungs
from ldp_core.runs.storage.paths import data_dir

BUDGETS = [1, 3, 5, 6, 8, 10, 14, 20, 60]
NARROW = {"target": "update", "clients": {"low": -0.2, "high": 0.2}}
CASES: dict[str, dict[str, Any]] = {
    "digits, weights ±1": {"base": {"dataset": "digits"}},
    "digits, changes ±0.2": {"base": {"dataset": "digits"} | NARROW},
    "MNIST, weights ±1": {"base": {"dataset": "mnist"}},
    "MNIST, network, changes ±0.2": {"base": {"dataset": "mnist", "model": "mlp"} | NARROW},
}
CLIENTS, IMAGES = (1, 9), 10


class Kept(Grid):
    """Uploads under attack, and all that was made of them."""

    made: list[dict[str, Any]]

    def scored(
        self, control: Any, seen: Any, guesses: Any, picked: Any, victims: slice
    ) -> list[dict[str, Any]]:
        rows = super().scored(control, seen, guesses, picked, victims)
        pictures = metrics.clamped(guesses[:, 0])
        for row, picture, label in zip(rows, pictures, self._lineup.labels[victims], strict=True):
            self.made.append({"picture": picture, "label": int(label), **row})
        return rows


def attempts(ladder: Ladder, data: datasets.Data) -> tuple[list[dict[str, Any]], np.ndarray]:
    federation = assemble(ladder.experiment(None), data, choose_device())
    grid = Kept(ladder, federation, *_trained(federation, ladder.round))
    grid.made = []
    for mechanism in ladder.mechanisms:
        for _ in climb_rungs(grid, mechanism, Known.of([])):
            pass
    return grid.made, grid._samples


def reader(images: np.ndarray, labels: np.ndarray, classes: int) -> nn.Module:
    """Learnt from copies that differ in contrast, brightness and noise."""
    side, generator = images.shape[-1], torch.Generator().manual_seed(1)
    torch.manual_seed(1)
    inner = side // 2
    model = nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(),
        nn.Conv2d(24, 48, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.3), nn.Linear(48 * inner * inner, 128), nn.ReLU(), nn.Linear(128, classes),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    x, y = torch.from_numpy(images).float(), torch.from_numpy(labels).long()
    steps = 3000 if side < 16 else 800
    for _ in range(steps):
        at = torch.randint(len(x), (64,), generator=generator)
        scale, shift, noise = (torch.rand((64, 1, 1, 1), generator=generator) for _ in range(3))
        copies = x[at] * (0.3 + 0.7 * scale) + 0.4 * (shift - 0.5)
        copies = copies + 0.4 * noise**2 * torch.randn(copies.shape, generator=generator)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(_even(copies)), y[at]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return model.eval()


def _even(images: torch.Tensor) -> torch.Tensor:
    """Of one brightness and contrast, after what a screen can show."""
    shown = images.clamp(0, 1)
    centred = shown - shown.mean(dim=(1, 2, 3), keepdim=True)
    return centred / centred.std(dim=(1, 2, 3), keepdim=True).clamp(min=1e-3)


def read(model: nn.Module, pictures: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        return model(_even(torch.from_numpy(pictures).float())).argmax(dim=1).numpy()


def case(name: str) -> Iterator[dict[str, Any]]:
    data = datasets.get(CASES[name]["base"]["dataset"]).load(data_dir())
    made, seen = list[dict[str, Any]](), set[int]()
    for client in CLIENTS:
        asked = CASES[name] | {"epsilons": BUDGETS, "mechanisms": ["piecewise", "duchi"]}
        more, samples = attempts(parse_ladder(asked | {"images": IMAGES, "client": client}), data)
        made += more
        seen |= set(samples.tolist())
    strangers = np.array(sorted(set(range(len(data.train_x))) - seen))[:20_000]
    shape = (-1, 1, *made[0]["picture"].shape[-2:])
    model = reader(data.train_x[strangers].reshape(shape), data.train_y[strangers], data.classes)
    test = (read(model, data.test_x[:2000].reshape(shape)) == data.test_y[:2000]).mean()
    print(f"{name}: {len(made)} pictures; of clean held-out images the reader names {test:.1%} right")
    named = read(model, np.stack([one["picture"] for one in made]).reshape(shape))
    for one, word in zip(made, named, strict=True):
        own = one["ncc"] > one["ncc_non_members"]
        yield {"ncc": one["ncc"], "psnr": one["psnr"], "named": word == one["label"], "own": own}


def agreement(rows: list[dict[str, Any]], measure: str, threshold: float) -> float:
    return float(np.mean([(one[measure] >= threshold) == (one["named"] and one["own"]) for one in rows]))


def main() -> None:
    torch.set_num_threads(2)
    every: list[dict[str, Any]] = []
    for name in CASES:
        found = list(case(name))
        every += found
        report(found)
    print("all")
    report(every)
    for low in np.arange(0, 1, 0.1):
        some = [one for one in every if low <= one["ncc"] < low + 0.1]
        shares = [np.mean([one[which] for one in some]) for which in ("named", "own")] if some else [0, 0]
        named, own = (f"{share:.0%}" for share in shares)
        print(f"  correlation {low:.1f} to {low + 0.1:.1f}: {len(some)}, named {named}, own {own}")


def report(rows: list[dict[str, Any]]) -> None:
    tried = {
        "ncc": [0.05 * place for place in range(4, 20)],
        "psnr": [float(place) for place in range(8, 26)],
    }
    for measure, now in (("ncc", READ), ("psnr", RECOVERED_DB)):
        agreed = [agreement(rows, measure, place) for place in tried[measure]]
        best = tried[measure][int(np.argmax(agreed))]
        above = [one["named"] and one["own"] for one in rows if one[measure] >= now]
        print(
            f"  {measure} agrees most at {best:.2f}: {max(agreed):.1%}; at {now:g}: "
            f"{agreement(rows, measure, now):.1%}, and {np.mean(above):.1%} of those above are read"
        )


if __name__ == "__main__":
    main()
