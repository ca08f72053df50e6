"""How a weight's ε becomes the run's, step by step: the plain sum, what an answer tells on average, and luck.

An answer tells up to ε one way or the other: its privacy loss. Sums of thousands of them are almost normal.
So mean + z·spread, with z the deviations that luck exceeds with a probability of δ, is about the exact bound;
where it is not, only the sum and the bound are told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from scipy.special import ndtri

from ldp_core.accounting.own_law import CELLS, law_of
from ldp_core.experiment import Experiment
from pages.parts.ui.text import THIN, number

CLOSE = 0.02
"""How far the normal distribution may be off, of the bound, for its steps to explain it."""


def added_up(
    experiment: Experiment, client: tuple[float, float, float], limit: float, entry: dict[str, Any]
) -> str:
    """The steps as a Markdown list, where each weight is perturbed by itself and without a δ; "" elsewhere.

    Args:
        client: epsilon, low, high.
        limit: what the client lets the run cost it, in ε.
        entry: its line of the ledger.
    """
    if experiment.randomiser.scope != "coordinate":
        return ""
    weight, upload, run = (entry[scope] for scope in ("coordinate", "upload", "run_worst"))
    lines = weight, upload, run
    if not all(line["guarantee"] and line["rule"] != "nominal" for line in lines) or weight["delta"]:
        return ""
    each, once, all_of_them = (line["basic"] for line in lines)
    weights, uploads = round(once / each), round(all_of_them / once)
    if not uploads or not math.isclose(weights * uploads * each, all_of_them, rel_tol=1e-9):
        return ""
    perturbed = "" if weights == experiment.uploaded else "perturbed "
    most = "" if entry["run_expected"] == run else " at most"  # where lots are drawn
    if uploads < experiment.rounds and math.isfinite(limit):
        most = ", more than which its own limit forbids,"
    total = (
        f"{number(weights, 6)} {perturbed}weights × ε {number(each, 4)} = {number(once, 5)} for an upload; "
        f"× {number(uploads, 6)} upload{'s' * (uploads != 1)}{most} = {number(all_of_them, 5)} for the run"
    )
    if run["epsilon"] * 1.001 >= all_of_them:
        return _listed([f"{total}."])
    answers = weights * uploads
    return _listed(
        [
            f"{total}, if each of the {number(answers, 7)} answers (a weight, sent once) told its full ε in "
            "the same direction. That is unlikely.",
            *_unlikely(experiment, client, answers, each, run),
        ]
    )


def _listed(steps: list[str]) -> str:
    return "\n".join(["How it adds up:", "", *(f"- {step}" for step in steps)])


def _unlikely(
    experiment: Experiment,
    client: tuple[float, float, float],
    answers: int,
    epsilon: float,
    run: dict[str, Any],
) -> Iterator[str]:
    """What the bounds are instead: for any mechanism of this ε, and for this one."""
    generic, found, delta = run["generic"], f"**ε {number(run['epsilon'], 4)}**", run["delta"]
    any_is_less = generic is not None and generic * 1.001 < run["basic"]
    tells_less = run["rule"] == "own_law"
    if any_is_less:
        leans = math.tanh(epsilon / 2)  # (e^ε − 1)/(e^ε + 1): how much more often it is right than wrong
        mean, spread = epsilon * leans, epsilon * math.sqrt(1 - leans**2)
        exact = f"{number(generic, 4)} for any mechanism of this ε" if tells_less else found
        if steps := _normal(answers, mean, spread, delta, generic):
            right, wrong, each = _share((1 + leans) / 2), _share((1 - leans) / 2), number(epsilon, 4)
            yield (
                f"At worst an answer points the right way with a probability of e^ε/(1 + e^ε) = {right}, and "
                "tells ε; else it tells ε for the contrary. "
                f"On average it tells {each} × ({right} − {wrong}) = {number(mean, 4)}, with a standard "
                f"deviation of 2 × {each} × √({right} × {wrong}) = {number(spread, 4)}.{steps}{exact}."
            )
        else:
            yield f"With a δ of {number(delta)}: {exact}."
    elif not tells_less:
        yield f"With a δ of {number(delta)}: {found}."
    if tells_less:
        law = law_of(experiment.releases[0][1].mechanism, *client, CELLS)
        mean, spread = law.step * law.mean, law.step * math.sqrt(law.variance)
        few = f"Not every answer of {experiment.randomiser.label} tells its full ε"
        if steps := _normal(answers, mean, spread, delta, run["epsilon"]):
            yield (
                f"{few}: by its own law one tells {_finely(mean, answers)} on average, with a standard "
                f"deviation of {number(spread, 4)}.{steps}{found}."
            )
        else:
            yield f"{few}: with a δ of {number(delta)} the bound is {found}."


def _normal(answers: int, mean: float, spread: float, delta: float, bound: float) -> str:
    """The sum's mean and luck as steps of their own, if together they come to about the bound, which is to
    follow; mean and spread are those of one answer.
    """
    together, luck = answers * mean, math.sqrt(answers) * spread
    beyond = -float(ndtri(delta))
    if not math.isclose(together + beyond * luck, bound, rel_tol=CLOSE):
        return ""
    many = number(answers, 7)
    steps = (
        f"All together tell {many} × {_finely(mean, answers)} = {number(together, 4)}, with a standard "
        f"deviation of {number(spread, 4)} × √{many} = {number(luck, 4)}.",
        f"With a probability of δ = {number(delta)}, luck adds more than {number(beyond, 4)} of these "
        f"deviations (so it is for a normal distribution), {number(beyond * luck, 3)}: some "
        f"{number(together + beyond * luck, 4)} in all.",
        "Counted exactly, with the distribution that sums of such answers have: ",
    )
    return "".join(f"\n    - {step}" for step in steps)


def _finely(mean: float, answers: int) -> str:
    """With as many digits as their sum needs to come out."""
    return number(mean, 4 if answers * mean < 10_000 else 6)


def _share(value: float) -> str:
    return f"{number(100 * value, 4)}{THIN}%"
