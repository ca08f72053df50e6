"""Proving that the present version repeats an older one's figures: some of its runs again, digit by digit.

The sample is stated before it starts: of each claim the run of that version that was cheapest, whatever it
came to, if it took no longer than `MOST_SECONDS` and its data are here. Claims that tell a time are left out.
Only if every figure of every one of them comes out again is the pair written (`ldp_core.papers.same`).

Another kind of processor rounds otherwise, and long runs tell. Where the stored figures were found on one,
the older program itself, in a folder of its own, is run here beside this one, and both must find the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ldp_core import papers
from ldp_core.datasets import Told, quiet
from ldp_core.errors import InvalidExperiment, Problem, one_of, shown
from ldp_core.papers import Claim, same, side_by_side
from ldp_core.papers.arms import Arm
from ldp_core.papers.measuring import measure
from ldp_core.papers.same import Repeat, Rerun
from ldp_core.papers.stored import SHIPPED, Figure, Shelf
from ldp_core.papers.version import version
from ldp_core.runs.lockstep import load, one_thread

MOST_SECONDS = 90.0
"""That a run may have taken when it was stored."""


@dataclass(frozen=True)
class Chosen:
    """A stored run that is run again, and for whom."""

    system: str
    claim: str
    arm: Arm
    figure: Figure

    @property
    def words(self) -> str:
        """Which it is."""
        return f"{self.system}, {self.claim}: {self.arm.label}, seed {self.figure.seed}"


def recheck(
    versions: Sequence[str] = (),
    folder: Path | None = None,
    say: Callable[[str], None] = print,
    progress: Told = quiet,
    beside: Path | None = None,
) -> bool:
    """Run some of older versions' stored runs again; note each version of which all came out as they were.

    Args:
        versions: which; by default those of the latest day of which there are figures.
        folder: of the figures, and where the pairs are noted; by default those that come with the program.
        say: is told what it will take, and each run.
        progress: is told what is done before the first run.
        beside: where the older program lies, which is run as well: what it finds here takes the place of the
            stored figures.

    Returns:
        True if every version's runs came out again.

    Raises:
        InvalidExperiment: there is no figure of such a version, or another program lies there.
        OSError: the pair cannot be written.
    """
    shelves = {name: Shelf.of((folder or SHIPPED) / f"{name}.json") for name, _ in _claims()}
    asked = _asked(versions, [one for shelf in shelves.values() for one in shelf.figures.values()])
    if not asked:
        say(f"nothing to repeat: all stored figures are of this version, {version()}")
        return True
    one_thread()
    same_all = True
    for old in asked:
        if beside and (found := _said_by(beside, VERSION)) != old:
            told = f"must be the folder of the program of version {old}; got one of {shown(found)}"
            raise InvalidExperiment([Problem("--beside", told)])
        chosen, left_out = sample(old, shelves)
        for sentence in left_out:
            say(sentence)
        if not chosen:
            say(f"{old}: no run of it can be repeated here, so nothing is noted")
            same_all = False
            continue
        takes = sum(one.figure.seconds for one in chosen)
        say(f"{old}: {len(chosen)} runs again, which took {max(1, takes):.0f} s when they were stored")
        if _all_come_out(chosen, say, progress, beside):
            runs = tuple(
                Rerun(one.system, one.claim, one.arm.label, one.figure.seed, one.figure.key) for one in chosen
            )
            today = datetime.now(UTC).date().isoformat()
            same.note((folder or SHIPPED) / same.NAME, Repeat(old, version(), today, runs))
            say(f"{old}: all came out to the last digit; its figures are those of {version()} as well")
        else:
            say(f"{old}: not every run came out again, so nothing is noted")
            same_all = False
    return same_all


def sample(old: str, shelves: dict[str, Shelf]) -> tuple[list[Chosen], list[str]]:
    """The cheapest run of a version in each claim, each once; and in words, of which claims there is none."""
    chosen: dict[str, Chosen] = {}
    left_out = []
    for system, claim in _claims():
        stored = [
            Chosen(system, claim.id, arm, figure)
            for arm in claim.measured
            for figure in shelves[system].of_arm(claim, arm.label).values()
            if figure.version == old
        ]
        here = [
            one
            for one in stored
            if not (claim.timed or one.arm.missing) and one.figure.seconds <= MOST_SECONDS
        ]
        if here:
            one = min(here, key=lambda one: (one.figure.seconds, one.figure.key))
            chosen.setdefault(one.figure.key, one)
        elif stored:
            why = "it tells a time" if claim.timed else f"none is here, or took {MOST_SECONDS:g} s at most"
            left_out.append(f"{old}: no run of {system}, {claim.id}: {why}")
    return list(chosen.values()), left_out


def _claims() -> Iterator[tuple[str, Claim]]:
    """Every system with each of its claims."""
    for name in papers.names():
        for claim in papers.get(name).claims:
            yield name, claim
    yield side_by_side.NAME, side_by_side.CLAIM


def _asked(versions: Sequence[str], figures: Sequence[Figure]) -> list[str]:
    """The versions that are to be repeated, the present one never."""
    newest = {one.version: max(f.date for f in figures if f.version == one.version) for one in figures}
    for one in versions:
        if one not in newest:
            raise InvalidExperiment(
                [Problem("--recheck", f"must be {one_of(list(newest))}; got {shown(one)}")]
            )
    latest = [one for one, date in newest.items() if date == max(newest.values())]
    return [one for one in versions or latest if one != version()]


def _all_come_out(
    chosen: Sequence[Chosen], say: Callable[[str], None], progress: Told, beside: Path | None
) -> bool:
    """All of them are run, and who differs is told with how."""
    alike = True
    for number, one in enumerate(chosen, start=1):
        (again,) = measure([(one.arm, one.figure.seed)], lambda name: load(name, progress))
        different = same.differing(_by(beside, one) if beside else one.figure, again)
        alike = alike and not different
        said = f"differs: {'; '.join(different)}" if different else "the same"
        say(f"{number} of {len(chosen)}: {one.words}: {said}")
    return alike


VERSION = "import runpy; print(runpy.run_path('ldp_core/papers/version.py')['version']())"
RUN = """
import json, sys
from dataclasses import asdict
from ldp_core import papers
from ldp_core.papers import side_by_side
from ldp_core.papers.measuring import measure
from ldp_core.runs.lockstep import load, one_thread
one_thread()
system, name, arm, seed = sys.argv[1:]
claim = side_by_side.CLAIM if system == side_by_side.NAME else papers.get(system).claim(name)
figure, = measure([(claim.arm(arm), int(seed))], load)
print(json.dumps(asdict(figure)))
"""
"""Typed into a program of another version."""


def _by(program: Path, one: Chosen) -> Figure:
    """What another version of the program finds of a run on this machine."""
    words = (one.system, one.claim, one.arm.label, str(one.figure.seed))
    return Figure(**json.loads(_said_by(program, RUN, *words)))


def _said_by(program: Path, script: str, *words: str) -> str:
    try:
        told = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=program, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        last = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1:]
        told_why = f"must be the folder of a program that can be run; got {shown(str(program))} ({last})"
        raise InvalidExperiment([Problem("--beside", told_why)]) from None
    return told.stdout.strip()
