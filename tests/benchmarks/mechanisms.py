"""Samplers at the size of ResNet-18, what a round measures beside its noise, the theory of 10 000 clients."""

import numpy as np
import torch

from ldp_core import aggregators, mechanisms
from ldp_core.experiment.schema import Piece
from ldp_core.federated.terms import Laws
from ldp_core.federated.upload import some_rows, uploaded
from ldp_core.mechanisms import Use
from ldp_core.runs.lockstep import one_thread
from ldp_core.systems import Encoded
from tests.benchmarks.machine import best, described

VALUES = 11_173_962
CLIENTS = 10_000


def samplers() -> None:
    values = np.random.default_rng(0).uniform(-1, 1, VALUES).astype(np.float32)
    generator = np.random.Generator(np.random.Philox(key=1))
    uniform = best(lambda: generator.random(VALUES, dtype=np.float32), 3)
    tensor, torch_generator = torch.from_numpy(values), torch.Generator()
    torch_uniform = best(lambda: torch.rand(VALUES, generator=torch_generator), 3)
    print(
        f"{VALUES} values, float32, one thread; a uniform draw: {uniform:.3f} s, torch {torch_uniform:.3f} s"
    )
    print("| mechanism | numpy, in uniform draws | torch, in uniform draws |\n|---|---|---|")
    for name in mechanisms.names():
        mechanism = mechanisms.get(name).fitted(Use(VALUES))
        ours = best(lambda m=mechanism: m.perturb(values, 1.0, -1, 1, generator), 3)  # type: ignore[misc]
        theirs = best(lambda m=mechanism: m.perturb(tensor, 1.0, -1, 1, torch_generator), 3)  # type: ignore[misc]
        print(f"| {name} | {ours / uniform:.1f} | {theirs / torch_uniform:.1f} |")


def round_of_the_papers() -> None:
    """Clipping and noise of the papers' round, 70 × 21 840 values; and its exact sum, moments and counts."""
    clients, width = 70, 21_840
    values = np.random.default_rng(0).normal(0, 0.1, (clients, width)).astype(np.float32)
    half, epsilon = np.full((clients, 1), 0.15), np.linspace(0.5, 4, clients)[:, None]
    shares, known, mean = np.full(clients, 1 / clients), np.zeros(1, np.float32), aggregators.get("mean")
    print("| mechanism | noise, ms | measured beside, ms | ratio |\n|---|---|---|---|")
    for name in mechanisms.names():
        pieces = [Piece(slice(0, width), mechanisms.get(name).fitted(Use(width, 10, 1, 70)))]
        laws, encoded = Laws(), Encoded(values, -half, half)

        def uploads(measured: bool) -> None:
            noise, of = np.random.Generator(np.random.Philox(key=1)), shares if measured else None
            found = uploaded(pieces, encoded, epsilon, known, noise, of, laws=laws)  # noqa: B023
            for rows in some_rows(found.exact.shape) if measured else ():
                mean.combine(found.exact[rows].astype(np.float64), shares[rows])

        alone, both = (1e3 * best(lambda m=m: uploads(m), 9) for m in (False, True))  # type: ignore[misc]
        print(f"| {name} | {alone:.1f} | {both - alone:.1f} | {(both - alone) / alone:.2f} |")


def theory() -> None:
    generator = np.random.default_rng(0)
    epsilon = generator.lognormal(0, 1, CLIENTS)
    half = generator.uniform(0.1, 1, CLIENTS)
    all_of_them = [mechanisms.get(name).fitted(Use(650)) for name in mechanisms.names()]

    def everything() -> None:
        for mechanism in all_of_them:
            law = mechanism.at(epsilon, -half, half)
            _ = law.variance(0.05), law.max_variance

    total = best(everything)
    what = f"variance and worst variance of {CLIENTS} clients, {len(all_of_them)} mechanisms"
    print(f"{what}: {total * 1e3:.0f} ms")


if __name__ == "__main__":
    one_thread()
    print(described())
    samplers()
    round_of_the_papers()
    theory()
