"""Does the inverse question's answer hold? `python -m tests.benchmarks.tune [ACCURACY …]`

For each accuracy the question is asked on the default training (digits, 20 clients, logistic regression), and
its answer is run with ten seeds that the search has not seen: at least nine are to reach what was asked.
"""

import sys
import time

from ldp_core.datasets import quiet
from ldp_core.runs.kinds.tune import search
from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.train_all import train_all
from ldp_core.tuning import parse_question
from tests.benchmarks.machine import described

FRESH = range(1000, 1010)


def main() -> None:
    one_thread()
    print(described())
    for accuracy in [float(word) for word in sys.argv[1:]] or [0.75, 0.85, 0.9]:
        asked = parse_question({"accuracy": accuracy})
        cpu, wall = time.process_time(), time.perf_counter()
        *runs, answer = search(asked, [], quiet)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        took = f"{len(runs)} runs, {wall:.1f} s, {cpu:.1f} s of CPU"
        print(f"{accuracy:.0%}: {answer['why']}; {took}", flush=True)
        if answer["epsilon"] is not None:
            fresh = [asked.experiment(answer["half"], answer["epsilon"], seed) for seed in FRESH]
            ends = [figures.accuracy or 0.0 for _, figures in train_all(fresh)]
            met = sum(end >= accuracy for end in ends)
            print(f"  fresh runs that meet it: {met} of {len(ends)}, worst {min(ends):.1%}", flush=True)


if __name__ == "__main__":
    main()
