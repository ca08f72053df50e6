"""How much of many runs' work is done, whatever each of them costs."""

from pathlib import Path
from typing import Any

import pytest

from ldp_core.datasets import Step
from ldp_core.experiment import Experiment, parse
from ldp_core.runs.lockstep import drive
from ldp_core.runs.machine import work_done
from ldp_core.runs.machine.work_done import CellsDone, RoundsDone
from ldp_core.runs.train_all import train_all
from tests.calibrated import calibrated


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(calibrated(tmp_path / "runs")))


def shares(runs: list[Experiment], *ticks: tuple[int, bool], before: int = 0) -> list[float]:
    steps = list[Step]()
    done = CellsDone(runs, steps.append, before=before)
    for tick in ticks:
        done(*tick)
    return [step.share for step in steps]


@pytest.mark.usefixtures("measured")
def test_progress_share_of_a_run_is_its_cost():
    """A run of ten rounds for ten times one of one, and a large model for more than a small one."""
    few, many = (parse({"rounds": n, "attack": None}) for n in (1, 10))
    each = ((1, False), (0, False), (0, True), (1, True))
    assert shares([few, many], *each) == pytest.approx([1 / 11, 2 / 11, 2 / 11, 1.0])
    wide = parse({"rounds": 1, "attack": None, "model": {"name": "mlp", "hidden": 256}})
    assert shares([few, wide], (0, False))[0] < 0.4


def test_before_the_machine_is_measured_rounds_count_alike(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(work_done, "rates", lambda: None)
    runs = [parse({"rounds": 3}), parse({"rounds": 1})]
    assert shares(runs, (0, False), before=2) == [(2 + 2 * 0.25) / 4], "two cells were known"


@pytest.mark.usefixtures("measured")
def test_folded_training_reports_every_round():
    """One that diverges is done with all its rounds."""
    steps = list[Step]()
    wild = {"local": {"learning_rate": 1e6}}
    made = [parse({"rounds": n, "attack": None, **more}) for n, more in ((2, {}), (3, {}), (5, wild))]
    assert len(list(train_all(made, tick=CellsDone(made, steps.append)))) == 3
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert {round(10 * share) for share in shares} >= {1, 10}
    assert len(set(shares)) >= 5


SEARCHED: dict[str, Any] = {"attacker": {"name": "dlg", "iterations": 20}, "rounds": [1], "after": True}


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    ("attack", "later"),
    [(None, True), (SEARCHED, False), (SEARCHED | {"rounds": None, "after": False}, True)],
    ids=["rounds alone", "searched after them", "all rounds searched after them"],
)
def test_watched_runs_finish_with_their_searches(attack: dict[str, Any] | None, later: bool):
    steps = list[Step]()
    runs = {n: parse({"rounds": 3, "seed": n, "attack": attack}) for n in (1, 2)}
    apart = dict.fromkeys(runs, later)
    done = RoundsDone(runs, {}, steps.append, apart)
    for turn in drive(runs, tick=done.tick, later=apart):
        done.turn(turn)
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert shares[0] == 0 and shares[-1] == 1
    assert steps[-1].total > 6 if attack else steps[-1].total == 6
    assert steps[-1].unit == ("rounds' worth" if attack else "rounds")
    assert sum(6 < step.done < step.total for step in steps) >= (2 if attack else 0), "searches count"


@pytest.mark.usefixtures("measured")
def test_job_may_stop_where_a_resume_repeats_a_tenth_at_most():
    quick: dict[str, Any] = {"attacker": "least_squares", "clients": [1]}
    runs = {0: parse({"rounds": 20, "attack": quick})}
    for later in (False, True):
        steps, repeated, trained, kept = list[Step](), list[float](), 0, 0
        done = RoundsDone(runs, {}, steps.append, {0: later})
        for turn in drive(runs, later={0: later}):
            trained += sum(event["event"] == "round" for event in turn.events)
            if done.turn(turn):
                assert turn.state and turn.state.round > kept
                repeated.append(trained - turn.state.round)
            kept = turn.state.round if turn.state else kept
        assert len(repeated) >= 2
        assert 0 < max(repeated) <= steps[-1].total / 10 if later else max(repeated) == 0
