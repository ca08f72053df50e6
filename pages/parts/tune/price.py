"""Description of a found setting: accuracy, ε and what an attacker can do."""

from typing import Any

from ldp_core import datasets
from ldp_core.accounting import AGAINST, Promise, of_whom, worth
from ldp_core.experiment import UNITS, Experiment, plan
from pages.parts.tune.found import dearest
from pages.parts.ui import components
from pages.parts.ui.meanings import STYLES
from pages.parts.ui.text import at_most, number, plain

Chip = dict[str, Any]
COLOUR = {"much": "green", "some": "blue", "little": "orange", "nothing": "red"}


def setting_line(experiment: Experiment) -> str:
    """Text like `Digits; 20 clients; trust: no one; Logistic regression, 650 weights; Piecewise; …`."""
    clients = f"{number(experiment.clients.count, 6)} clients"
    data = plain(plan(experiment).source.label)
    return f"{data}; {clients}; trust: {plain(experiment.trust.label)}; {design_line(experiment)}"


def design_line(experiment: Experiment) -> str:
    """Text like `Logistic regression, 650 weights; Piecewise; mean; 15 rounds`."""
    parts = [
        f"{experiment.model.title}, {number(plan(experiment).dimension, 6)} weights",
        plan(experiment).randomiser.label,
        experiment.aggregator.label,
        f"{number(experiment.rounds, 6)} round{'s' if experiment.rounds > 1 else ''}",
    ]
    return plain("; ".join(parts), 300)


def promise_of(line: Promise) -> str:
    """Text like `ε 8, δ 10⁻⁵: promises little`."""
    epsilon = f"ε {at_most(line.bound, 4)}" if line.guarantee else "no guarantee"
    delta = f", δ {number(line.delta)}" if line.guarantee and line.delta else ""
    return f"{epsilon}{delta}: {worth(line).promises}"


def promise_in_words(line: Promise) -> str:
    """The same, coloured by worth."""
    return f":{COLOUR[worth(line).word]}[**{promise_of(line)}**]"


def run_line(experiment: Experiment) -> str:
    """Weakest guarantee of the whole run, and against whom; "" for too many different clients."""
    if (line := dearest(experiment)) is None:
        return ""
    whom = AGAINST[experiment.trust.against]
    client = of_whom(experiment.unit, "the client that gives most away")
    whose = f"The whole run at worst, for {client}"
    return f"{whose}, against {whom}: {promise_in_words(line)}"


def three_figures(experiment: Experiment, accuracy: Chip, attacker: Chip | None = None) -> None:
    """Draw a setting's accuracy, ε of the run, and what an attacker did, or else could do at most."""
    line = dearest(experiment)
    odds, words, kind = "unlike by client", "unlike by client", ""
    if line is not None:
        odds, words, kind = worth(line).odds, promise_of(line), STYLES[worth(line).word]
    about = f"For {UNITS[experiment.unit]}, in the whole run, at worst."
    against = f"against {AGAINST[experiment.trust.against]}"
    privacy = chip("What is promised", words, against, about) | {"kind": kind}
    apart = "two images" if datasets.get(experiment.dataset).images else "two values"
    rest = f"by the promise: telling {apart} apart; a coin: 50 of 100"
    most = chip("What an attacker can do", f"right {odds}", rest)
    components.draw("figures", {"chips": [accuracy, privacy, attacker or most]}, key="figures")


def chip(name: str, words: str, rest: str, hint: str = "") -> Chip:
    """A figure for assets/web/head.js; `hint` explains it on request."""
    return {"name": name, "pieces": [(words, None)], "rest": rest, "hint": hint}
