"""*Find the least ε*: the answer of the search for one base experiment, as figures and a sentence."""

from collections.abc import Iterable
from typing import NamedTuple

from ldp_core.experiment import PER, plan
from ldp_core.limits import EPSILON, THIN, at_most, number, percent
from ldp_core.tuning import designs
from ldp_core.tuning.designs import FIRST, BestDesign, DesignRun, KnownAccuracies
from ldp_core.tuning.question import Cap, Question


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
    if not question.ranges:
        why = f"{percent(question.accuracy, 1)} is not reached: {leak_in_words(question)}"
        return Answer(None, None, None, None, None, why)
    found = designs.answer_of(question, known)
    if not found.reaches:
        return Answer(None, None, None, None, None, _in_the_way(question, found))
    half = question.ranges[found.design]
    why = f"the smallest ε found that reaches it is {at_most(found.epsilon, 4)}"
    why += question.called(half, ", with a safe range of ")
    why += f"; ε {number(found.above, 6)} is not sure to" if found.above else ""
    if question.caps:
        why += f"; {leak_in_words(question, (one for one in question.caps if one.half == half))}"
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
        most = max(question.affordable.values())
        words.append(f"a run budget of {number(question.run_budget, 6)} allows no more than ε {number(most)}")
    if question.steps[-1] == EPSILON.maximum:
        base = question.base
        words.append(
            f"ε {number(EPSILON.maximum, 6)} {plan(base).covers} is the largest that may be asked for"
        )
        if base.clients.epsilon_scope != "mechanism":
            words[-1] += f" (as much may be asked for {PER[plan(base).randomiser.scope]})"
    words += [leak_in_words(question)] * bool(question.caps)
    words += ["other ranges were not tried"] * bool(question.called(half))
    settled = not found.open and not any(one.open for one in question.caps)
    how = "is not reached surely" if settled else "was not found to be reached surely"
    return f"{asked} {how}: {'; '.join(words)}"


def leak_in_words(question: Question, caps: Iterable[Cap] | None = None) -> str:
    """Largest ε of each range under the limit on identification, in words."""
    words = []
    for one in question.caps if caps is None else caps:
        ends = f"up to ε {number(one.most, 6)}" if one.most else "at no ε that was tried"
        ends += question.called(one.half, " with ")
        if one.above:
            ends += f" (at ε {number(one.above, 6)} {'it is open' if one.open else 'in more'})"
        words.append(ends)
    return (
        f"with 97.5{THIN}% confidence an attacker picks the right image, of ten, in at most "
        f"{percent(question.identification or 0.0, 1)} of single uploads {', '.join(words)}"
    )
