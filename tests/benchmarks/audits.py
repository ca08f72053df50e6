"""`python -m tests.benchmarks.audits [AUDITS]`: how often an audit by samples refutes a shipped mechanism.

At 95 % it may in 50 of 1 000; each audit has 1 000 trials on each of the two inputs that are furthest apart.
"""

from __future__ import annotations

import sys

import numpy as np

from tests.accounting.samples.test_audit import OURS, our_audit


def main(audits: int = 1000) -> None:
    generator = np.random.default_rng(2026)
    found = [our_audit(OURS[i % len(OURS)], generator, 1000) for i in range(audits)]
    for name in OURS:
        own = found[OURS.index(name) :: len(OURS)]
        refuted, measured = sum(one.refuted for one in own), np.median([one.measured for one in own])
        print(f"{name:<18} refuted {refuted:>3} of {len(own)}; median bound {measured:.2f}")
    print(f"{sum(one.refuted for one in found)} of {audits} refuted")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
