"""Figures as they are kept, and how they are made: resumed after a kill, marked by version."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ldp_core import papers
from ldp_core.cli import main
from ldp_core.papers.base import Claim
from ldp_core.papers.measuring import keep, left, measure
from ldp_core.papers.stored import Shelf, read
from ldp_core.papers.verdict import verdict
from ldp_core.runs import claims
from ldp_core.runs.lockstep import load
from ldp_core.runs.train_all import train_all
from tests.calibrated import calibrated
from tests.conftest import ROOT
from tests.extent import in_gate
from tests.papers.claims import claim, figure, shelf
from tests.warm import Interpreter


def test_a_figure_survives_its_file(tmp_path: Path):
    made, file = claim(), tmp_path / "made.json"
    one = figure(made, "A", 1, 70.0, curve=(0.1, 0.7))
    keep(file, one)
    keep(file, figure(made, "A", 0, 60.0))
    back = Shelf.of(file)
    assert back.of_arm(made, "A") == {
        0: figure(made, "A", 0, 60.0, curve=()),
        1: replace(one, curve=[0.1, 0.7]),
    }
    keep(file, replace(one, value=None, status="diverged at round 3"))
    assert [(found.value, found.status) for found in read(file)] == [
        (0.6, "completed"),
        (None, "diverged at round 3"),
    ], "a run without a figure hides no others"


@pytest.mark.parametrize("text", ["", "[]", '{"figures": 3}', '{"figures": [{"key": "x"}]}', "\x00"])
def test_a_damaged_file_holds_no_figures(tmp_path: Path, text: str):
    (tmp_path / "x.json").write_text(text)
    assert read(tmp_path / "x.json") == []
    assert read(tmp_path / "none.json") == []


def test_the_newest_figure_of_a_run_counts(tmp_path: Path):
    made = claim()
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    keep(theirs, figure(made, "A", 0, 60.0, date="2026-11-24"))
    keep(ours, figure(made, "A", 0, 70.0, date="2026-11-23"))
    assert Shelf.of(theirs, ours).of_arm(made, "A")[0].value == 0.6
    keep(ours, figure(made, "A", 0, 70.0, date="2026-11-24"))
    assert Shelf.of(theirs, ours).of_arm(made, "A")[0].value == 0.7


def test_current_figures_are_not_measured_again():
    made = claim()
    known = shelf(made, A=[70, 71, 72])
    assert len(left([made], known)) == 12  # the figures are of version v1
    of_now = Shelf({key: replace(one, version=made.arm("A").version) for key, one in known.figures.items()})
    todo = left([made], of_now)
    assert len(todo) == 9
    assert {arm.label for arm, _ in todo} == {"none", "C", "other"}
    assert [seed for _, seed in todo] == sorted(seed for _, seed in todo)
    assert len(left([made], of_now, seeds=1, fresh=True)) == 4


def test_figures_are_those_of_runs_of_their_own():
    made = claim()
    todo = left([made], Shelf(), seeds=2)
    found = {one.key: one for one in measure(todo, load)}
    assert len(found) == len(todo) == 8
    alone = [arm.experiment(seed) for arm, seed in todo]
    for place, figures in train_all(alone):
        arm, seed = todo[place]
        one = found[arm.key(seed)]
        assert one.value == pytest.approx(figures.accuracy, abs=1 / 360)
        assert one.curve[-1] == pytest.approx(one.value, abs=1e-4)
        assert (one.seed, one.version, one.status) == (seed, arm.version, "completed")
        assert (one.noise == 0) == (arm.label == "none")


def test_a_run_that_diverges_has_no_figure():
    broken = claim()
    (one,) = measure([(replace(broken.measured[0], set={"local.learning_rate": 1e6}), 0)], load)
    assert one.value is None
    assert "diverged" in one.status


def test_a_rerun_says_which_figures_differ(tmp_path: Path):
    """Of 36 arms one had another figure before."""
    file, said = tmp_path / "pldp_fl.json", list[str]()
    claims.rerun("pldp_fl", "relative-error", seeds=1, into=tmp_path)
    first, *rest = read(file)
    keep(file, replace(first, value=0.5), *rest)
    options = {"seeds": 1, "fresh": True, "into": tmp_path, "say": said.append}
    claims.rerun("pldp_fl", "relative-error", **options)  # type: ignore[arg-type]
    (differs,) = (line for line in said if line.startswith("differs"))
    assert f"seed {first.seed}: 50.00 %" in differs
    assert said[-1].startswith(f"{len(rest)} of {len(rest) + 1} ")


def asked(folder: Path) -> list[str]:
    own = ["--rerun", "personalized_ldp_fl", "--only", "iid-digits", "--seeds", in_gate("1", "2")]
    return ["papers", *own, "--into", str(folder)]


def test_a_rerun_that_was_killed_goes_on(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    interpreter: Interpreter,
):
    """SIGKILL after the first figures: the file is whole, and the same call measures the rest alone."""
    env = {**os.environ, "EPSILON_RUNS_DIR": str(calibrated(tmp_path / "runs")), "OMP_NUM_THREADS": "1"}
    file = tmp_path / "personalized_ldp_fl.json"
    words = ["tests.papers.one_figure", *asked(tmp_path)]
    process, printed = interpreter.piped(words, ROOT, env, tmp_path)
    with printed:
        first = printed.readline()
        deadline = time.monotonic() + 120
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
        process.wait(10)
    every = int(first.split()[0])
    assert "about" in first
    before = read(file)
    assert len(before) == 1 < every
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(tmp_path / "runs"))
    assert main(asked(tmp_path)) == 0
    assert capsys.readouterr().out.startswith(f"{every - len(before)} runs")
    after = {one.key: one for one in read(file)}
    assert len(after) == every
    assert all(after[one.key] == one for one in before)
    assert json.loads(file.read_text())
    assert main(asked(tmp_path)) == 0
    assert "nothing to measure" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--rerun", "pldp"], "the system's name"),
        (["--rerun", "pldp_fl", "--only", "x"], "relative-error"),
        (["--rerun", "pldp_fl", "--only", "modes-mnist"], "MNIST"),
        (["--rerun", "pldp_fl", "--seeds", "0"], "between 1 and 20"),
        (["--only", "relative-error"], "--rerun"),
    ],
)
def test_a_wrong_option_of_papers_is_refused_in_one_sentence(
    options: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    for name in ("EPSILON_DATA_DIR", "EPSILON_RUNS_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    assert main(["papers", *options]) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1


HERE = ("digits", "mnist")
"""Data sets whose claims have figures: a change of these claims' settings should be deliberate."""


def data_of(one: Claim) -> set[str]:
    return {arm.tried.dataset for arm in one.measured}


MEASURED = [
    (name, one.id, data)
    for name in papers.names()
    for one in papers.get(name).claims
    if (data := data_of(one)) <= set(HERE)
]
SHIPPED = [(name, one) for name, one, data in MEASURED if "mnist" not in data]
"""Those that take seconds to measure again."""


@pytest.mark.parametrize(("system", "identity", "data"), MEASURED)
def test_measured_figures_are_those_of_the_claims_arms(system: str, identity: str, data: set[str]):
    """One whose setting was changed has no figures any more: `papers --rerun` measures it again."""
    made, known = papers.get(system).claim(identity), Shelf.of(papers.get(system).figures)
    assert made
    assert verdict(made, known).parts
    for read_ in made.read_each.values() if "mnist" not in data else ():
        assert all(len(known.of_arm(read_, arm.label)) >= made.seeds for arm in read_.measured)


@pytest.mark.parametrize(("system", "identity"), SHIPPED)
def test_a_shipped_figure_of_this_version_comes_out_again(system: str, identity: str):
    made, known = papers.get(system).claim(identity), Shelf.of(papers.get(system).figures)
    assert made
    for one in measure(left(made.read_each.values(), Shelf(), seeds=1)[: in_gate(1, 4)], load):
        kept = known.figures[one.key]
        if kept.version == one.version:
            assert one.value == pytest.approx(kept.value, abs=3 / 360)  # other processors round otherwise
