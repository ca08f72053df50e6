"""`python -m tests.benchmarks.audits [AUDITS]`: how often an audit by samples refutes a shipped mechanism.

At 95 % it may in 50 of 1 000; each audit has 1 000 trials on each of the two inputs that are furthest apart.
Then how often the bound that a run shows exceeds ε, of ten times as many calibrated runs of 500 trials, and
what share of ε it reaches with 100 000.
"""

import sys
from itertools import product

import numpy as np

from ldp_core.accounting.samples.likelihoods import likelihood_bound
from tests.accounting.samples.test_audit import OURS, our_audit
from tests.accounting.samples.test_likelihoods import ALPHA, exceeds, trials


def main(audits: int = 1000) -> None:
    generator = np.random.default_rng(2026)
    found = [our_audit(OURS[i % len(OURS)], generator, 1000) for i in range(audits)]
    for name in OURS:
        own = found[OURS.index(name) :: len(OURS)]
        refuted, measured = sum(one.refuted for one in own), np.median([one.measured for one in own])
        print(f"{name:<18} refuted {refuted:>3} of {len(own)}; median bound {measured:.2f}")
    print(f"{sum(one.refuted for one in found)} of {audits} refuted")
    print(f"{exceeds(generator, 10 * audits)} of {10 * audits} calibrated runs exceed ε")
    for name, epsilon in product(("duchi", "privunit"), (0.2, 0.5, 1.0, 2.0, 4.0, 7.0, 10.0)):
        shares = []
        for _ in range(20):
            one, other, exact = trials(name, epsilon, 100_000, generator)
            shares.append(likelihood_bound(one, other, ALPHA).epsilon / exact)
        least, middle, most = np.quantile(shares, [0, 0.5, 1])
        print(f"{name:<10} ε {epsilon:<4g} reaches {least:.3f} to {most:.3f}, median {middle:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
