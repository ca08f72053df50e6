"""Each number in a scenario's sentences is that of its settings, of its ledger, or of its stored outcome."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.accounting import DELTA, Promise, Scope, everyone, promise, worth
from ldp_core.experiment import Experiment, plan
from ldp_core.presets import sixty_thousand as sixty
from ldp_core.presets import ten_hospitals as hospitals
from ldp_core.presets.of_systems import five_side_by_side as five
from ldp_core.presets.questions import CompletedRun, images_back
from ldp_core.runs import outcomes
from ldp_core.theory import server_variance

NUMBER = re.compile(
    r"(?P<of>ε (?:of )?|±)?(?<![\w.,/^])(?P<value>\d{1,3}(?: \d{3})+|\d+(?:\.\d+)?)(?![\d/⁻])"
)
ABOUT = 0.25
"""Relative error of a number that is said to be about so."""


@dataclass(frozen=True)
class Shown:
    """A scenario's settings and stored outcome."""

    name: str

    @cached_property
    def experiments(self) -> dict[str, Experiment]:
        draft = presets.get(self.name).draft
        return dict(zip((one.label for one in draft.variants), draft.experiments(), strict=True))

    @cached_property
    def outcome(self) -> outcomes.ScenarioResult:
        found = outcomes.stored(self.name)
        runs = outcomes._experiments(presets.get(self.name).draft)
        assert found is not None and found.key == outcomes.stamp(runs)["key"], (
            f"python -m ldp_core presets --outcomes {self.name}"
        )
        return found

    def results(self, label: str) -> list[CompletedRun]:
        found = [one for one in self.outcome.results if one.label == label]
        assert len(found) == self.outcome.seeds, label
        return found

    def ends(self, label: str) -> list[float]:
        return [100 * one.accuracy for one in self.results(label)]

    def line(self, label: str, scope: Scope) -> Promise:
        """Of the first client."""
        one = self.experiments[label]
        return promise(plan(one), everyone(plan(one))[0])[scope]

    @property
    def settings(self) -> set[float]:
        """Budgets and ends of ranges that any run asks for."""
        found = set[float]()
        for one in self.experiments.values():
            found |= {*one.clients.budgets().tolist(), *one.clients.bounds()[1].tolist()}
        return found


Check = Callable[[float, Shown], bool]


def above(*labels: str) -> Check:
    return lambda value, shown: all(min(shown.ends(label)) > value for label in labels)


def below(*labels: str) -> Check:
    return lambda value, shown: all(max(shown.ends(label)) < value for label in labels)


def about(measured: Callable[[Shown], float]) -> Check:
    return lambda value, shown: abs(measured(shown) / value - 1) < ABOUT


def exactly(measured: Callable[[Shown], float]) -> Check:
    return lambda value, shown: value == pytest.approx(measured(shown), rel=1e-3)


def noise(louder: str, quieter: str, rounds: int = 1) -> Check:
    """Ratio of two runs' noise variance in a round, the second's added up over `rounds`."""

    def ratio(shown: Shown) -> float:
        loud, quiet = (server_variance(shown.experiments[label]) for label in (louder, quieter))
        return loud / (rounds * quiet)

    return about(ratio)


def summed(label: str, scope: Scope = "upload") -> Check:
    return exactly(lambda shown: shown.line(label, scope).sum)


def back(label: str, least: bool = True) -> Check:
    """Images of real uploads, on average over clients: more in each run, or exactly as many."""

    def holds(value: float, shown: Shown) -> bool:
        found = [images_back(one) for one in shown.results(label)]
        return all(one is not None and (one > value if least else one == value) for one in found)

    return holds


def alike(label: str) -> Check:
    return lambda value, shown: all((one.alike or 0) > value for one in shown.results(label))


def setting(value: float) -> Check:
    """A number of the scenario's own settings."""
    return exactly(lambda _: value)


def picked(label: str) -> Check:
    def more(value: float, shown: Shown) -> bool:
        hits, tries = zip(*(one.picked[:2] for one in shown.results(label)), strict=True)
        return 100 * sum(hits) / sum(tries) > value

    return more


def unnamed(value: float, shown: Shown) -> bool:
    """The digit is named by no run of 1/σ²."""
    return all(one.per_class[int(value)] < 0.01 for one in shown.results("1/σ²"))


def weights(shown: Shown) -> float:
    return plan(next(iter(shown.experiments.values()))).dimension


def odds(label: str) -> Check:
    def proved(value: float, shown: Shown) -> bool:
        return f"in at most {value:.0f} of 100" in worth(shown.line(label, "upload")).odds

    return proved


def within(one: str, other: str) -> Check:
    return lambda value, shown: abs(fmean(shown.ends(one)) - fmean(shown.ends(other))) < value


def ahead(one: str, other: str) -> Check:
    """One run's accuracy above another's, in every seed, in points."""
    return lambda value, shown: np.subtract(shown.ends(one), shown.ends(other)).min() > value


def spends(*labels: str) -> Check:
    """What a run costs every client at worst."""
    return lambda value, shown: all(
        abs(shown.line(label, "run_worst").bound / value - 1) < 2e-4 for label in labels
    )


FIGURES: dict[str, tuple[Check, ...]] = {
    "everybody_equal": (noise("PDPM ε 1", "Duchi ε 1"), noise("Piecewise ε 4", "Piecewise ε 8")),
    "send_changes": (
        above("weights in ±0.1"),
        below("weights in ±1"),
        above("changes in ±0.1"),
        noise("weights in ±1", "changes in ±0.1"),
        setting(15),
        noise("weights in ±1", "changes in ±0.1", 15),
    ),
    "who_is_silenced": (setting(0), setting(4), unnamed, unnamed),
    "what_epsilon_says": (
        summed("ε 650 per upload", "coordinate"),
        exactly(weights),
        summed("ε 650 per upload"),
        summed("ε 650 per upload", "run_worst"),
        setting(15),
        summed("ε 8 per upload"),
        odds("ε 8 per upload"),
        setting(100),
        summed("ε 650 per upload"),
        summed("ε 8 per upload"),
    ),
    "twenty_images": (
        back("no LDP"),
        setting(20),
        back("Piecewise, ε 8", least=False),
        back("Piecewise, ε 20"),
        setting(20),
    ),
    "same_epsilon": (
        alike("Piecewise, ε 8"),
        exactly(lambda shown: sum(one.verdict == "partly" for one in shown.results("Duchi, ε 8"))),
        setting(3),
        picked("Piecewise, ε 1"),
    ),
    "promise_and_repair": (exactly(weights), summed("Duchi, changes in ±0.01")),
    "pldp_fl": (
        noise("as printed", "corrected"),
        below("Laplace in ±1"),
        exactly(weights),
        summed("as printed"),
    ),
    "five_side_by_side": (
        spends(*five.FIVE, five.SHORT),
        setting(0.1),
        summed(five.PLDP, "coordinate"),
        summed(five.OPTIMAL),
        below(*five.LEARNING),
        setting(5),
    ),
    "sixty_thousand": (
        below(sixty.PIXELS),
        above(sixty.MEANS),
        above(sixty.STRICT),
        exactly(lambda shown: round(100 * (shown.outcome.control or 0))),
        exactly(lambda shown: plan(shown.experiments[sixty.MEANS]).dimension / 10 - 1),
        setting(60_000),
        setting(64),
        above(sixty.FEATURES),
        above(sixty.WAVES),
        exactly(lambda shown: shown.experiments[sixty.FEW].clients.count),
        above(sixty.FEW),
        exactly(lambda shown: shown.experiments[sixty.SOME].clients.count),
        above(sixty.SOME),
        exactly(lambda shown: shown.experiments[sixty.STRICTEST].clients.count),
        above(sixty.STRICTEST),
        below(sixty.STRICTEST),
        exactly(lambda shown: shown.experiments[sixty.UNEVEN].clients.count),
        *map(setting, (0, 1, 2)),
        within(sixty.UNEVEN, sixty.SOME),
    ),
    "ten_hospitals": (
        above(hospitals.ALONE),
        below(hospitals.WHOLE_ALONE),
        above("a secure sum, row ε 1", "a server, row ε 1"),
        below(hospitals.WHOLE_SUM),
    ),
    "alike_or_unlike": (ahead("alike, 1/σ²", "alike, mean"),),
    "whom_do_you_trust": (
        below("no one, ε 2"),
        above("a shuffler, ε 2"),
        above("a secure sum, ε 2", "a server, ε 2"),
        above("a secure sum, ε 0.5"),
        below("no one, ε 0.5"),
        above(*(f"{whom}, ε 8" for whom in ("no one", "a shuffler", "a secure sum", "a server"))),
    ),
}
"""What each number of a scenario's sentences is compared with, in order, but for budgets (ε) and ranges (±)
of the settings, and names of runs.
"""


def numbers(name: str) -> list[tuple[float, str]]:
    """Numbers in the sentences that are no budget or range of the settings, each with its sentence."""
    labels, settings, found = Shown(name).experiments, Shown(name).settings, []
    assert DELTA == 1e-5, "which sentences write as δ 10⁻⁵"
    for sentence in presets.get(name).says:
        text = sentence
        for label in sorted(labels, key=len, reverse=True):
            text = text.replace(label, "")
        for each in NUMBER.finditer(re.sub(r"equation \(\d+\)|MNIST|1/\(?σ", "", text)):
            value = float(re.sub(r"\s", "", each["value"]))
            if not (each["of"] and value in settings):
                found.append((value, sentence))
    return found


@pytest.mark.parametrize("name", presets.names())
def test_each_number_in_a_sentence_is_that_of_the_outcome(name: str):
    shown, found, checks = Shown(name), numbers(name), FIGURES.get(name, ())
    assert presets.get(name).seeds >= 3
    assert len(found) == len(checks), found
    for (value, sentence), holds in zip(found, checks, strict=True):
        assert holds(value, shown), f"{value:g} in “{sentence}”"


def test_cautious_image_is_picked_more_often_in_a_short_range():
    wide, *short = (
        sum(one.picked[0] for one in Shown("send_changes").results(label))
        for label in ("weights in ±1", "weights in ±0.1", "changes in ±0.1")
    )
    assert all(each > 1.2 * wide for each in short)
