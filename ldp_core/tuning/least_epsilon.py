"""*Find the least ε*: the answer of the search for one base experiment, as figures and a sentence."""

from typing import NamedTuple

from ldp_core.experiment import PER, plan
from ldp_core.limits import EPSILON, THIN, at_most, number, percent
from ldp_core.tuning import designs
from ldp_core.tuning.designs import FIRST, BestDesign, DesignRun, KnownAccuracies
from ldp_core.tuning.question import Question


class Answer(NamedTuple):
    epsilon: float | None
    """Least ε that reaches the accuracy; None if none was found."""
    half: float | None
    above: float | None
    """Largest ε tried with fresh seeds that does not surely reach it; the least ε lies above."""
    mean: float | None
    """Mean accuracy at the answer over fresh seeds."""
    sure: float | None
    """Accuracy that a further run reaches with 97.5 % confidence."""
    why: str
    """Reason in one sentence."""


def answer_of(question: Question, known: KnownAccuracies) -> Answer:
    """Least ε over all ranges, or why there is none; raises if runs are missing."""
    found = designs.answer_of(question, known)
    if not found.reaches:
        return Answer(None, None, None, None, None, _in_the_way(question, found))
    half = question.ranges[found.design]
    why = f"the smallest ε found that reaches it is {at_most(found.epsilon, 4)}"
    why += question.called(half, ", with a safe range of ")
    why += f"; ε {number(found.above, 6)} is not sure to" if found.above else ""
    seeds = range(FIRST, FIRST + found.runs)
    fresh = [known[DesignRun(0, found.design, found.epsilon, seed)] for seed in seeds]
    met = sum(accuracy >= question.accuracy for accuracy in fresh)
    why += (
        f". Of {found.runs} fresh seeds {met} reach {percent(question.accuracy, 1)}; one more run reaches at "
        f"least {percent(max(0.0, found.sure), 1)} with 97.5{THIN}% confidence"
    )
    return Answer(found.epsilon, half, found.above, found.mean, found.sure, why)


def _in_the_way(question: Question, found: BestDesign) -> str:
    """How far was looked, and what came of it."""
    asked, half = percent(question.accuracy, 1), question.ranges[found.design]
    reached = f"{percent(found.mean, 1)} on average at ε {at_most(found.epsilon, 4)}, in {found.runs} runs"
    words = [f"{question.called(half) or 'it'} reaches {reached} ({percent(found.ceiling, 1)} without noise)"]
    if found.open:
        words[0] += f", and it is open whether 97.5{THIN}% of runs reach {asked}"
    elif found.mean >= question.accuracy:
        words[0] += f", but fewer than 97.5{THIN}% of runs reach {asked}"
    tried = zip(question.ranges, found.tried, strict=True)
    others = [f"{percent(mean, 1)} with {question.called(one)}" for one, mean in tried if one != half]
    words += [f"a short trial reaches {', '.join(others)}"] * bool(others)
    if question.run_budget is not None:
        most = max(map(question.most, question.ranges))
        words.append(f"a run budget of {number(question.run_budget, 6)} allows no more than ε {number(most)}")
    if question.steps[-1] == EPSILON.maximum:
        base = question.base
        words.append(
            f"ε {number(EPSILON.maximum, 6)} {plan(base).covers} is the largest that may be asked for"
        )
        if base.clients.epsilon_scope != "mechanism":
            words[-1] += f" (as much may be asked for {PER[plan(base).randomiser.scope]})"
    words += ["other ranges were not tried"] * bool(question.called(half))
    how = "was not found to be reached surely" if found.open else "is not reached surely"
    return f"{asked} {how}: {'; '.join(words)}"
