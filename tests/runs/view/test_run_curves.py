"""What is read of a record while others write it, or begin it anew, and kept of it: columns, and of attacks
two rounds' pictures and all rounds' figures.
"""

import json
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core.accounting import entries
from ldp_core.experiment import Draft, Variant, parse, parse_draft, plan
from ldp_core.runs.carry.html_report import figures
from ldp_core.runs.lockstep import drive
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.attack_curve import CONTROLS, Tries
from ldp_core.runs.view.final_figures import final
from ldp_core.runs.view.folded import CompactSeries
from ldp_core.runs.view.run_curves import Progress, RunProgress, progress_of, replay_of
from tests.data import events
from tests.runs.in_process import queued, record_of, recorder_of, trained

pytestmark = pytest.mark.usefixtures("runs_dir")


DRAFT = Draft(
    parse({"rounds": 3, "attack": None}), (Variant("a"), Variant("b", {"aggregator.name": "inverse_std"}))
)


def train(job: Job) -> None:
    recorders = [recorder_of(job, run) for run in range(len(job.keys))]
    runs = enumerate(parse_draft(job.request["draft"]).runs())
    for turn in drive({number: run.experiment for number, run in runs}):
        recorders[turn.run].write(turn)
    for recorder in recorders:
        recorder.close()


def accuracies(progress: Progress) -> list[list[float]]:
    return [[*run.curves.get("accuracy", ())] for run in progress.runs]


def test_a_record_that_is_begun_anew_is_read_from_its_beginning():
    job = queued(DRAFT)
    progress = progress_of(job)
    train(job)
    before = accuracies(progress.update())
    record_of(job).unlink()
    assert accuracies(progress.update()) == [[], before[1]]
    record_of(job, 1).unlink()
    train(job)
    assert accuracies(progress.update()) == before


def test_lost_run_keeps_its_promise_and_an_unfinished_has_none():
    """What was sent before a run diverged was promised its ε: a report said “no guarantee”."""
    lost = Variant("lost", {"local.learning_rate": 1e6})
    job = trained(Draft(parse({"rounds": 2, "attack": None, "seed": 7021}), (lost,)))
    runs = progress_of(job).update().runs
    assert [run.status for run in runs] == ["diverged"]
    bound = max(one.run_worst.bound for one in entries(plan(parse(json.loads(runs[0].experiment)))))
    assert final(runs).epsilon == pytest.approx(bound) and "no guarantee" not in figures({0: runs})
    waits = queued(DRAFT)
    assert "no guarantee" not in figures({0: progress_of(waits).update().runs[:1]})


def test_shared_runs_keep_each_jobs_labels():
    first = queued(DRAFT)
    second = queued(Draft(DRAFT.base, (Variant("another name"),)))
    train(first)
    (run,) = progress_of(second).update().runs
    assert (run.label, run.round) == ("another name", 3)
    assert [one.label for one in progress_of(first).update().runs] == ["a", "b"]


def test_runs_that_another_job_has_trained_took_no_time():
    train(job := queued(DRAFT))
    progress = progress_of(job).update()
    assert progress.rounds_done() == 6
    later = time.time() + 1
    assert progress.known_before(later) == 2
    assert progress.seconds_taken(later) == 0


def test_replay_after_a_round_equals_its_past_state(runs_dir: Path):
    attack = {"clients": [1], "attacker": "least_squares"}
    draft = Draft(parse({"rounds": 4, "attack": attack}), (Variant("a"), Variant("b", {"seed": 5})))
    job = queued(draft)
    train(job)
    whole = progress_of(job).update()
    for after in (1, 3):
        then = replay_of(job, after)
        for now, was in zip(whole.runs, then.runs, strict=True):
            assert (was.round, was.end, was.start) == (after, None, now.start)
            assert [*was.curves["accuracy"]] == [*now.curves["accuracy"]][: after + 1]
            (newest,) = (tries.newest for tries in was.tries.values())
            assert newest and newest["round"] == after
    assert replay_of(job, 1) is replay_of(job, 1), "each round is read once"


def folded(recorded: list[dict[str, Any]]) -> RunProgress:
    run = RunProgress(0, "a", 0, "{}")
    for event in recorded:
        run.fold(event)
    return run


def test_both_kinds_of_upload_are_kept_apart():
    recorded = events({"rounds": 3, "attack": {"uploads": "both"}})
    run = folded(recorded)
    sent = [e for e in recorded if e["event"] == "attack" and e["control"] is None]
    assert [e["client"] for e in recorded if e["event"] == "target"] == [1, 10, 20], "and drawn from 0"
    assert {*run.targets} == {0, 9, 19}
    assert set(run.tries) == {(upload, client) for upload in ("audit", "real") for client in run.targets}
    for (upload, client), tries in run.tries.items():
        mine = [e for e in sent if (e["upload"], e["client"] - 1) == (upload, client)]
        assert tries.rounds == len(mine) == 3
        columns = {"psnr": tries.psnr[None], "cap": tries.caps}
        if upload == "real":
            columns |= {"recovered": tries.recovered[None]}
        for name, column in columns.items():
            told_of = np.array([e[name] for e in mine], np.float64)  # None becomes NaN
            np.testing.assert_allclose(column[:], told_of, rtol=1e-7)
        assert tries.images == mine[0]["images"]


def test_sparse_attacks_find_newest_and_closest():
    """Columns have a place for each attacked round: taken for every round, the first stayed the newest."""
    recorded = events({"rounds": 8, "attack": {"every": 3, "uploads": "both", "clients": [1]}})
    sent = [e for e in recorded if e["event"] == "attack"]
    for (upload, _), tries in folded(recorded).tries.items():
        mine = [e for e in sent if (e["upload"], e["control"]) == (upload, None)]
        assert tries.numbers[:].tolist() == [e["round"] for e in mine] == [1, 4, 7]
        assert tries.newest == mine[-1]
        assert tries.closest == max(mine, key=lambda e: (e["recovered"] or 0, e["psnr"]))
        for event in (e for e in sent if e["upload"] == upload):
            control, number = event["control"], event["round"]
            assert tries.psnr[control][tries.place(number)] == pytest.approx(event["psnr"], rel=1e-6)
            if upload == "real":
                assert tries.share(control, number) == event["recovered"] / event["images"]


@given(st.lists(st.floats(0, 120), min_size=1, max_size=12), st.integers(0, 2), st.permutations(CONTROLS))
def test_a_round_counts_once_its_controls_are_there(values: list[float], missing: int, order: list[Any]):
    tries = Tries("audit", 0)
    recorded = [
        {"round": i + 1, "control": control, "attacker": "x", "psnr": v, "psnr_mean_image": 9.0, "ncc": 0.1}
        for i, v in enumerate(values)
        for control in order
    ]
    for event in recorded[: len(recorded) - missing]:
        tries.fold(event)
    done = len(values) - (missing > 0)
    assert tries.rounds == done
    assert (tries.newest or {"round": 0})["round"] == done
    assert (tries.closest or {"psnr": 0.0})["psnr"] == max(values[:done], default=0.0)


FIGURES = st.lists(st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-100, 100)), max_size=60)


def column(values: Sequence[float | None]) -> CompactSeries:
    made = CompactSeries()
    for value in values:
        made.append(value)
    return made


@given(FIGURES, st.slices(60))
def test_column_returns_appended_values(values: list[float | None], part: slice):
    made = column(values)
    expected = [np.nan if value is None else float(value) for value in values]
    assert len(made) == len(values)
    np.testing.assert_allclose([*made], expected, rtol=1e-7)
    np.testing.assert_array_equal(made[part], np.array([*made])[part])
    np.testing.assert_array_equal([made[at] for at in range(-len(made), len(made))], [*made] * 2)


def test_a_figure_takes_five_bytes():
    tracemalloc.start()
    made = column([n / 7 for n in range(100_000)])
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 5 * len(made) + 1000
