"""An older version's runs again: a pair is noted if all come out to the last digit, and never else."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ldp_core import papers
from ldp_core.cli import main
from ldp_core.errors import InvalidExperiment
from ldp_core.papers.measuring import measure
from ldp_core.papers.same import NAME, read
from ldp_core.papers.stored import Figure, Shelf, write
from ldp_core.papers.version import version
from ldp_core.runs.lockstep import load
from ldp_core.runs.recheck import MOST_SECONDS, recheck, sample
from tests.conftest import ROOT

SYSTEM, CLAIM = "personalized_ldp_fl", "iid-digits"
OTHER = "pldp_fl"


@pytest.fixture(scope="module")
def made() -> list[Figure]:
    """Three short runs, as an older version has stored them: one of a claim, two seeds of another."""
    claim, other = papers.get(SYSTEM).claim(CLAIM), papers.get(OTHER).claim("relative-error")
    assert claim and other
    asked = [(claim.measured[0], 0), (claim.measured[0], 1), (other.measured[0], 0)]
    found = [next(measure([one], load)) for one in asked]
    return [replace(one, version="0ld") for one in found]


def stored(folder: Path, made: list[Figure]) -> Path:
    write(folder / f"{SYSTEM}.json", made[:2])
    write(folder / f"{OTHER}.json", made[2:])
    return folder


def test_all_that_come_out_again_are_noted_as_a_pair(tmp_path: Path, made: list[Figure]):
    said: list[str] = []
    quickest = min(made[:2], key=lambda one: (one.seconds, one.key))
    assert recheck(folder=stored(tmp_path, made), say=said.append)
    (pair,) = read(tmp_path / NAME)
    assert (pair.old, pair.new) == ("0ld", version())
    assert sorted((one.system, one.key) for one in pair.runs) == [
        (SYSTEM, quickest.key),
        (OTHER, made[2].key),
    ]
    assert said[0].startswith("0ld: 2 runs again, which took ") and said[0].endswith(
        " s when they were stored"
    )
    assert all(one.endswith(": the same") for one in said[1:3])


@pytest.mark.parametrize("which", [0, 2])
def test_a_figure_that_does_not_come_out_again_is_told_and_nothing_is_noted(
    tmp_path: Path, made: list[Figure], which: int
):
    one = made[which]
    assert one.value is not None
    off = replace(one, value=one.value + 1e-15, seconds=0.0)
    altered = [off if kept is one else kept for kept in made]
    said: list[str] = []
    assert not recheck(["0ld"], stored(tmp_path, altered), said.append)
    assert not (tmp_path / NAME).exists()
    (told,) = [line for line in said if "differs" in line]
    assert f"value was {off.value!r} and is now {one.value!r}" in told
    assert said[-1] == "0ld: not every run came out again, so nothing is noted"


def test_the_latest_day_is_asked_for_and_this_version_never(tmp_path: Path, made: list[Figure]):
    early = [replace(one, version="3arly", date="2020-01-01") for one in made[:1]]
    late = [replace(one, version=version()) for one in made[1:]]
    said: list[str] = []
    assert recheck(folder=stored(tmp_path, [*early, *late]), say=said.append)
    assert said == [f"nothing to repeat: all stored figures are of this version, {version()}"]
    assert recheck(["3arly"], tmp_path, said.append)
    assert [one.old for one in read(tmp_path / NAME)] == ["3arly"]
    with pytest.raises(InvalidExperiment, match="--recheck must be"):
        recheck(["other"], tmp_path)


def test_what_takes_long_or_tells_a_time_is_left_out_and_said(made: list[Figure]):
    long = [replace(one, seconds=MOST_SECONDS + 1) for one in made]
    clocked, timed = next(
        (name, one) for name in papers.names() for one in papers.get(name).claims if one.timed
    )
    clock = replace(made[0], key=timed.measured[0].key(0), seconds=0.0)
    shelves = {name: Shelf() for name in [*papers.names(), "five"]}
    shelves[SYSTEM] = Shelf({one.key: one for one in long[:2]})
    shelves[clocked] = Shelf({**shelves[clocked].figures, clock.key: clock})
    chosen, left_out = sample("0ld", shelves)
    assert chosen == []
    assert sorted(left_out) == sorted(
        [
            f"0ld: no run of {clocked}, {timed.id}: it tells a time",
            f"0ld: no run of {SYSTEM}, {CLAIM}: none is here, or took 90 s at most",
        ]
    )


def test_the_command_says_by_its_exit_whether_all_came_out(
    tmp_path: Path, made: list[Figure], capsys: pytest.CaptureFixture[str]
):
    asked = ["papers", "--recheck", "--into", str(stored(tmp_path, made))]
    assert main(asked) == 0
    assert f"its figures are those of {version()} as well" in capsys.readouterr().out
    stored(tmp_path, [replace(one, noise=0.125) for one in made])
    assert main(asked) == 1
    assert main([*asked, "--fresh"]) == 2
    assert "--fresh does not go with --recheck" in capsys.readouterr().err


def test_figures_of_another_processor_are_found_anew_by_the_older_program(tmp_path: Path, made: list[Figure]):
    older = tmp_path / "older"
    shutil.copytree(ROOT / "ldp_core", older / "ldp_core", ignore=shutil.ignore_patterns("__pycache__"))
    with (older / "ldp_core" / "normal.py").open("a", encoding="utf-8") as file:
        file.write("\nREWRITTEN = True\n")
    said: list[str] = []
    elsewhere = [replace(made[2], noise=0.125, version="0ld")]
    write(tmp_path / f"{OTHER}.json", elsewhere)
    with pytest.raises(InvalidExperiment, match="--beside must be the folder of a program that can be run"):
        recheck(["0ld"], tmp_path, said.append, beside=tmp_path)
    with pytest.raises(
        InvalidExperiment, match="--beside must be the folder of the program of version 0ld"
    ) as no:
        recheck(["0ld"], tmp_path, said.append, beside=older)
    old = re.search("got one of “(.*)”", str(no.value))
    assert old
    write(tmp_path / f"{OTHER}.json", [replace(one, version=old[1]) for one in elsewhere])
    assert not recheck([old[1]], tmp_path, said.append)
    assert recheck([old[1]], tmp_path, said.append, beside=older)
    (pair,) = read(tmp_path / NAME)
    assert (pair.old, pair.new) == (old[1], version())
