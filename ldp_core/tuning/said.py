"""The answer to the visitor's own question in words and figures, for page, program and command."""

from typing import Any

from ldp_core.accounting import AGAINST, Promise, everyone, promise, worth
from ldp_core.experiment import UNITS, Experiment, plan
from ldp_core.inference.finding import finding
from ldp_core.inference.outcome import at_chance
from ldp_core.limits import at_most, number, percent, spelled
from ldp_core.trust import registry as trusts
from ldp_core.tuning.designs import BestDesign, KnownAccuracies, answer_of
from ldp_core.tuning.needs import Lever, Needs


def promised(design: Experiment) -> Promise:
    """The promise to each client for the whole run at worst; all of a design's clients have the same."""
    return promise(plan(design), everyone(plan(design))[0]).run_worst


def design_of(needs: Needs, found: BestDesign) -> Experiment:
    return needs.designs(found.epsilon)[found.design]


def sentence(needs: Needs, found: BestDesign, chance: float) -> str:
    kind = "asked" if found.reaches else "asked, not reached"
    kind = "asked, nothing learns" if at_chance(found.mean, chance) else kind
    return finding(
        kind,
        who=f"{spelled(needs.clients)} clients trusting {trusts.get(needs.trust).label}",
        reached=percent(found.mean)
        + (" accuracy" if kind == "asked" else "")
        + (" expected" if not found.measured else ""),
        budget=f"{promised_in_words(needs, found)} for {UNITS[needs.unit]}",
        wanted=percent(needs.accuracy or 0.0, 1),
    ).text()


def promised_in_words(needs: Needs, found: BestDesign) -> str:
    delta = promised(design_of(needs, found)).delta
    return f"ε {at_most(found.epsilon)}" + (f" (δ {number(delta)})" if delta else "")


def answered(
    needs: Needs, known: KnownAccuracies, chance: float, told: float | None = None
) -> dict[str, Any]:
    """The answer as JSON values: design, accuracy, promise, in what share of tries an attack `told` two
    images apart, and what each change would give.
    """
    found = answer_of(needs, known)
    levers = [{"change": lever.label, **_figures(other, chance)} for lever, other in changes(needs, known)]
    own = design_of(needs, found)
    line = promised(own)
    return {
        **_figures(found, chance),
        "guessing": chance,
        "without_noise": found.ceiling,
        "promise": {
            "epsilon": line.bound,
            "delta": line.delta,
            "unit": needs.unit,
            "covers": UNITS[needs.unit],
            "against": AGAINST[own.trust.against],
            "worth": worth(line).word,
            "odds": worth(line).odds,
        },
        "told_apart": told,
        "experiment": own.as_json(),
        "levers": levers,
        "sentence": f"{sentence(needs, found, chance)}.",
    }


def changes(needs: Needs, known: KnownAccuracies) -> list[tuple[Lever, BestDesign]]:
    """Each change of the question with its answer, if asked for."""
    return [(lever, answer_of(needs, known, 1 + n)) for n, lever in enumerate(needs.changed() * needs.levers)]


def enough(found: BestDesign, chance: float) -> bool:
    """Whether what is asked for is reached, by more than guessing."""
    return found.reaches and not at_chance(found.mean, chance)


def _figures(found: BestDesign, chance: float) -> dict[str, Any]:
    figures = {"low": found.low, "high": found.high, "mean": found.mean, "runs": found.runs}
    return {
        "found": enough(found, chance),
        "epsilon": found.epsilon,
        "accuracy": {**figures, "measured": found.measured},
    }
