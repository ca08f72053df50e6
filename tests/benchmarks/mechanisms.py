"""Samplers at the size of ResNet-18, and the theory of 10 000 clients."""

import numpy as np

from ldp_core import mechanisms
from ldp_core.mechanisms import Use
from ldp_core.runs.lockstep import one_thread
from tests.benchmarks.machine import best, described

VALUES = 11_173_962
CLIENTS = 10_000


def samplers() -> None:
    values = np.random.default_rng(0).uniform(-1, 1, VALUES).astype(np.float32)
    generator = np.random.Generator(np.random.Philox(key=1))
    uniform = best(lambda: generator.random(VALUES, dtype=np.float32), 3)
    print(f"{VALUES} values, float32, one thread; a uniform draw: {uniform:.3f} s")
    print("| mechanism | in uniform draws |\n|---|---|")
    for name in mechanisms.names():
        mechanism = mechanisms.get(name).fitted(Use(VALUES))
        ours = best(lambda m=mechanism: m.perturb(values, 1.0, -1, 1, generator), 3)  # type: ignore[misc]
        print(f"| {name} | {ours / uniform:.1f} |")


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
    theory()
