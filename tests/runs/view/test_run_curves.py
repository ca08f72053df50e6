"""What is read of a record while others write it, or begin it anew."""

import time
from pathlib import Path

import pytest

from ldp_core.experiment import Draft, Variant, parse, parse_draft
from ldp_core.runs.lockstep import drive
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.run_curves import Progress, progress_of, replay_of
from tests.runs.in_process import queued, record_of, recorder_of

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


def test_jobs_with_the_same_runs_see_each_other_train_under_labels_of_their_own():
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


def test_after_a_round_it_is_as_it_was_then(runs_dir: Path):
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
