"""Paper 001: personalised LDP-FL, and its claims about weighting clients by their noise."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ldp_core.papers.base import Claim, Control, Reading, arms, grid, paper
from ldp_core.papers.statements import Ahead, Gain, Statement, Value

A, B, C, BEST = "A mean", "B by 1/σ", "C lottery", "1/σ²"
CLEAN: dict[str, Any] = {"mechanism.name": "none", "aggregator.name": "mean", "form": "corrected"}
SIGNS: dict[str, Any] = {"clients.epsilon": 700}
"""Setting for signs without noise: at this ε only the smallest weights change sign."""
IID: dict[str, dict[str, Any]] = {
    way: {"aggregator.name": name}
    for way, name in zip(
        (A, B, C, BEST), ("mean", "inverse_std", "probability_selection", "inverse_variance"), strict=True
    )
}
VOTED: dict[str, dict[str, Any]] = {
    A: {},
    B: {"aggregator.votes": "inverse_std"},
    C: {"aggregator.votes": "lottery"},
    BEST: {"aggregator.votes": "inverse_variance"},
}
INSTEAD: dict[str, dict[str, Any]] = {
    "Duchi, mean": {"mechanism.name": "duchi", "form": "corrected", "aggregator.name": "mean"},
    "Piecewise, mean": {"mechanism.name": "piecewise", "form": "corrected", "aggregator.name": "mean"},
    "changes, mean": {"target": "update", "aggregator.name": "mean"},
}
COVERED: dict[str, dict[str, Any]] = {
    "C, σ over the range": {"form": "corrected", "aggregator.name": "probability_selection"}
    | {"mechanism.sensitivity": None}
}
"""Arms in the corrected form, measured on shipped data only."""
ZERO: dict[str, Any] = {"system.start": "zero"}
RECORDS: dict[str, Any] = {
    **ZERO,
    "local.batch_size": 1,
    "local.optimizer": {"name": "optimal", "counter": "run"},
}
ANEW: dict[str, Any] = {**RECORDS, "local.optimizer": {"name": "optimal", "counter": "round"}}
AVERAGED = "The paper gives one gain for all its settings; here it is the mean over them."
DEALT = "The paper does not give its Dirichlet parameter; here it is 1."
OF_THREE: tuple[Sequence[float], ...] = ([1, 1, 10], [1, 5, 10], [1, 10, 10])
STRICTER: tuple[Sequence[float], ...] = ([0.05, 0.05, 1], [0.05, 0.5, 1], [0.05, 1, 1])
MIXED: tuple[Sequence[float], ...] = ([1] * 5 + [10] * 5, [1] * 3 + [5] * 4 + [10] * 3)
STRICT: tuple[Sequence[float], ...] = ([5] * 5 + [15] * 5, [5] * 3 + [10] * 4 + [15] * 3)
NAMES = {"digits": "digits", "fashion": "Fashion-MNIST", "covtype": "cover types"}
FILES = {"fashion": "fashion_mnist"}


class Setting(NamedTuple):
    """One of the paper's six settings of data and clients."""

    case: str
    """"iid", or "signs" for unlike clients that send signs."""
    data: str
    where: str
    populations: tuple[Sequence[float], ...]
    paper: str
    """Printed accuracy without noise; gain of B over A, "-" if none is printed; gain of C over A."""

    @property
    def base(self) -> dict[str, Any]:
        system = {"name": "personalized_ldp_fl", "case": "iid" if self.case == "iid" else "non_iid"}
        return {"system": system, "dataset": FILES.get(self.data, self.data), "form": "as_printed"}

    @property
    def ways(self) -> Mapping[str, Mapping[str, Any]]:
        return IID if self.case == "iid" else VOTED

    @property
    def equal(self) -> list[float]:
        """Budgets that all clients have alike in the non-personalised scenario."""
        return sorted({one for budgets in self.populations for one in budgets})

    @property
    def named(self) -> dict[str, Mapping[str, Any]]:
        mixed = {
            _label(way, budgets): {"clients.epsilon": list(budgets), **sets}
            for budgets in self.populations
            for way, sets in self.ways.items()
        }
        return {**mixed, "no noise": CLEAN if self.case == "iid" else SIGNS}

    def pairs(self, first: str, second: str) -> tuple[tuple[str, str], ...]:
        return tuple((_label(first, b), _label(second, b)) for b in self.populations)

    def made(self, prefix: str, **given: Any) -> Claim:
        few = (self.case, self.data) == ("iid", "fashion")
        seeds, identity = 20 if self.data == "digits" else 3, f"{prefix}{self.case}-{self.data}"
        return Claim(id=identity, setting=SAYS[self[:2]], readings=_readings(few), seeds=seeds, **given)


def _label(way: str, budgets: Sequence[float]) -> str:
    """Label of an arm; budgets of many clients are counted, like `{1×5, 10×5}`."""
    each = [f"{one:g}" for one in budgets]
    if len(budgets) > 3:
        each = [f"{one:g}×{budgets.count(one)}" for one in sorted(set(budgets))]
    return f"{way}, ε {{{', '.join(each)}}}"


def _readings(few: bool) -> tuple[Reading, ...]:
    """Of the local step, left to scikit-learn; `few`: where the paper's δ implies 1 000 images a client.

    Defaults are written out: figures from random starts have the keys of settings without them.
    """
    own: dict[str, Any] = {"system.images": 1000} if few else {}
    passed = "scikit-learn's partial_fit takes one step a record of the batch that it is handed"
    return (
        Reading("a step a batch", "One step a batch, counted anew in every round.", {**ZERO, **own}),
        Reading("a step a record", f"{passed}, and counts them through the run.", {**RECORDS, **own}),
        Reading("counted anew", f"{passed}, here counted anew in every round.", {**ANEW, **own}),
    )


def _gains(one: Setting) -> Claim:
    """Claim about aggregators A, B and C over all populations of budgets, with controls."""
    iid, name = one.case == "iid", NAMES[one.data]
    clean, *gains = one.paper.split()
    printed = {way: float(gain) for way, gain in zip((B, C), gains, strict=True) if gain != "-"}
    none, middle = not any(printed.values()), one.populations[len(one.populations) // 2]
    statements: list[Statement] = [Value("no noise", ("no noise",), float(clean))]
    statements += [Gain(f"{way[0]} over A", one.pairs(way, A), gain) for way, gain in printed.items()]
    orders = ((B, A), (C, B)) if iid else () if none else ((C, A),)
    statements += [Ahead(f"{x[0]} is ahead of {y[0]}", one.pairs(x, y)) for x, y in orders]
    others = {**INSTEAD, **(COVERED if one.data == "digits" else {})} if iid else {}
    beside = {key: {"clients.epsilon": list(middle), **sets} for key, sets in others.items()}
    why = f"weights of 1/σ² leave {'the least noise' if iid else 'no round empty'}"
    title = "No gain on" if none else f"{'Weighing by noise' if iid else 'The lottery'} beats the mean:"
    return one.made(
        "",
        where=one.where,
        title=f"{title} {name}, {'IID' if iid else 'non-IID, signs only'}",
        statements=tuple(statements),
        measured=arms(one.base, {**one.named, **beside}),
        controls=(
            *(Control(best, why, lottery) for best, lottery in one.pairs(BEST, C)),
            *(Control(key, "the same ε, another design", _label(C, middle)) for key in others),
        ),
        note=AVERAGED if iid else f"{DEALT} {AVERAGED}",
        paper={"no noise": float(clean)},
    )


def _more(one: Setting) -> Claim:
    """Claim that accuracy rises with a budget that all clients share, and with the number of large ones."""
    equal = {f"A, ε {e:g} for all": {"clients.epsilon": e, **one.ways[A]} for e in one.equal}
    rising = [*equal, "no noise"]
    statements = [Ahead(f"{y} is ahead of {x}".replace("A, ", ""), ((y, x),)) for x, y in pairwise(rising)]
    first, *_, last = one.populations
    large = len(one.populations) == 3
    if large:
        pairs = tuple((_label(way, last), _label(way, first)) for way in (A, B, C))
        statements.append(Ahead(f"{_label('', last)[2:]} is ahead of {_label('', first)[2:]}", pairs))
    mixed = {label: sets for label, sets in one.named.items() if large or label == "no noise"}
    used = {label for statement in statements for label in statement.arms}
    open_ = "" if large else "Which of its two mixed settings has “more” large budgets is open: not judged."
    return one.made(
        "more-",
        where=f"{one.where}a",
        title=f"More budget, more accuracy: {NAMES[one.data]}, {'IID' if one.case == 'iid' else 'signs'}",
        statements=tuple(statements),
        measured=arms(one.base, {label: sets for label, sets in {**equal, **mixed}.items() if label in used}),
        note=" ".join(filter(None, ["" if one.case == "iid" else DEALT, open_])),
    )


SAYS = {
    ("iid", "digits"): "scikit-learn's digits (called MNIST there), 3 clients, 10 rounds, δ 1/500, q 0.8, "
    "c 200",
    ("iid", "fashion"): "Fashion-MNIST, 3 clients, 20 rounds, δ 1/1000, q 0.9, c 2",
    ("iid", "covtype"): "forest cover types, 10 clients, 50 rounds, δ 1/50 000, q 0.8, c 2",
    ("signs", "digits"): "digits, 10 clients with unlike labels, 10 rounds, one bit a weight, c 4, δ 10⁻⁵",
    ("signs", "fashion"): "Fashion-MNIST, 10 clients with unlike labels, 10 rounds, one bit a weight, c 4, "
    "δ 10⁻⁵",
    ("signs", "covtype"): "forest cover types, 10 clients with unlike labels, 20 rounds, one bit a weight, "
    "c 2, δ 10⁻⁵",
}
SETTINGS = (
    Setting("iid", "digits", "Fig. 2", OF_THREE, "88.7 5.57 11.28"),
    Setting("iid", "fashion", "Fig. 3", STRICTER, "73.1 3.04 3.93"),
    Setting("iid", "covtype", "Fig. 4", MIXED, "49 4.07 10.90"),
    Setting("signs", "digits", "Fig. 5", STRICT, "65.2 - 6.97"),
    Setting("signs", "fashion", "Fig. 6", STRICT, "49.8 - 19.85"),
    Setting("signs", "covtype", "Fig. 7", MIXED, "62.6 0 0"),
)
CLAIMS = tuple(_gains(one) for one in SETTINGS)

PAPER = paper(
    "personalized_ldp_fl",
    order=1,
    label="Personalized LDP-FL",
    source="Paper 001: Wu, Xu and Zhu, Applied Sciences 13, 4168 (2023)",
    example={**SETTINGS[0].base, "aggregator": {"name": "probability_selection"}},
    tables=tuple(
        grid(
            (claim.id, one.where, f"accuracy (%), {claim.setting}"),
            {_label("", budgets)[2:]: (claim.id, budgets) for budgets in one.populations},
            {way: way for way in (A, B, C)},
            lambda budgets, way: _label(way, budgets),
        )
        for one, claim in zip(SETTINGS, CLAIMS, strict=True)
    ),
    claims=(*CLAIMS, *map(_more, SETTINGS)),
)
