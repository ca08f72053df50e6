"""What a number in a sentence on runs may be: of their events, ledger, theory or settings."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np

from ldp_core import accounting, datasets
from ldp_core.accounting import entries, entries_in, worth
from ldp_core.attacks.findings import metrics
from ldp_core.experiment import Draft, plan
from ldp_core.images import decode
from ldp_core.inference import margin, wilson
from ldp_core.theory import client_variance, client_weights, server_noise, server_variance

Events = Sequence[tuple[str, list[dict[str, Any]]]]
"""Of each run, with its label."""
SIDES = {"caps": 1, "bound": 1, "epsilon": 1, "factor": 1, "most": 1, "epsilon_lower": -1}
FINE = {"bound", "epsilon", "budget", "factor", "delta", "range", "learning_rate", "epsilon_lower"}
"""Of which at least two digits are printed, but for zeros at the end."""
PERCENT = re.compile(
    r"(round|start)\.accuracy.*|round\.clipped.*|start\.chance|weights|whole|hit_share|end\.measured\.right|usual|gap|caps"
)
MODELS = {"server": "Local", "shuffled heap": "Shuffle", "sum": "Distributed", "model": "Central"}


def printed(x: float, given: str, kind: str = "") -> bool:
    """Whether a value is printed so: rounded to its last digit, or up, or down, by what it is of."""
    mantissa, _, power = given.partition("e")
    digits = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(power or 0) - digits)
    if not digits and not power and abs(float(given)) >= 1000:
        unit = 10.0 ** (len(mantissa) - len(mantissa.rstrip("0")))
    if kind in FINE and float(given):
        unit = min(unit, 10.0 ** (np.floor(np.log10(abs(float(given)))) - 1))
    low, high = ((-0.5, 0.5), (0, 1), (-1, 0))[SIDES.get(kind, 0)]
    return bool(low - 1e-6 <= (float(given) - x) / unit <= high + 1e-6)


def leaves(body: Any, name: str) -> Iterator[tuple[str, float]]:
    """Numbers in a JSON object, by their dotted names."""
    if isinstance(body, dict):
        for key, one in body.items():
            yield from leaves(one, f"{name}.{key}")
    elif isinstance(body, list | tuple):
        for one in body:
            yield from leaves(one, name)
    elif isinstance(body, int | float) and not isinstance(body, bool) and np.isfinite(body):
        yield name, float(body)


class Facts:
    """Values by what they are of; `labels`: the letters that stand for the runs' names."""

    def __init__(self, draft: Draft, each: Events) -> None:
        self.labels = {one.label: chr(65 + i) for i, one in enumerate(draft.variants)}
        self.each = [(self.labels.get(label), own) for label, own in each]
        self.used = [*draft.experiments(), draft.base]
        self.of_label = dict(zip(self.labels.values(), self.used, strict=False))
        self.lines = [
            line
            for one in self.used
            for entry in entries(plan(one))
            for line in (entry.coordinate, entry.upload, entry.run_expected, entry.run_worst)
        ]
        self.known: dict[str, list[float]] = defaultdict(list)
        self.curves: dict[Any, Any] = defaultdict(list)
        self.pairs = {*self._counted()}
        self.back = self._recovered()
        measured = [*self._measured()]
        for path, x in [*measured, *self._derived(measured)]:
            if x is not None and np.isfinite(x):
                self.known[path].append(float(x) * (100 if PERCENT.fullmatch(path) else 1))

    def ran(self, label: str) -> tuple[str, str, str]:
        """Trust model by whom the stored ε holds against, the mechanism that draws, and the largest ε."""
        ledger = entries_in(next(own[-1]["ledger"] for name, own in self.each if name == label))
        most = max(entry.run_worst.bound for entry in ledger)
        mechanism = plan(self.of_label[label]).randomiser.label
        return MODELS[ledger[0].against], mechanism, str(most if most < np.inf else None)

    def _recovered(self) -> dict[Any, list[int]]:
        """Number of images back from each attacked upload of a run, and of one client's."""
        found: dict[Any, list[int]] = defaultdict(list)
        for label, own in self.each:
            for one in own:
                if one["event"] == "attack" and one.get("recovered") is not None and not one["control"]:
                    for client in (one["client"], None):
                        found[label, client].append(one["recovered"])
        return found

    def _counted(self) -> Iterator[tuple[Any, float, int]]:
        """Right picks and tries of a run, or of all, up to each round; and images back of an upload."""
        attacks = [(label, one) for label, own in self.each for one in own if one["event"] == "attack"]
        ranked = [(a, one) for a, one in attacks if one.get("identification_rank") and not one["control"]]
        groups = {(a, b) for label, one in ranked for a in (label, "all") for b in (one["client"], "all")}
        for key, (name, client) in product(
            ("identification_credit", "identification_credit_same_class"), groups
        ):
            own = [
                (one["round"], one[key])
                for label, one in ranked
                if name in (label, "all") and client in (one["client"], "all") and one[key] is not None
            ]
            for last, _ in own:
                credits = [credit for at, credit in own if at <= last]
                yield name, sum(credits), len(credits)
        yield from (
            ("all", one["recovered"], one["images"]) for _, one in attacks if one.get("recovered") is not None
        )

    def _measured(self) -> Iterator[tuple[str, Any]]:
        """What events hold, and its means over seeds."""
        together: dict[Any, list[Any]] = defaultdict(list)
        for label, own in self.each:
            one = self.of_label.get(label or "")
            exact = {"noise_variance": 0.0} if one is None or plan(one).randomiser.role == "identity" else {}
            for body in own:
                yield from leaves(body, body["event"])
                if body["event"] == "attack" and body.get("psnr"):
                    group = "attack", label, body["upload"], body["control"], body["round"]
                    together[group].append({"psnr": body["psnr"], "ncc": body["ncc"] or 0.0})
            for at, body in enumerate(body for body in own if "accuracy_per_class" in body):
                together["round", label, at].append({"noise_variance": 0.0} | body | exact)
        for (event, label, *_), many in together.items():
            for found in zip(*(leaves(one, event) for one in many), strict=False):
                path, mean = found[0][0], float(np.mean([x for _, x in found]))
                self.curves[path, label].append(mean)
                yield path, mean
        for (path, label), curve in self.curves.items():
            if path == "round.noise_variance":
                if self.of_label.get(label, self.used[0]).target != "weights":
                    self.curves[path, label] = np.cumsum(curve)
                yield from (("left", x) for x in self.curves[path, label])
        for _, own in self.each:
            for target in (one for one in own if one["event"] == "target"):
                blind = (decode(x)[None] / 255 for x in (own[0]["mean_image"], target["image"]))
                yield "attack.ncc", metrics.ncc(*blind)[0]

    def _derived(self, measured: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        used, plans = self.used, [plan(one) for one in self.used]
        sources = [one.source for one in plans] + [datasets.get(one.dataset) for one in used]
        ends: dict[Any, list[float]] = defaultdict(list)
        for label, own in self.each:
            ends[label].append([one["accuracy"] for one in own if "accuracy_per_class" in one][-1])
        own_ends = [
            [np.mean(one) for one in ends.values()],
            *zip(*(ends[x] for x in ends if x), strict=False),
        ]
        caps: dict[Any, list[float]] = defaultdict(list)
        for number, (_, own) in enumerate(self.each):
            for body in own:
                if body["event"] == "attack" and not body["control"] and body.get("cap") is not None:
                    caps[number, body["client"]].append(body["cap"])
        shares = [x for path, x in measured if path == "round.accuracy"]
        held = max(own[-1].get("held_out") or plans[0].source.test_size for _, own in self.each)
        many = [one.attack.candidates for one in used if one.attack]
        tries = [n / candidates for _, _, n in self.pairs for candidates in many]
        known = [line.bound for line in self.lines if line.bound < 500]
        counted = [
            line[key]
            for one in used
            for entry in accounting.ledger(one)
            for line in entry.values()
            if isinstance(line, dict)
            for key in ("epsilon", "basic")
        ]
        holds = [one.source.train_size / one.experiment.clients.count for one in plans]
        for path, values in {
            "gap": [a - b for one in own_ends for a, b in permutations(one, 2)]
            + [margin(x, held) for x in shares if 0 < x < 1],
            "caps": [np.mean(one) for one in caps.values()],
            "whole": [0, 1],
            "usual": [0.1, 0.5, 0.95],
            "good": [20],
            "worthless": [10, np.exp(10)],
            "end.held_out": [held],
            "weights": [x for one in plans for x in client_weights(one).tolist()],
            "hits": [0, *many, *(n - 1 for n in many), *(n for _, _, n in self.pairs)],
            "guess": [*tries, *np.floor(tries), *np.ceil(tries)],
            "hit_share": [x for _, k, n in self.pairs for x in (k / n, *wilson(k, n))],
            "ledger.bound": [x for line in self.lines for x in (line.bound, line.sum, line.generic)]
            + counted,
            "ledger.delta": [line.delta for line in self.lines],
            "ledger.factor": [*np.exp(known), *(100 * np.expm1(known))],
            "theory.left": [server_variance(one) * n for one in used for n in (1, one.rounds)],
            "theory.sigma": [
                x**0.5 for one in plans for x in (*client_variance(one), server_variance(one.experiment))
            ],
            "theory.size": [
                x for one in plans for x in (server_noise(one).heard ** 0.5, server_noise(one).heard)
            ],
            "asked.budget": [
                x for one in plans for x in (*one.asked.people.epsilon, *one.population.epsilon)
            ],
            "asked.range": [x for one in used for end in one.clients.bounds() for x in (*end, *-end)],
            "count.asks": [n for one in used for n in Counter(one.clients.budgets().tolist()).values()],
            "count.clients": [*range(max(one.clients.count for one in used) + 1)],
            "count.rounds": [*range(1 + max(one.rounds for one in used))],
            "count.seeds": [*range(1, 1 + max(map(len, ends.values())))],
            "count.runs": [*range(len(self.each) + 1)],
            "size.weights": [x for one in plans for x in (one.uploaded, one.dimension)],
            "size.samples": [*np.floor(holds), *np.ceil(holds), *(one.train_size for one in sources)],
            "size.data": [x for one in sources for x in (one.classes, *one.shape, np.prod(one.shape))]
            + [x for one in sources for x in (one.train_size, one.test_size, one.train_size + one.test_size)],
        }.items():
            yield from ((path, x) for x in values)
        for one in used:
            yield from leaves(one.as_json(), "asked")

    def holds(self, kinds: str, groups: tuple[str | None, ...]) -> bool:
        """Whether numbers that a rule of these kinds has found are so."""
        if kinds in ("accuracy", "noise"):  # of a named run, at a round, or at the end
            label, given, at = (*groups, None)[:3]
            curve = self.curves["round.accuracy" if kinds == "accuracy" else "round.noise_variance", label]
            place, scale = len(curve) - 1 if at is None else int(at), 100 if kinds == "accuracy" else 1
            return 0 <= place < len(curve) and printed(scale * curve[place], given or "")
        numbers = [one for one in groups if one]
        if kinds == "back":  # of a named run: images of an upload, on average
            return printed(float(np.mean(self.back[groups[0], None])), numbers[1])
        if kinds == "most":  # of uploads: how many, and their mean
            each = [one for one in self.back.values() if len(one) == float(numbers[0])]
            return any(printed(float(np.mean(one)), numbers[1]) for one in each)
        if kinds in ("pairs", "picks", "came"):
            right, tries = map(float, numbers[::-1] if kinds == "came" else numbers[-2:])
            named = [(k, n) for name, k, n in self.pairs if kinds != "picks" or name in (numbers[0], "all")]
            return any(n == tries and abs(k - right) <= 0.5 for k, n in named)
        if kinds == "odds":
            right, tries = map(float, numbers)
            caps = [1 - np.exp(worth(line).wrong) for line in self.lines if line.guarantee]
            return any(-1e-9 <= right / tries - cap <= 1 / tries for cap in caps)
        some = [
            (path.rpartition(".")[2], x)
            for path, values in self.known.items()
            if re.fullmatch(kinds, path)
            for x in values
        ]
        return all(any(printed(x, one, kind) for kind, x in some) for one in numbers)
