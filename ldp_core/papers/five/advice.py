"""Sentences on which of the five systems to use, for a population of clients and an ε of the whole run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ldp_core import datasets
from ldp_core.inference import difference
from ldp_core.limits import spelled
from ldp_core.papers.five.points import LEARNS, POPULATIONS, RUNS, Point, sent
from ldp_core.presets.of_systems.five_side_by_side import BASE

HELD_OUT = datasets.get(str(BASE["dataset"])).test_size
NONE = f"None of the five surely learns it: no 95 % interval lies wholly above {LEARNS:.0f} %."
FEWER = 10
"""Least ratio of traffic between two systems that the advice mentions."""


@dataclass(frozen=True)
class Advice:
    population: str
    runs: tuple[float, ...]
    """Values of the run's ε."""
    take: Point | None
    """The recommended system's point; None if no system learns."""
    says: str


def advice(found: Sequence[Point]) -> Iterator[Advice]:
    """Advice for each population; values of ε at which no system learns are joined and come first."""
    for population in POPULATIONS:
        rows = {run: [one for one in found if (one.population, one.run) == (population, run)] for run in RUNS}
        able = {run: [one for one in row if one.learns] for run, row in rows.items() if row}
        if none := tuple(run for run, learnt in able.items() if not learnt):
            yield Advice(population, none, None, NONE)
        for run, learnt in able.items():
            if learnt:
                take, says = _taken(learnt)
                yield Advice(population, (run,), take, says)


def in_short(found: Sequence[Point]) -> str:
    """Sentence with the ε at which no system learns, and the least identification where one does."""
    able = [one for one in found if one.learns]
    if not able:
        return NONE
    below = sorted({one.run for one in found} - {one.run for one in able})
    none = f"At ε {' and '.join(spelled(int(run)) for run in below)} a run none of the five surely learns; w"
    return (
        f"{none if below else 'W'}here one does, the server picks out at least "
        f"{100 * min(one.leaked for one in able):.0f} % of the images that single uploads were made of."
    )


def _taken(able: Sequence[Point]) -> tuple[Point, str]:
    """The most accurate point, or one within its error that clearly leaks less; with the advice in words."""
    best = max(able, key=lambda one: one.accuracy.mean)
    close = [one for one in able if not _ahead(best, one, max(1, len(able) * (len(able) - 1) // 2))]
    take = min((one for one in close if one is best or one.high < best.low), key=lambda one: one.leaked)
    says = [f"Take {_named(take)}."]
    if others := [_named(one) for one in close if one is not take]:
        says.append(f"{' and '.join(others)} {'is' if len(others) == 1 else 'are'} within its error.")
    slim = min(able, key=lambda one: sent(one.label))
    if slim is not take and sent(slim.label) * FEWER <= sent(take.label):
        times = spelled(round(sent(take.label) / sent(slim.label)))
        says.append(f"{_named(slim)} costs 1/{times} of the traffic.")
    return take, " ".join(says)


def _named(one: Point) -> str:
    return f"{one.label} ({one.accuracy.mean:.0f} % right, {100 * one.leaked:.0f} % picked out)"


def _ahead(one: Point, other: Point, among: int) -> bool:
    """Whether a point is surely more accurate than another, of `among` pairs from which these are."""
    mine, theirs = ({f.seed: f.value or 0.0 for f in point.figures} for point in (one, other))
    seeds = sorted(mine.keys() & theirs.keys())
    gap = difference(
        [mine[seed] for seed in seeds], [theirs[seed] for seed in seeds], among=among, held_out=HELD_OUT
    )
    return gap.outcome == "holds"
