"""What each promise buys under each trust, for Start's slider (`python -m ldp_core presets --outcomes`).

One design, in which everybody sends one message: class means of all waves of an image but its brightness, so
that a message can be drawn as a picture.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ldp_core.accounting import Promise
from ldp_core.datasets import Data, Report
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.images import encode
from ldp_core.limits import spelled
from ldp_core.runs import outcomes
from ldp_core.runs.kinds.ask import told_apart
from ldp_core.runs.lockstep import drive, load, one_thread
from ldp_core.streams import stream
from ldp_core.system.json_file import read_json, write_json
from ldp_core.tuning.needs import CLASS_MEANS, TRUSTS
from ldp_core.tuning.said import promised

NAME = "promises"
BUDGETS = (0.1, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 20.0, 50.0, 100.0, 200.0)
"""Worst-case ε of everything that a client sends."""
SEEDS = range(5)
BASE: Mapping[str, Any] = {
    **CLASS_MEANS,
    "name": "What a promise buys",
    "features": {"name": "dct", "side": 8},
    "clients": {"count": 1_437, "epsilon": 1.0, "epsilon_scope": "run"},
}


class PromiseResult(NamedTuple):
    """What one promise came to over all seeds."""

    accuracy: float
    told: float | None
    """Share of tries in which an attacker told two images apart; None where none is simulated."""
    image: dict[str, Any]
    """One client's message, drawn."""
    promise: Promise
    """To each client, for the whole run at worst."""


class Promises(NamedTuple):
    date: str
    chance: float
    original: dict[str, Any]
    """The image of the client whose message is drawn."""
    bought: Mapping[str, Mapping[float, PromiseResult]]
    """By trust and ε."""
    stamp: Mapping[str, str]

    @property
    def current(self) -> bool:
        """Whether this version of the program would train the same."""
        return self.stamp == _stamp()


def _stamp() -> dict[str, str]:
    return outcomes.stamp([bought_by(trust, budget) for trust in TRUSTS for budget in BUDGETS])


def bought_by(trust: str, epsilon: float) -> Experiment:
    """The experiment of a promise."""
    return parse({**BASE, "trust": trust, "clients": {**BASE["clients"], "epsilon": epsilon}})


@cache
def promises_bought() -> Promises | None:
    """None if they are missing or damaged."""
    try:
        data = read_json(outcomes.SHIPPED / f"{NAME}.json")
        bought = {
            trust: {
                budget: PromiseResult(**one | {"promise": Promise.of(one["promise"])})
                for budget, one in zip(BUDGETS, row, strict=True)
            }
            for trust, row in data["bought"].items()
        }
        return Promises(data["date"], data["chance"], data["original"], bought, data["stamp"])
    except (OSError, ValueError, TypeError, LookupError):
        return None


def make_promises(progress: Report) -> None:
    if (known := promises_bought()) and known.current:
        print(f"{NAME}: of this version already")
        return
    one_thread()
    data = load("digits", progress)
    labels = np.bincount(data.test_y)
    bought = {trust: [_bought(bought_by(trust, budget), data) for budget in BUDGETS] for trust in TRUSTS}
    body = {
        "date": datetime.now(UTC).date().isoformat(),
        "chance": round(float(labels.max() / labels.sum()), outcomes.DIGITS),
        "original": encode(_messages(bought_by(TRUSTS[0], 1.0), data)[0]),
        "bought": bought,
        "stamp": _stamp(),
    }
    write_json(outcomes.SHIPPED / f"{NAME}.json", body)
    print(f"{NAME}: {spelled(len(TRUSTS) * len(BUDGETS))} promises, {len(SEEDS)} seeds each")


def _bought(experiment: Experiment, data: Data) -> dict[str, Any]:
    seeded = [experiment.seeded(seed) for seed in SEEDS]
    told = [right for one in seeded if (right := told_apart(one)) is not None]
    return {
        "accuracy": round(float(np.mean([_accuracy(one) for one in seeded])), outcomes.DIGITS),
        "told": round(float(np.mean(told)), outcomes.DIGITS) if told else None,
        "image": encode(_messages(experiment, data)[1]),
        "promise": vars(promised(experiment)),
    }


def _accuracy(experiment: Experiment) -> float:
    *_, turn = drive({0: changed(experiment, {"attack": None})})
    return float(turn.events[-1]["accuracy"])


def _messages(experiment: Experiment, data: Data) -> tuple[np.ndarray, np.ndarray]:
    """The last attacked client's image, and its message as the attacker sees it, who knows the label, drawn:
    the waves of its class, or else of the class named loudest, as strong as those of a usual image.
    """
    from ldp_core.federated.federation import assemble, choose_device
    from ldp_core.federated.upload import perturbed
    from ldp_core.leakage.observe import attacked, audit_values, begun, choose_victims

    federation = attacked(assemble(plan(experiment), data, choose_device()))
    victims = choose_victims(federation)
    sample = int(victims.samples[-1])
    start = begun(federation, victims.clients[-1:])
    noise = stream(experiment.seed, "attack noise")
    sent = perturbed(start.pieces, audit_values(start, victims.samples[-1:]), start.columns, noise)
    blocks = sent.reshape(federation.classes, -1).astype(np.float64)
    strength = np.linalg.norm(blocks, axis=1)
    own = int(data.train_y[sample])
    block = own if strength[own] else int(strength.argmax())
    shape = data.train_x.shape[-2:]
    waves = experiment.features.numbers(np.eye(int(np.prod(shape)), dtype=np.float32).reshape(-1, *shape))
    drawn = waves @ (blocks[block] / strength[block])
    usual = np.linalg.norm(data.test_x.reshape(len(data.test_x), -1) @ waves, axis=1).mean()
    middle = float(data.test_x.mean())
    image = data.train_x[sample].reshape(shape)
    return image, middle + usual * drawn.reshape(shape)
