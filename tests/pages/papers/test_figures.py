"""Means with intervals on the page Papers are of the stored runs."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from ldp_core import papers
from ldp_core.mechanisms.base import Floats
from ldp_core.papers import five
from ldp_core.papers.statements import AT
from ldp_core.runs import claims
from tests.pages.run_facts import printed
from tests.pages.shown_text import everything_open, plainly, read

STATED = re.compile(r"(?<![\d.])(-?\d+(?:\.\d+)?) ± (\d+(?:\.\d+)?)")


def measured() -> Iterator[Floats]:
    """Figures by seed of each arm, and of each difference that a statement is of."""
    for name in papers.names():
        shelf = claims.shelf(name)
        for made in (one for claim in papers.get(name).claims for one in claim.read_each.values()):
            for arm in made.measured:
                named = {what for one in shelf.of_arm(made, arm.label).values() for what in one.also}
                for what in (made.about, "accuracy", *named):
                    yield from shelf.values(made, [f"{arm.label}{AT}{what}"]).values()
            for statement in (one for one in made.statements if one.over):
                table = shelf.values(made, statement.operands)
                yield np.mean([table[first] - table[second] for first, second in statement.over], axis=0)
    for point in five.points(claims.shelf(five.NAME)):
        yield 100 * np.array([one.value for one in point.figures], dtype=np.float64)


def test_means_and_intervals_on_papers_are_of_stored_runs(tmp_path: Path):
    with everything_open(tmp_path):
        said = {pair for text in read("papers") for pair in STATED.findall(plainly(text))}
        each = [values for values in measured() if len(values) > 1]
    least = [float(student.ppf(0.975, len(one) - 1) * one.std(ddof=1) / len(one) ** 0.5) for one in each]
    wrong = [
        (mean, half)
        for mean, half in said
        if not any(
            printed(float(one.mean()), mean) and (printed(width, half) or float(half) > width)
            for one, width in zip(each, least, strict=True)
        )
    ]
    assert len(said) > 100 and not wrong
