"""How often the verdict before training is right.

`python -m tests.benchmarks.outlook [FIRST LAST [outsider]]`, or `… bands` for `learnability.BAND`

Random experiments on digits; right is “learns” that ends at 75 % or more, “chance” that ends at 35 % or
less, and “borderline” that ends between 20 and 90 %. A severe error is “learns” that ends below 50 %, or
“chance” above. Numbers up to 399 were looked at while the rule was made, by its makers and those who counted
for them; `learnability.COUNTED` are those by which it is judged. With the word “outsider”, experiments are
those of tests/benchmarks/outsider.py.
"""

import sys
from collections import Counter
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ldp_core.experiment import parse
from ldp_core.theory.learnability import ENDS, outlook
from tests.benchmarks import outsider
from tests.data import events

FRESH = 606
"""The outsider's space that no one looked at while the rule was made."""


def experiment(number: int) -> dict[str, Any]:
    """One within the training that the rule speaks of; everything else is anybody's."""
    draw = outsider.Draw(11, number)
    one, between = draw.one, draw.between
    count = int(one(5, 10, 20, 20, 30))
    target = one("weights", "weights", "update")
    half = between(0.15, 2) if target == "weights" else between(0.01, 0.5)
    epsilon = one(between(0.05, 16), between(0.05, 16), "two_volunteers", "half_and_half", "heavy_tailed")
    model = one("logistic_regression", "logistic_regression", "mlp")
    limit = {"run_limit": between(np.e**4, np.e**11)} if draw.chance(0.1) else {}
    mechanisms = ("piecewise", "duchi", "pdpm", "laplace", "hybrid", "gaussian", "harmony", "grr")
    weightings = ("mean", "mean", "inverse_std", "inverse_variance", "data_weighted", "probability_selection")
    return {
        "model": model,
        "clients": {"count": count, "epsilon": epsilon, "range": round(half, 4), **limit},
        "target": target,
        "mechanism": one(*mechanisms),
        "aggregator": one(*weightings),
        "selection": one(
            {"kind": "all"}, {"kind": "all"}, {"kind": "fraction", "fraction": one(0.2, 0.5, 0.8)}
        ),
        "rounds": int(one(5, 10, 15, 15, 30)),
        "local": {"learning_rate": one(0.2, 0.5, 0.5, 1.0), "epochs": int(one(1, 2, 2, 3))},
        "seed": draw.whole(0, 999),
        "attack": None,
    }


def verdict(changes: dict[str, Any]) -> tuple[str, float]:
    """What is said of an experiment, and the accuracy at which it ends."""
    return outlook(parse(changes)).word, float(events(changes)[-1]["accuracy"])


def right(word: str, accuracy: float) -> bool:
    low, high = ENDS[word]
    return low <= accuracy <= high


def severe(word: str, accuracy: float) -> bool:
    """Whether a verdict says the opposite of what happens."""
    return accuracy < 0.5 if word == "learns" else word == "chance" and accuracy > 0.5


def bands() -> None:
    """Where runs ended, by their place on the scale of limits: 10 and 90 % of those in each bin."""
    ended = list[tuple[float, float]]()
    for space, many in ((404, 300), (505, 250)):
        for number in range(many):
            view = outlook(parse(changes := outsider.experiment(number, space)))
            if view.place is not None:
                ended.append((view.place, float(events(changes)[-1]["accuracy"])))
    places, accuracies = np.array(ended).T
    for low, high in pairwise((-3, -2, -1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 1, 2)):
        inside = accuracies[(places >= low) & (places < high)]
        print((low + high) / 2, len(inside), np.quantile(inside, [0.1, 0.9]).round(2))


def main() -> None:
    if "bands" in sys.argv:
        bands()
        return
    first, last = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (0, 400)
    drawn_by = partial(outsider.experiment, space=FRESH) if "outsider" in sys.argv else experiment
    counts: Counter[tuple[str, bool]] = Counter()
    opposite = 0
    for number in range(first, last):
        word, accuracy = verdict(drawn_by(number))
        opposite += severe(word, accuracy)
        counts[word, word != "unknown" and right(word, accuracy)] += 1
    for word in ENDS:
        yes, no = counts[word, True], counts[word, False]
        print(f"{word}: right {yes} of {yes + no}")
    unknown = counts["unknown", False]
    print(f"all: right {sum(n for (_, ok), n in counts.items() if ok)} of {last - first - unknown}")
    print(f"severe errors: {opposite}")
    print(f"no verdict: {unknown}")


if __name__ == "__main__":
    main()
