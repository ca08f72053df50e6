"""The privacy card of a training: promised and measured ε, an attacker's odds, the adversary, and public
assumptions.

As JSON in the fields of the OpenDP registry of deployments (template of deployments-registry-data, read
2026-11-28), as far as a simulation has them; and as one picture for a slide.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ldp_core.accounting import Promise, entries_in, worth
from ldp_core.accounting.deployments import DEPLOYMENTS
from ldp_core.accounting.entry import AGAINST
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, parse
from ldp_core.limits import percent, spelled
from ldp_core.runs.carry.drawing import COLOURS, NAMESPACE
from ldp_core.runs.carry.pictures import Variants, variants
from ldp_core.runs.jobs.listing import describe
from ldp_core.runs.jobs.lookup import look
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.final_figures import final
from ldp_core.runs.view.run_progress import RunProgress

MOST_ROWS = 4
WIDTH, HEIGHT, LEFT, RIGHT, TOP, ROW = 1280, 720, 60, 60, 190, 84
INK, GREY, LINE = "#0e1420", "#4a5361", "#d9dee6"


def as_card(identity: str) -> str:
    """The card of each run of a training, as JSON text.

    Raises:
        InvalidInput: the job is no training, or none of its runs was completed.
    """
    job, found = _ended(identity)
    runs = [_registered(job, each) for each in found.values()]
    return json.dumps({"name": _name(job), "runs": runs}, ensure_ascii=False, indent=1) + "\n"


def card_picture(identity: str) -> str:
    """The card as an SVG of 1280 × 720 pixels; raises as `as_card` does."""
    job, found = _ended(identity)
    shown = list(found.values())[:MOST_ROWS]
    bounds = [_worst(each).bound for each in shown]
    lowers = [low for each in shown if (low := _lower(each)[0])]
    known = [*(bound for bound in bounds if math.isfinite(bound)), *lowers, 0.5, 20.0]
    low, high = math.log10(min(known)) - 0.1, math.log10(max(known)) + 0.1

    def x(epsilon: float) -> float:
        return LEFT + (math.log10(epsilon) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    bottom = TOP + ROW * len(shown) + 10
    parts = [
        _text(LEFT, 62, _name(job), 34, INK, bold=True),
        _text(LEFT, 102, "Everything that one person sends, for whom least is promised", 22, GREY),
        _text(LEFT, 136, "bar: from the ε that an attack shows at least to the ε promised at most", 20, GREY),
    ]
    for power in range(math.ceil(low), math.floor(high) + 1):
        parts.append(_rule(x(10.0**power), TOP - 30, bottom))
        parts.append(_text(x(10.0**power), bottom + 24, f"ε {spelled(10.0**power)}", 18, GREY, "middle"))
    for place, (each, bound) in enumerate(zip(shown, bounds, strict=True)):
        parts += _row(each, bound, TOP + ROW * place, COLOURS[place % len(COLOURS)], x)
    for place, one in enumerate(DEPLOYMENTS):
        at, under = x(one.epsilon), bottom + 44 + 17 * (place % 3)
        parts.append(_rule(at, bottom, under, dash=True))
        parts.append(_text(at + 4, under, f"{one.name} {one.epsilon:g}", 13, GREY))
    more = f"; the first {len(shown)} of {len(found)} runs" if len(found) > len(shown) else ""
    experiment = _experiment(shown[0])
    foot = [
        f"δ {spelled(max(_worst(each).delta for each in shown))}{more}.",
        f"Assumed public: {_public(experiment)}",
        f"Dashed: known deployments ({'; '.join(dict.fromkeys(one.covers for one in DEPLOYMENTS))}).",
        "A simulation: its noise is reproducible and protects no real data. Epsilon Studio",
    ]
    parts += [_text(LEFT, HEIGHT - 84 + 24 * i, words, 16, GREY) for i, words in enumerate(foot)]
    size = f'{NAMESPACE} viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    ground = '<rect width="100%" height="100%" fill="white"/>'
    return f'<svg {size} font-family="system-ui, sans-serif">{ground}{"".join(parts)}</svg>'


def _row(runs: Sequence[RunProgress], bound: float, top: int, paint: str, x: Any) -> list[str]:
    weighed, (lower, by), accuracy = worth(_worst(runs)), _lower(runs), final(runs).accuracy
    name = (
        f"{runs[0].label[:40]}: {percent(accuracy)} accurate" if accuracy is not None else runs[0].label[:40]
    )
    name += f", against {_against(_experiment(runs))}"
    if not math.isfinite(bound):
        return [_text(LEFT, top, f"{name}; no guarantee", 22, paint, bold=True)]
    said = f"ε ≤ {spelled(float(f'{bound:.3g}'))}: promises {weighed.word}, values told apart {weighed.odds}"
    shown = f"; shown by {by}: ε ≥ {spelled(math.floor(100 * lower) / 100)}" if lower else _unshown(runs)
    start = x(lower) if lower else x(bound) - 6
    return [
        _text(LEFT, top, name, 22, paint, bold=True),
        _text(LEFT, top + 26, said + shown, 18, INK),
        f'<rect x="{start:.1f}" y="{top + 36}" width="{max(6.0, x(bound) - start):.1f}" height="14" '
        f'fill="{paint}"/>',
    ]


def _registered(job: Job, runs: Sequence[RunProgress]) -> dict[str, Any]:
    promise, experiment = _worst(runs), _experiment(runs)
    weighed, bound = worth(promise), promise.bound
    return {
        "basic": {
            "name": f"{_name(job)}: {runs[0].label}",
            "description": "A simulated federated training; its noise protects no real data.",
            "intended_use": "exploration and teaching",
            "publication_date": f"{datetime.fromtimestamp(job.ended or 0, UTC):%Y-%m-%d}",
        },
        "dp_variant": {
            "variant_name": "Approximate DP" if promise.delta else "Pure DP",
            "data_domain": f"{experiment.dataset}; any two values in a client's safe range are neighbours",
            "unprotected_quantities": promise.why if not promise.guarantee else "",
        },
        "privacy_loss": {
            "privacy_unit": "everything that one client sends in the run",
            "number_of_privacy_units": experiment.clients.count,
            "privacy_parameters": {
                "epsilon": bound if math.isfinite(bound) else None,
                "delta": promise.delta,
            },
            "privacy_parameters_details": f"promises {weighed.word}; values told apart {weighed.odds}",
        },
        "deployment_model": {
            "model_name": "Central" if experiment.trust.name == "central" else "Local",
            "trust_assumptions": f"{experiment.trust.label}: holds against {_against(experiment)}",
            "actors": experiment.trust.sees,
            "release_type": "Many releases" if experiment.rounds > 1 else "One release",
        },
        "implementation": {
            "mechanisms": experiment.mechanism.label,
            "composition": promise.why,
            "post_processing": f"aggregated by {experiment.aggregator.label}",
            "utility": final(runs).accuracy,
            "additional_information": f"Assumed public: {_public(experiment)}",
        },
        "measured": list((runs[0].end or {}).get("measured", ())),
    }


def _ended(identity: str) -> tuple[Job, Variants]:
    job = look(identity)
    if job.kind != "run":
        raise InvalidInput(f"job {job.id} is no training: only those have a card")
    found = {
        number: runs
        for number, runs in variants(job).items()
        if number >= 0 and (runs[0].end or {}).get("status") == "completed"
    }
    if not found:
        raise InvalidInput(f"no run of job {job.id} was completed, so there is no card; it is {job.status}")
    return job, found


def _name(job: Job) -> str:
    return job.name or describe(job).name or "Untitled"


def _worst(runs: Sequence[RunProgress]) -> Promise:
    """Whole-run promise to the client who is promised least."""
    entries = entries_in((runs[0].end or {}).get("ledger") or [])
    return max((entry.run_worst for entry in entries), key=lambda one: one.bound, default=Promise())


def _lower(runs: Sequence[RunProgress]) -> tuple[float, str]:
    """The largest ε that an attack shows of a client's whole run, and the attack; 0 where none does."""
    rows = [row for row in (runs[0].end or {}).get("measured", ()) if row["scope"] == "run"]
    return max(((row["epsilon_lower"] or 0.0, row["attack"]) for row in rows), default=(0.0, ""))


def _unshown(runs: Sequence[RunProgress]) -> str:
    asked = bool((runs[0].end or {}).get("measured"))
    return "; the attack shows no ε for sure" if asked else "; nothing was measured by an attack"


def _experiment(runs: Sequence[RunProgress]) -> Experiment:
    return parse(json.loads(runs[0].experiment))


def _against(experiment: Experiment) -> str:
    return AGAINST[experiment.trust.against]


def _public(experiment: Experiment) -> str:
    """What is taken as known to all, in a sentence."""
    own = experiment.features.assumed.partition(". ")[0].removesuffix(".")
    return f"{own}." if own else "safe ranges, budgets, the model's shape and who takes part."


def _text(
    x: float, y: float, words: str, size: int, fill: str, anchor: str = "start", bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    look = f'font-size="{size}" fill="{fill}" text-anchor="{anchor}"{weight}'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{html.escape(words)}</text>'


def _rule(x: float, top: float, bottom: float, dash: bool = False) -> str:
    look = ' stroke-dasharray="3 4"' if dash else ""
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" stroke="{LINE}"{look}/>'
