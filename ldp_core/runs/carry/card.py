"""The privacy card of a training: promised and measured ε, an attacker's odds, the adversary, assumptions; as
a picture, and as JSON in those fields of the OpenDP registry of deployments that a simulation has (template
of deployments-registry-data, read 2026-11-28).
"""

import json
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from ldp_core.accounting import AGAINST, NEIGHBOURS, Promise, entries_in, together_in_words, worth
from ldp_core.accounting.deployments import listed
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.inference import finding
from ldp_core.limits import at_least, at_most, percent, spelled
from ldp_core.runs.carry.drawing import COLOURS, GREY, rule, svg, words_at
from ldp_core.runs.carry.training import colours, title, training, variants
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.final_figures import final, weakest
from ldp_core.runs.view.run_curves import RunProgress
from ldp_core.runs.view.styles import INK
from ldp_core.theory import sent_in_clear

MOST_ROWS = 4
WIDTH, HEIGHT, LEFT, RIGHT, TOP, ROW = 1280, 720, 60, 60, 190, 84
COVERED = {"client": "Everything that one person sends", "record": "One record in all that its client sends"}
SHOWN, PROMISED = "the ε that an attack shows at least", "the ε promised at most"
BOLD = ' font-weight="600"'
MODELS = {"server": "Local", "shuffled heap": "Shuffle", "sum": "Distributed", "model": "Central"}
"""The registry's name of the trust model, by what the adversary sees."""


def as_card(identity: str) -> str:
    """The card of each run of a training, as JSON; InvalidInput for another job, or if none was completed."""
    job, found = _completed(identity)
    runs = [_registered(job, runs) for runs in found]
    return json.dumps({"name": title(job), "runs": runs}, ensure_ascii=False, indent=1) + "\n"


def card_picture(identity: str) -> str:
    """The card as an SVG of 1280 × 720 pixels; raises as `as_card` does."""
    job, found = _completed(identity)
    shown, paints = found[:MOST_ROWS], colours(job)
    known = [0.5, 20.0, *(bound for runs in shown for bound in (_worst(runs).bound, _lower(runs)[0]))]
    known = [one for one in known if 0 < one < math.inf]
    low, high = math.log10(min(known)) - 0.1, math.log10(max(known)) + 0.1

    def x(epsilon: float) -> float:
        return LEFT + (math.log10(epsilon) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    bottom = TOP + ROW * len(shown) + 10
    covered = " or ".join(dict.fromkeys(COVERED[_experiment(runs).unit] for runs in shown))
    parts = [
        words_at(LEFT, 62, title(job), 34, INK, more=BOLD),
        words_at(LEFT, 102, f"{covered}, for whom least is promised", 22, GREY),
        words_at(LEFT, 136, f"bar: from {SHOWN} to {PROMISED}", 20, GREY),
    ]
    for at in (10.0**power for power in range(math.ceil(low), math.floor(high) + 1)):
        parts.append(rule(x(at), x(at), TOP - 30, bottom))
        parts.append(words_at(x(at), bottom + 24, f"ε {spelled(at)}", 18, GREY, "middle"))
    for place, runs in enumerate(shown):
        parts += _row(runs, TOP + ROW * place, paints.get(runs[0].variant, COLOURS[0]), x)
    more = f"The first {len(shown)} of {len(found)} runs. " if len(found) > len(shown) else ""
    foot = [
        *f"{more}Assumed public: {_public(*map(_experiment, shown))}".split("\n"),
        "Known deployments, whose ε have other units, so none is on this scale:",
        *listed(),
        "A simulation: its noise is reproducible and protects no real data. Epsilon Studio",
    ]
    first = HEIGHT - 12 - 24 * (len(foot) - 1)
    parts += [words_at(LEFT, first + 24 * i, words, 16, GREY) for i, words in enumerate(foot)]
    return svg(WIDTH, HEIGHT, parts)


def _row(runs: Sequence[RunProgress], top: int, paint: str, x: Callable[[float], float]) -> list[str]:
    promise, (lower, by), accuracy = _worst(runs), _lower(runs), final(runs).accuracy
    name = runs[0].label[:40] + ("" if accuracy is None else f": {percent(accuracy)} accurate")
    finite = math.isfinite(promise.bound)
    name += f", against {final(runs).whom}" + ("" if finite else "; no guarantee")
    title = words_at(LEFT, top, name, 22, paint, more=BOLD)
    if not finite:
        return [title]
    weighed, end = worth(promise), x(promise.bound)
    delta = f" (δ {spelled(promise.delta)})" if promise.delta else ""
    epsilon = f"{at_most(promise.bound)}{delta}"
    said = finding("promised", epsilon=epsilon, worth=weighed.word, odds=weighed.odds).text()
    if lower:
        said += f"; shown by {by}: ε ≥ {at_least(lower)}"
    elif (runs[0].end or {}).get("measured"):
        said += "; the attack shows no ε for sure"
    else:
        said += "; nothing was measured by an attack"
    start = x(lower) if lower else end - 6
    size = f'x="{start:.1f}" y="{top + 36}" width="{max(6.0, end - start):.1f}" height="14"'
    return [title, words_at(LEFT, top + 26, said, 18, INK), f'<rect {size} fill="{paint}"/>']


def _registered(job: Job, runs: Sequence[RunProgress]) -> dict[str, Any]:
    promise, experiment = _worst(runs), _experiment(runs)
    weighed, bound, trust = worth(promise), promise.bound, experiment.trust
    variant = "Approximate DP" if promise.delta else "Pure DP"
    ball, of_rows = plan(experiment).randomiser.region == "ball", experiment.unit == "record"
    inputs = "uploads of at most the norm" if ball else "values in a client's safe range"
    inputs = "tables of equal size that differ in one row" if of_rows else inputs
    units = (
        round(plan(experiment).records * experiment.clients.count) if of_rows else experiment.clients.count
    )
    stored = entries_in((runs[0].end or {}).get("ledger") or [])
    together = (together_in_words(entry, at_most) for entry in stored if entry.run_worst == promise)
    also = f"; {more}" if (more := next(together, "")) else ""
    printed = (
        ", as printed"
        if experiment.form == "as_printed" and plan(experiment).randomiser.printed_otherwise
        else ""
    )
    unprotected = [
        "" if promise.guarantee else promise.why,
        *(f"{one.what} ({one.by}: {one.why})" for one in sent_in_clear(plan(experiment))),
        plan(experiment).source.learnt,
    ]
    return {
        "basic": {
            "name": f"{title(job)}: {runs[0].label}",
            "description": "A simulated federated training; its noise protects no real data.",
            "intended_use": "exploration and teaching",
            "publication_date": f"{datetime.fromtimestamp(job.ended or 0, UTC):%Y-%m-%d}",
        },
        "dp_variant": {
            "variant_name": variant if promise.guarantee else "No guarantee",
            "data_domain": f"{experiment.dataset}; any two {inputs} are neighbours",
            "unprotected_quantities": "; ".join(filter(None, unprotected)),
        },
        "privacy_loss": {
            "privacy_unit": NEIGHBOURS[experiment.unit],
            "number_of_privacy_units": units,
            "privacy_parameters": {"epsilon": bound if bound < math.inf else None, "delta": promise.delta},
            "privacy_parameters_details": f"promises {weighed.word}; values told apart {weighed.odds}{also}",
        },
        "deployment_model": {
            "model_name": MODELS[trust.against],
            "trust_assumptions": f"{trust.label}: holds against {AGAINST[trust.against]}",
            "actors": trust.sees,
            "release_type": "Many releases" if experiment.rounds > 1 else "One release",
        },
        "implementation": {
            "mechanisms": plan(experiment).randomiser.label + printed,
            "composition": promise.why,
            "post_processing": f"weights of the aggregation: {experiment.aggregator.label}",
            "utility": final(runs).accuracy,
            "additional_information": f"Assumed public: {_public(experiment)}".replace("\n", " "),
        },
        "measured": list((runs[0].end or {}).get("measured", ())),
    }


def _completed(identity: str) -> tuple[Job, list[Sequence[RunProgress]]]:
    job = training(identity, "have a card")
    found = [runs for n, runs in variants(job).items() if n >= 0 and runs[0].status == "completed"]
    if not found:
        raise InvalidInput(f"no run of job {job.id} was completed, so there is no card; it is {job.status}")
    return job, found


def _worst(runs: Sequence[RunProgress]) -> Promise:
    return weakest(entries_in((runs[0].end or {}).get("ledger") or []))


def _lower(runs: Sequence[RunProgress]) -> tuple[float, str]:
    """The largest ε that an attack shows of a client's whole run, and the attack; 0 where none does."""
    rows = [row for row in (runs[0].end or {}).get("measured", ()) if row["scope"] == "run"]
    return max(((row["epsilon_lower"] or 0.0, row["attack"]) for row in rows), default=(0.0, ""))


def _experiment(runs: Sequence[RunProgress]) -> Experiment:
    return parse(json.loads(runs[0].experiment))


def _public(*experiments: Experiment) -> str:
    """What these runs together assume to be public."""
    limits = dict.fromkeys(map(_limit, experiments))
    own = dict.fromkeys(one.features.assumed.partition(". ")[0].removesuffix(".") for one in experiments)
    features = "".join(f"\nOf the features: {said[0].lower() + said[1:]}." for said in own if said)
    return f"{', '.join(limits)}, budgets, the model's shape and who takes part.{features}"


def _limit(experiment: Experiment) -> str:
    if experiment.unit == "record":
        return "how many records each client holds"
    return "the norm" if plan(experiment).randomiser.region == "ball" else "safe ranges"
