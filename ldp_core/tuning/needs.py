"""The visitor's own question: from whom the secret is kept, of how many, and what is needed; and the designs
that may answer it.

A design is a whole experiment whose run costs each client the ε that is needed. Which designs are tried was
chosen on digits with seeds that answer no question (`DESIGNS`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from ldp_core import datasets, features, models
from ldp_core.cost.seconds import USUAL, seconds, work_of
from ldp_core.errors import InvalidExperiment, Problem, one_of, shown
from ldp_core.experiment import UNITS, Experiment, parse, plan
from ldp_core.experiment.reading import unknown
from ldp_core.fields import is_number
from ldp_core.limits import CLIENTS, EPSILON, SEED
from ldp_core.trust import registry as trusts

TRUSTS = ("local", "shuffled", "secure_sum", "central")
"""Weakest assumption first."""
FEATURES = "orientation"
"""Public features of images, which shorten what a design has to send."""
CLASS_MEANS: Mapping[str, Any] = {
    "target": "class_means",
    "mechanism": "labelunit",
    "selection": "once",
    "rounds": 1,
}
RATES = ((1, 0.2), (3, 0.2), (10, 0.2), (10, 0.5), (20, 0.2))
"""Rounds and learning rate of each design that sends changes."""
ONCE = ((3, 0.2), (10, 0.5))
"""Those of designs in which a client sends one message, in one of the rounds."""
NOISES = {"local": ("privunit", "gaussian"), "shuffled": ("privunit",)}
"""Mechanisms for changes by trust; where a sum or a server adds the noise, the Gaussian."""
STEPS = tuple(step for k in range(60) if EPSILON.allows(step := 0.25 * 2 ** (k / 4)))
"""Values of ε among which the least that reaches an accuracy is sought."""
DEAR = 1.0
"""Seconds of a run above which a design is screened by a trial of the aggregate."""
RECORD_RATES = ((5, 1.0), (20, 1.0), (20, 2.0), (40, 1.0), (40, 2.0), (40, 4.0))
"""Rounds and learning rate of designs with one step over all records in a round."""


class Lever(NamedTuple):
    """A change of one answer of the question."""

    label: str
    """What changes, in words; for a trust or unit, its name."""
    needs: "Needs"


@dataclass(frozen=True)
class Needs:
    unit: str = "client"
    """Whose secret ε covers: everything that one client sends, or one record among those that it holds."""
    trust: str = "local"
    clients: int = 100
    records: int | None = None
    """Samples of each client; None deals out all that there are."""
    dataset: str = "digits"
    model: str | None = None
    """Name of the model that is trained; None tries class means and logistic regression."""
    epsilon: float | None = 4.0
    """Largest worst-case ε of a client's whole run; None if an accuracy is asked for."""
    accuracy: float | None = None
    """Least accuracy on held-out samples, in (0, 1); None if a promise is asked for."""
    confirmed: bool = False
    """Whether the designs that came out best are trained with fresh seeds."""
    levers: bool = False
    """Whether the question is also answered with each of its answers changed."""
    seed: int = 0
    fresh: ClassVar[int] = 8
    """Number of fresh seeds that judge a design."""
    steps: ClassVar[tuple[float, ...]] = STEPS

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def questions(self) -> "list[Needs]":
        """The question itself, then those that are to be answered besides."""
        return [self, *(lever.needs for lever in self.changed() * self.levers)]

    def allowed(self, design: int, epsilon: float) -> float:
        """The ε that a design is tried with where the search is at `epsilon`."""
        return epsilon

    def is_dear(self, design: Experiment) -> bool:
        """Whether a trial of the aggregate screens a design, and not two runs."""
        return _usual_seconds(design) > DEAR

    @property
    def alone(self) -> "Needs":
        """The question itself: without fresh seeds or changed answers."""
        return replace(self, confirmed=False, levers=False)

    def changed(self) -> list[Lever]:
        """The question with one answer changed, each to what asks less of privacy or has more clients."""
        size, alone = datasets.get(self.dataset).train_size, self.alone
        found = []
        if (many := min(5 * self.clients, size // (self.records or 1))) > 1.5 * self.clients:
            found.append(Lever(f"{many} take part", replace(alone, clients=many)))
        if self.records and (more := min(5 * self.records, size // self.clients)) > 1.5 * self.records:
            found.append(Lever(f"{more} records each", replace(alone, records=more)))
        for trust in TRUSTS[TRUSTS.index(self.trust) + 1 :]:
            found.append(Lever(trust, replace(alone, trust=trust)))
        if self.model:
            found.append(Lever("Fewer weights, of any model", replace(alone, model=None)))
        other = next(unit for unit in UNITS if unit != self.unit)
        found.append(Lever(other, replace(alone, unit=other)))
        if self.epsilon is not None:
            found.append(Lever("Twice the ε", replace(alone, epsilon=2 * self.epsilon)))
        else:
            lower = (self.accuracy or 0.0) - 0.1
            found.append(Lever("10 points less", replace(alone, accuracy=round(lower, 6))))
        return [one for one in found if _answers(one.needs) and one.needs.designs(one.needs.epsilon or 1.0)]

    def designs(self, epsilon: float) -> tuple[Experiment, ...]:
        """Experiments whose run costs each client `epsilon`; those that cannot run are left out."""
        return _designs(replace(self.alone, epsilon=epsilon, accuracy=None))


@lru_cache(maxsize=1024)
def _usual_seconds(design: Experiment) -> float:
    return seconds([work_of(plan(design))], USUAL)


def _answers(needs: Needs) -> bool:
    if needs.epsilon is not None:
        return EPSILON.allows(needs.epsilon)
    return needs.accuracy is not None and 0 < needs.accuracy < 1


@lru_cache(maxsize=1024)
def _designs(needs: Needs) -> tuple[Experiment, ...]:
    return tuple(one for one in _tried(needs) if isinstance(one, Experiment))


def _tried(needs: Needs) -> Iterator[Experiment | InvalidExperiment]:
    """Each design for the question, or why it is none for its data, model, trust or number of clients."""
    source = datasets.get(needs.dataset)
    shape = (features.get(FEATURES).width(source.shape),) if source.images else ()
    featured = source.images and (needs.model is None or models.get(needs.model).fits(shape))
    base: dict[str, Any] = {
        "unit": needs.unit,
        "dataset": needs.dataset,
        "features": FEATURES if featured else "none",
        "clients": {"count": needs.clients, "epsilon": needs.epsilon, "epsilon_scope": "run"},
        "trust": {"kind": needs.trust},
        "attack": None,
        "seed": needs.seed,
    }
    if needs.model:
        base["model"] = needs.model
    if needs.records:
        base["partition"] = {"kind": "records_each", "records": needs.records}
    elif source.clients == needs.clients:
        base["partition"] = {"kind": "as_given"}
    for own in _of_records() if needs.unit == "record" else _variants(needs.trust, not needs.model):
        try:
            yield parse(base | own)
        except InvalidExperiment as error:
            yield error


def _variants(trust: str, means: bool) -> Iterator[dict[str, Any]]:
    if means:
        yield dict(CLASS_MEANS)
    for name in NOISES.get(trust, ("gaussian",)):
        for selection, steps in (("all", RATES), ("once", ONCE if name == "privunit" else ())):
            for rounds, rate in steps:
                yield {
                    "target": "update",
                    "mechanism": {"name": name, "norm": 1.0},
                    "selection": {"kind": selection},
                    "rounds": rounds,
                    "local": {"epochs": 1, "batch_size": 10, "learning_rate": rate},
                }


def _of_records() -> Iterator[dict[str, Any]]:
    for rounds, rate in RECORD_RATES:
        local = {"epochs": 1, "learning_rate": rate}
        yield {"target": "update", "mechanism": "gaussian", "rounds": rounds, "local": local}


def parse_needs(data: Any) -> Needs:
    """Question of a JSON object; missing fields take their defaults. Raises InvalidExperiment: every field
    that is wrong.
    """
    if not isinstance(data, Mapping):
        raise InvalidExperiment.at("", f"a question must be a JSON object; got {shown(data)}")
    known = [one.name for one in fields(Needs)]
    given = {name: value for name, value in data.items() if name in known}
    if given.get("accuracy") is not None:
        given.setdefault("epsilon", None)
    problems = unknown(data, "question", known)
    of_page = {other: name for name in TRUSTS for other in trusts.kind(name).synonyms}
    if isinstance(given.get("trust"), str):
        given["trust"] = of_page.get(given["trust"], given["trust"])
    needs = Needs(**given)
    problems += _problems(needs)
    if problems:
        raise InvalidExperiment(problems)
    whole = replace(needs, epsilon=None if needs.epsilon is None else float(needs.epsilon))
    if not whole.designs(whole.epsilon or 1.0):
        tried = _tried(replace(whole.alone, epsilon=whole.epsilon or 1.0, accuracy=None))
        raise [one for one in tried if isinstance(one, InvalidExperiment)][-1]
    return whole


def _problems(needs: Needs) -> Iterator[Problem]:
    if needs.unit not in [*UNITS]:
        yield Problem("unit", f"must be {one_of(tuple(UNITS))}; got {shown(needs.unit)}")
    if needs.trust not in [*TRUSTS]:
        yield Problem("trust", f"must be {one_of(TRUSTS)}; got {shown(needs.trust)}")
    try:
        asked = {"dataset": needs.dataset} | ({} if needs.model is None else {"model": needs.model})
        most = min(int(CLIENTS.maximum), plan(parse(asked)).source.train_size)
    except InvalidExperiment as error:
        yield from (Problem(one.path.partition(".")[0], one.message) for one in error.problems)
    else:
        if not _whole(needs.clients) or not 2 <= needs.clients <= most:
            why = f"must be a whole number between 2 and {most}, so that each holds a sample"
            yield Problem("clients", f"{why}; got {shown(needs.clients)}")
        elif needs.records is not None and (
            not _whole(needs.records) or not 1 <= needs.records <= most // needs.clients
        ):
            why = f"must be null or a whole number between 1 and {most // needs.clients}"
            yield Problem("records", f"{why}, as there are {most}; got {shown(needs.records)}")
    if (needs.epsilon is None) == (needs.accuracy is None):
        yield Problem("epsilon", "or accuracy must be given, one of the two")
    elif needs.epsilon is not None and not (is_number(needs.epsilon) and EPSILON.allows(needs.epsilon)):
        yield Problem("epsilon", f"must be a number {EPSILON}; got {shown(needs.epsilon)}")
    elif needs.accuracy is not None and not (is_number(needs.accuracy) and 0 < needs.accuracy < 1):
        message = f"must be a number between 0 and 1, both excluded, like 0.85; got {shown(needs.accuracy)}"
        yield Problem("accuracy", message)
    if not _whole(needs.seed) or not SEED.allows(needs.seed):
        yield Problem("seed", f"must be a whole number {SEED}; got {shown(needs.seed)}")
    for name in ("confirmed", "levers"):
        if not isinstance(getattr(needs, name), bool):
            yield Problem(name, f"must be true or false; got {shown(getattr(needs, name))}")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
