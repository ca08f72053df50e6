"""What the default attack costs beside training: `python -m tests.benchmarks.beside [--presets] [WORD …]`.

Runs with it and without, in turns that are interleaved, as a worker makes them; each figure is the least of
its turns. Seconds of the processor are of all processes that take part. With words, those whose label has
one of them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

import psutil

from ldp_core import presets
from ldp_core.cost.work import uploads_attacked
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, changed, parse
from ldp_core.experiment.fitted import with_fit
from ldp_core.experiment.threat_model import resolved, spies
from ldp_core.runs.lockstep import drive, load, one_thread
from tests.benchmarks.machine import described

TURNS = 3
LENGTHS = (5, 15, 45)
CASES = (
    ("logistic_regression", "digits"),
    ("mlp", "digits"),
    ("mlp2", "digits"),
    ("lenet", "digits"),
    ("logistic_regression", "mnist_sample"),
    ("mlp", "mnist_sample"),
    ("lenet", "mnist_sample"),
    ("cnn", "mnist_sample"),
)


def models() -> Iterator[tuple[str, Experiment]]:
    """Train's defaults with another model, data set and length; without noise, as some diverge with it."""
    for model, dataset in CASES:
        for rounds in LENGTHS:
            chosen = with_fit(parse({}), {"dataset": dataset, "model.name": model, "rounds": rounds})
            yield f"{model}, {dataset}", changed(parse({}), {**chosen, "mechanism": "none"})


def scenarios() -> Iterator[tuple[str, Experiment]]:
    for name in presets.names():
        draft = presets.get(name).draft
        for variant, one in zip(draft.variants, draft.experiments(), strict=True):
            if spies(one):
                yield f"{name}: {variant.label}", one
                break


def processor() -> float:
    """Seconds of this process and those that it has begun."""
    found = 0.0
    for one in (psutil.Process(), *psutil.Process().children(recursive=True)):
        times = one.cpu_times()
        found += times.user + times.system
    return found


def timed(experiment: Experiment) -> tuple[float, float]:
    began = time.perf_counter(), processor()
    for _ in drive({0: experiment}):
        pass
    return time.perf_counter() - began[0], processor() - began[1]


def row(label: str, attacked: Experiment) -> str:
    spared = changed(attacked, {"attack": None})
    turns: dict[str, list[tuple[float, float]]] = {"with": [], "without": []}
    for turn in range(TURNS + 1):
        for who, one in (("with", attacked), ("without", spared)):
            took = timed(one)
            if turn:  # the first pays for what is loaded and compiled
                turns[who].append(took)
    (more, much), (less, little) = (
        [min(c) for c in zip(*turns[w], strict=True)] for w in ("with", "without")
    )
    plan = resolved(attacked).attack
    does = f"{uploads_attacked(attacked)} uploads"
    after = " after it" if plan and plan.after else ""
    figures = f"{less:.2f} | {more:.2f} | {more / less:.2f} | {little:.2f} | {much:.2f} | {much / little:.2f}"
    who = "/".join(dict.fromkeys(spy.attacker for spy in spies(attacked))) or "nobody"
    return f"| {label} | {attacked.rounds} | {who}: {does}{after} | {figures} |"


def main() -> None:
    one_thread()
    print(described(), "load average", *(f"{one:.1f}" for one in os.getloadavg()))
    print("| run | rounds | attack | s without | with | ratio | CPU s without | with | ratio |")
    print("|" + "---|" * 9)
    words = [word for word in sys.argv[1:] if word != "--presets"]
    for label, experiment in scenarios() if "--presets" in sys.argv else models():
        if words and not any(word in label for word in words):
            continue
        try:
            load(experiment.dataset)
        except StudioError:
            continue
        print(row(label, experiment), flush=True)
    print("load average", *(f"{one:.1f}" for one in os.getloadavg()))


if __name__ == "__main__":
    main()
