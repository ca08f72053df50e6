"""Back to an earlier round: what was told later is not there, and what was told by then is as it was."""

from __future__ import annotations

from pathlib import Path

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.view.run_progress import progress_of, replay_of
from tests.runs.in_process import queued
from tests.runs.view.test_run_progress import train


def test_after_a_round_it_is_as_it_was_then(runs_dir: Path):
    attack = {"clients": [1], "attacker": "least_squares"}
    draft = Draft(parse({"rounds": 4, "attack": attack}), (Variant("a"), Variant("b", {"seed": 5})))
    job = queued(draft)
    train(job)
    whole = progress_of(job).update()
    for after in (1, 3):
        then = replay_of(job, after)
        assert [run.round for run in then.runs] == [after, after]
        for now, was in zip(whole.runs, then.runs, strict=True):
            assert (now.end is not None, was.end) == (True, None)
            assert [*was.curves["accuracy"]] == [*now.curves["accuracy"]][: after + 1]
            assert was.start == now.start
            (newest,) = (tries.newest for tries in was.tries.values())
            assert newest and newest["round"] == after
    assert replay_of(job, 1) is replay_of(job, 1), "each round is read once"
