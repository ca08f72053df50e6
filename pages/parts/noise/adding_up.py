"""Derivation of a run's ε from a weight's, step by step: sum, mean loss, deviation.

Each output has a privacy loss between −ε and ε; sums of thousands are almost normal. So mean + z·deviation,
with z exceeded with probability δ, is about the exact bound; where it is not, only sum and bound are shown.
"""

import math
from collections.abc import Iterator

from scipy.special import ndtri

from ldp_core.accounting import Entry, Promise
from ldp_core.composition.own_law import CELLS, losses_of
from ldp_core.composition.spending import Client
from ldp_core.experiment import Experiment, plan
from pages.parts.ui.text import THIN, as_shown, at_most, number

CLOSE = 0.02
"""Largest relative error of the normal approximation for which its steps are shown."""


def added_up(experiment: Experiment, client: Client, limit: float, entry: Entry) -> str:
    """Steps as a Markdown list, for mechanisms on single weights without δ; else "". `limit`: the client's
    own on the run's ε.
    """
    lines = weight, _, run = entry.coordinate, entry.upload, entry.run_worst
    bounded = all(line.guarantee and line.rule != "nominal" for line in lines) and not weight.delta
    if plan(experiment).randomiser.scope != "coordinate" or not bounded:
        return ""
    each, once, all_of_them = (line.sum for line in lines)
    weights, uploads = round(once / each), round(all_of_them / once)
    answers = weights * uploads
    if not uploads or not math.isclose(answers * each, all_of_them, rel_tol=1e-9):
        return ""
    perturbed = "" if weights == plan(experiment).uploaded else "perturbed "
    most = "" if entry.run_expected == run else " at most"  # where lots are drawn
    if uploads < experiment.rounds and math.isfinite(limit):
        most = ", more than which its own limit forbids,"
    total = (
        f"{number(weights, 6)} {perturbed}weights × ε {number(each, 4)} = {at_most(once, 5)} for an upload; "
        f"× {number(uploads, 6)} upload{'s' if uploads != 1 else ''}{most} = {at_most(all_of_them, 5)} "
        "for the run"
    )
    steps = [f"{total}."]
    if run.bound * 1.001 < all_of_them:
        steps = [
            f"{total}, if each of the {number(answers, 7)} answers (a weight, sent once) told its full ε in "
            "the same direction. That is unlikely.",
            *_unlikely(experiment, client, answers, each, run),
        ]
    return "\n".join(["How it adds up:", "", *(f"- {step}" for step in steps)])


def _unlikely(
    experiment: Experiment, client: Client, answers: int, epsilon: float, run: Promise
) -> Iterator[str]:
    """Bounds on an unlikely sum of losses: for any mechanism of this ε, and for this mechanism."""
    generic, found, delta = run.generic, f"**ε {at_most(run.bound, 4)}**", run.delta
    tells_less = run.rule == "own_law"
    if generic is not None and generic * 1.001 < run.sum:
        exact = f"{at_most(generic, 4)} for any mechanism of this ε" if tells_less else found
        yield _worst(answers, as_shown(epsilon, 4), delta, generic, exact)
    elif not tells_less:
        yield f"With a δ of {number(delta)}: {found}."
    if tells_less:
        losses = losses_of(plan(experiment).releases[0][1].mechanism, *client, CELLS)
        mean = as_shown(losses.step * losses.mean, _digits(losses.step * losses.mean, answers))
        spread = as_shown(losses.step * math.sqrt(losses.variance), 4)
        steps = _normal(answers, mean, spread, delta, run.bound)
        known = f"with a δ of {number(delta)} the bound is "
        if steps:
            known = (
                f"by its own law one tells {number(mean, 6)} on average, with a standard deviation of "
                f"{number(spread, 4)}.{steps}"
            )
        yield f"Not every answer of {plan(experiment).randomiser.label} tells its full ε: {known}{found}."


def _worst(answers: int, epsilon: float, delta: float, bound: float, exact: str) -> str:
    """Steps to the bound for any mechanism of this ε, by randomised response."""
    leans = math.tanh(epsilon / 2)  # (e^ε − 1)/(e^ε + 1): how much more often it is right than wrong
    digits = _digits(epsilon * leans, answers)
    mean = as_shown(epsilon * leans, digits)
    for shown in range(4, 12):  # digits of the percentages, until they give the average
        right, wrong = (as_shown(50 * (1 + sign * leans), shown) for sign in (1, -1))
        if as_shown(epsilon * (right - wrong) / 100, digits) == mean:
            break
    spread = as_shown(2 * epsilon * math.sqrt(right * wrong) / 100, 4)
    steps = _normal(answers, mean, spread, delta, bound)
    if not steps:
        return f"With a δ of {number(delta)}: {exact}."
    each, often, else_ = number(epsilon, 4), *(f"{number(share, 11)}{THIN}%" for share in (right, wrong))
    return (
        "Take any two values that a weight may have. At worst an answer points to the true one with a "
        rf"probability of $e^\varepsilon/(1 + e^\varepsilon)$ = {often}, and counts ε for it; "
        f"else it counts ε against it. On average it tells {each} × ({often} − {else_}) = "
        f"{number(mean, 6)}, with a standard deviation of 2 × {each} × √({often} × {else_}) = "
        f"{number(spread, 4)}.{steps}{exact}."
    )


def _normal(answers: int, mean: float, spread: float, delta: float, bound: float) -> str:
    """Mean and deviation of the sum as steps, if together close to `bound`; mean and spread are one output's,
    as displayed. Each step uses the displayed values of the one before, as a reader with a calculator does.
    """
    together, luck = as_shown(answers * mean, 4), as_shown(math.sqrt(answers) * spread, 4)
    beyond = as_shown(-float(ndtri(delta)), 4)
    more = as_shown(beyond * luck, 3)
    if not math.isclose(together + more, bound, rel_tol=CLOSE):
        return ""
    many = number(answers, 7)
    steps = (
        f"All together tell {many} × {number(mean, 6)} = {number(together, 4)}, with a standard "
        f"deviation of {number(spread, 4)} × √{many} = {number(luck, 4)}.",
        f"With a probability of δ = {number(delta)}, luck adds more than {number(beyond, 4)} of these "
        f"deviations (so it is for a normal distribution), {number(more, 3)}: some "
        f"{number(together + more, 4)} in all.",
        "Counted exactly, with the distribution that sums of such answers have: ",
    )
    return "".join(f"\n    - {step}" for step in steps)


def _digits(mean: float, answers: int) -> int:
    return 4 if answers * mean < 10_000 else 6
