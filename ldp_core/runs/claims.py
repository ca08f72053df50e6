"""The papers' claims on this machine: shipped and locally measured figures, and the measurement itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from time import monotonic
from typing import Any

from ldp_core import datasets, limits, papers
from ldp_core.cost.seconds import in_words, seconds
from ldp_core.datasets import Report, quiet
from ldp_core.errors import DataUnavailable, InvalidExperiment, one_of, shown
from ldp_core.papers import Claim
from ldp_core.papers.five import CLAIM, NAME, advice, points
from ldp_core.papers.measuring import Asked, alike, further, keep, left, measure
from ldp_core.papers.statements import in_unit
from ldp_core.papers.stored import Shelf, StoredFigure
from ldp_core.papers.verdict import Verdict, verdicts
from ldp_core.runs.lockstep import load, one_thread
from ldp_core.runs.machine.calibration import calibrate, rates
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system.shipped import ASSETS

SECOND = 1.0
"""Least time between two writes of a file of figures, in seconds."""


def own(name: str) -> Path:
    return runs_dir() / "papers" / f"{name}.json"


def shipped(name: str) -> Path:
    """File of the figures that come with a paper, or with the comparison of the five."""
    return ASSETS / "papers" / f"{NAME}.json" if name == NAME else papers.get(name).figures


def shelf(name: str) -> Shelf:
    """Figures of a paper's claims: shipped ones and those measured on this machine."""
    return _shelf(*map(_state, (shipped(name), own(name))))


def judged(name: str) -> dict[str, Verdict]:
    """Verdict on each claim of a paper, by its id; reasons depend on the data that are here."""
    there = [datasets.get(one).there(datasets.data_dir()) for one in datasets.registry.names()]
    return _judged(name, (*there,), *map(_state, (shipped(name), own(name))))


def _state(file: Path) -> tuple[Path, int, int]:
    """A file with its time of change and its size."""
    found = file.stat() if file.exists() else None
    return file, found.st_mtime_ns if found else 0, found.st_size if found else 0


@lru_cache(16)
def _shelf(*files: tuple[Path, int, int]) -> Shelf:
    return Shelf.of(*(file for file, *_ in files))


@lru_cache(16)
def _judged(name: str, there: tuple[bool, ...], *files: tuple[Path, int, int]) -> dict[str, Verdict]:
    return verdicts(papers.get(name).claims, _shelf(*files))


def seconds_of(claim: Claim) -> float | None:
    """Estimated, for all runs of a claim here; None if this machine's speed was not measured."""
    known = rates()
    each = [arm.work() for read in claim.read_each.values() for arm in read.measured]
    return seconds(each, known) * claim.seeds if known else None


def listed() -> Iterator[str]:
    """Lines of text: every claim with the paper's figure and the measured one."""
    for name in papers.names():
        paper, words = papers.get(name), judged(name)
        by = next((one.reading for one in words.values() if one.reading), "")
        yield f"{name}: {paper.label}{f', by the reading “{by}”' if by else ''}"
        for claim in paper.claims:
            found = words[claim.id]
            yield f"  {claim.id:<20} {': '.join(filter(None, (found.word, found.reason)))}"
            for statement, part in zip_longest(claim.statements, found.parts):
                ours = f"{in_unit(part)} ({part.outcome})" if part else "–"
                yield f"      paper: {statement.says(claim.about):<40} here: {ours}"
            for reading, its in found.each:
                yield f"      reading “{reading.name}”: {its.word}"
            if found.seeds:
                yield f"      {found.seeds} seeds, {found.measured_by}, {found.date}"
    yield from papers.refused.values()
    yield f"{NAME}: {CLAIM.title}"
    for one in advice(points(shelf(NAME))):
        runs = ", ".join(limits.spelled(int(run)) for run in one.runs)
        yield f"  {one.population}, ε {runs} a run: {one.says}"


def rerun(
    name: str,
    only: str | None = None,
    reading: str | None = None,
    seeds: int | None = None,
    fresh: bool = False,
    into: Path | None = None,
    say: Callable[[str], None] = print,
    progress: Report = quiet,
) -> None:
    """Measure a paper's claims (or `five.NAME`), and store each figure once it is known, in the folder
    `into`, or beside the paper, or of a paper from outside among the runs: a call after a stop continues. By
    default all claims whose data are here, all readings, the claim's seeds per arm, and more for statements
    left undecided. `fresh` measures known figures again. Says at the end which figures differ from those
    known before. Raises UnknownName, InvalidExperiment, or DataUnavailable for claim `only`.
    """
    claims = _chosen(name, only)
    if seeds is not None and not limits.SEEDS.allows(seeds):
        raise InvalidExperiment.at("--seeds", f"takes a number {limits.SEEDS}; got {seeds}")
    one_thread()
    for claim in claims:
        if claim.missing and only:
            raise DataUnavailable(f"{claim.id} needs data that are not on this machine: {claim.missing}")
        if claim.missing:
            say(f"{claim.id}: not run, the data are not on this machine: {claim.missing}")
    outside = name != NAME and papers.get(name).origin
    file = into / f"{name}.json" if into else own(name) if outside else shipped(name)
    here = [one for one in claims if not one.missing]
    each = [read for one in here for read in ([one.read(reading)] if reading else one.read_each.values())]
    before = Shelf.of(shipped(name), file).figures
    todo = left(each, Shelf.of(file), seeds, fresh)
    if todo:
        _measure(todo, file, say, progress)
    more = [] if seeds or reading else [asked for one in here for asked in further(one, Shelf.of(file))]
    if more:
        say("statements that are not decided yet are given more seeds")
        _measure(more, file, say, progress)
    if not todo and not more:
        say(f"nothing to measure: all figures of {name} are of this version")
    _compare(before, Shelf.of(file).figures, [*todo, *more], say)


def _compare(
    before: Mapping[str, StoredFigure],
    now: Mapping[str, StoredFigure],
    asked: Sequence[Asked],
    say: Callable[[str], None],
) -> None:
    """Say which figures came out equal to those known before, and which did not."""
    pairs = [(arm, before[key], now[key]) for arm, seed in asked if (key := arm.key(seed)) in before]
    unlike = [(arm, old, new) for arm, old, new in pairs if not alike(old, new)]
    for arm, old, new in unlike:
        say(f"differs: {arm.label}, seed {new.seed}: {_came_to(old)}, now {_came_to(new)}")
    if pairs:
        say(f"{len(pairs) - len(unlike)} of {len(pairs)} figures equal, bit for bit, to those known before")


def _came_to(one: StoredFigure) -> str:
    return one.status if one.value is None else f"{100 * one.value:.2f} %"


def _measure(todo: Sequence[Asked], file: Path, say: Callable[[str], None], progress: Report) -> None:
    takes = seconds([arm.work() for arm, _ in todo], rates() or calibrate())
    say(f"{len(todo)} runs, about {in_words(takes)} on this machine; stop with Ctrl-C and go on later")
    pending, written = list[StoredFigure](), 0.0
    try:
        for number, figure in enumerate(measure(todo, lambda name: load(name, progress)), start=1):
            pending.append(figure)
            if monotonic() - written > SECOND:
                keep(file, *pending)
                pending, written = [], monotonic()
            label = next(arm.label for arm, seed in todo if arm.key(seed) == figure.key)
            say(f"{number} of {len(todo)}: {label}, seed {figure.seed}: {_came_to(figure)}")
    finally:
        keep(file, *pending)


def _chosen(name: str, only: str | None) -> Sequence[Claim]:
    if name == NAME:
        return [CLAIM]
    return papers.get(name).claims if only is None else [claim_of(name, only, "--only")]


def claim_of(name: str, identity: Any, field: str = "claim") -> Claim:
    """Claim of a paper by id; InvalidExperiment if the `field` names none."""
    paper = papers.get(name)
    if (found := paper.claim(identity)) is None:
        ids = one_of([claim.id for claim in paper.claims])
        raise InvalidExperiment.at(field, f"must be {ids}; got {shown(identity)}")
    return found
