"""Random experiments as a user draws them who does not know what the verdict was measured for.

Eleven mechanisms in both forms, every aggregator and selection, profiles, modes and lists of budgets,
ranges for each client, limits, budgets for an upload, both targets, networks of other widths, other
optimisers. Four in five stay within the numbers that the rule speaks of; the others go beyond them. The
order of the draws is part of each number's meaning.
"""

from typing import Any

import numpy as np

from ldp_core import mechanisms

MECHANISMS = (
    "duchi", "dynamic_gaussian", "gaussian", "grr", "harmony", "hybrid", "laplace", "none", "pdpm",
    "piecewise",
)  # fmt: skip
"""Those that there were, and not what the registry holds: one more would change what every number means."""
WEIGHTINGS = ("mean", "mean", "inverse_std", "inverse_variance", "data_weighted", "probability_selection")
WEIGH_BY_NOISE = ("inverse_std", "inverse_variance", "probability_selection")


def experiment(number: int, space: int = 303) -> dict[str, Any]:
    """Experiment by number. Spaces 101, 202, 404 and 505 went into the rule; 303, 405 and 606 did not."""
    draw = Draw(space, number)
    wide = draw.chance(0.2)
    count = draw.whole(5, 60 if wide else 31)
    target = draw.one("weights", "update")
    clients = {"count": count} | _clients(draw, count, target)
    mechanism = _mechanism(draw)
    aggregator: dict[str, Any] = {
        "name": draw.one(*WEIGHTINGS, *(["sign_majority"] if draw.chance(0.2) else []))
    }
    if aggregator["name"] in WEIGH_BY_NOISE and draw.chance(0.15):
        aggregator["between"] = draw.between(0.01, 1)
    rounds = draw.whole(3, 40) if wide else draw.whole(5, 30)
    share = {"kind": "fraction", "fraction": round(draw.uniform(0.1, 0.95), 2)}
    selection = draw.one({"kind": "all"}, {"kind": "all"}, share, {"kind": "once"})
    if selection["kind"] == "once":
        rounds = min(rounds, count)
    model: Any = draw.one("logistic_regression", "mlp")
    if model == "mlp" and draw.chance(0.15):
        model = {"name": "mlp", "hidden": draw.one(8, 16, 64, 128)}
    local: dict[str, Any] = {
        "learning_rate": round(draw.between(0.05, 3) if wide else draw.between(0.2, 1), 3),
        "epochs": draw.whole(1, 5 if wide else 3),
        "batch_size": draw.one(2, 5, 10, 20, 40) if wide else draw.one(5, 8, 10, 16, 20),
    }
    if wide and draw.chance(0.2):
        local["optimizer"] = draw.one("adam", "optimal")
    same = draw.chance(0.97)
    return {
        "clients": clients,
        "mechanism": mechanism,
        "aggregator": aggregator,
        "selection": selection,
        "model": model,
        "target": target,
        "rounds": rounds,
        "local": local,
        "partition": {"kind": "iid"} if same else {"kind": "dirichlet", "alpha": draw.one(0.1, 1.0)},
        "form": draw.one(*mechanisms.get(mechanism["name"]).forms),
        "seed": draw.whole(0, 999),
        "attack": None,
    }


class Draw:
    def __init__(self, space: int, number: int) -> None:
        self._generator = np.random.default_rng([space, number])

    def one(self, *choices: Any) -> Any:
        return choices[int(self._generator.integers(len(choices)))]

    def whole(self, low: int, high: int) -> int:
        return int(self._generator.integers(low, high + 1))

    def uniform(self, low: float, high: float) -> float:
        return float(self._generator.uniform(low, high))

    def between(self, low: float, high: float) -> float:
        """Uniform in the logarithm."""
        return float(np.exp(self._generator.uniform(np.log(low), np.log(high))))

    def chance(self, share: float) -> bool:
        return bool(self._generator.random() < share)


def _clients(draw: Draw, count: int, target: str) -> dict[str, Any]:
    """Budgets in the ways that there are, safe ranges alike or not, limits now and then."""
    half = draw.between(0.1, 3) if target == "weights" else draw.between(0.005, 0.6)
    profile = [round(draw.between(0.1, 10), 3) for _ in range(count)]
    clients: dict[str, Any] = {
        "epsilon": draw.one(
            draw.between(0.05, 16),
            draw.between(0.05, 16),
            draw.between(0.3, 8),
            profile,
            draw.one("two_volunteers", "half_and_half", "three_levels", "heavy_tailed"),
            draw.one("eps1", "eps2", "eps3"),
            [draw.one(0.5, 1.0, 2.0, 8.0) for _ in range(count)],
        )
    }
    kind = draw.uniform(0, 1)
    if kind < 0.75:
        clients["range"] = round(half, 4)
    elif kind < 0.85:
        clients["range"] = [round(half * draw.uniform(1, 1.5), 4) for _ in range(count)]
    elif kind < 0.9:
        clients["range"] = [round(half * draw.uniform(0.5, 2), 4) for _ in range(count)]
    elif kind < 0.95:
        clients |= {"low": -round(half * draw.uniform(0.9, 1.1), 4), "high": round(half, 4)}
    else:
        clients["range"] = draw.one("tau1", "tau2", "tau3")
    if draw.chance(0.12):
        clients["run_limit"] = draw.between(np.e**4, np.e**11)
    if draw.chance(0.08):
        clients |= {"epsilon_scope": "upload", "epsilon": draw.between(8, 700)}
    return clients


def _mechanism(draw: Draw) -> dict[str, Any]:
    name = draw.one(*MECHANISMS, *(["ldpsign"] if draw.chance(0.3) else []))
    parameters, chosen = mechanisms.get(name).parameters(), {"name": name}
    if "calibration" in parameters:
        chosen["calibration"] = draw.one("analytic", "analytic", "classical", "paper001")
    if "per" in parameters and draw.chance(0.15):
        chosen["per"] = "upload"
    if "levels" in parameters:
        chosen["levels"] = draw.one(2, 4, 4, 16)
    return chosen
