"""Computations: what is written can be read by others, in order, and is taken up after a kill."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.lockstep import Turn, drive
from ldp_core.runs.record import computations
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.computations import of_run
from ldp_core.runs.record.events import is_whole, news
from ldp_core.runs.view.run_curves import progress_of
from tests.runs.in_process import bodies, queued, recorder_for, recorder_of

pytestmark = pytest.mark.usefixtures("runs_dir")
DRAFT = Draft(parse({"rounds": 3}), (Variant("a"), Variant("b", {"aggregator.name": "inverse_std"})))


KEY = of_run(DRAFT.base).key


def turns(run: int = 0, *starts: Any) -> list[Turn]:
    """What a run of three rounds does, turn by turn (its seconds are made equal)."""
    found = [*drive({run: DRAFT.runs()[run].experiment}, *starts)]
    found[-1].events[-1]["seconds"] = 0.0
    return [replace(turn, seconds=0.0) for turn in found]


def write(recorder: Recorder, turns: Iterable[Turn]) -> None:
    for turn in turns:
        recorder.write(turn)
    recorder.close()


def test_nan_is_refused_before_the_disk():
    recorder = recorder_for(DRAFT.base)
    with pytest.raises(ValueError, match="not JSON compliant"):
        recorder.write(Turn(0, [{"event": "round", "accuracy": float("nan")}], None, 0.0))
        recorder.flush()


@pytest.mark.parametrize("stopped_after", [1, 2, 3, 4, 5])
def test_stopped_record_resumes_at_its_last_turn(stopped_after: int):
    """Whatever turn was the last to be committed: the same events, none lost and none twice. An end that was
    not noted, by a kill between the two files, is noted by the next recorder.
    """
    whole = turns()
    assert [turn.events[-1]["event"] for turn in whole] == ["target", "round", "round", "round", "end"]
    write(recorder_for(DRAFT.base), whole[:stopped_after])
    again = recorder_for(DRAFT.base)
    start = again.start()
    assert start and start.state.round == min(stopped_after - 1, 2), "the end is of the last round's training"
    for turn in turns(0, {0: start}):
        again.write(turn)
    assert not is_whole(KEY)
    again.end("completed", {"accuracy": 0.5})
    again.close()
    assert is_whole(KEY)
    assert computations.ended([KEY])[KEY].figures == {"accuracy": 0.5}
    recorded = [event for turn in whole for event in turn.events]
    assert [(one.seq, one.body) for one in news(KEY).events] == [*enumerate(recorded, 1)]
    assert [one.body for one in news(KEY, 5).events] == recorded[5:]
    computations.forget([KEY])
    assert computations.left([KEY]) == [KEY]
    assert recorder_for(DRAFT.base).has_ended()
    assert computations.ended([KEY])[KEY].figures == {"accuracy": 0.5}


def test_interrupted_commit_duplicates_no_event(monkeypatch: pytest.MonkeyPatch):
    first, second = turns()[:2]
    recorder = recorder_for(DRAFT.base)
    recorder.write(first)
    recorder.flush()
    recorder.write(second)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("ldp_core.federated.state.State.as_bytes", Mock(side_effect=KeyboardInterrupt))
        recorder.flush()
    recorder.close()
    assert len(news(KEY).events) == len(first.events)
    assert (start := recorder_for(DRAFT.base).start()) and start.state.round == 0


def test_frames_within_a_round_are_recorded_once():
    """Killed as a picture formed in round 2: taken up, the same frames come again before its end."""
    before, after = turns()[:2], turns()[2:]
    frames = [
        {"event": "frame", "round": 2, "client": 1, "iterations": n, "psnr": 9.0, "image": {"data": str(n)}}
        for n in (4, 6, 9)
    ]
    way = [Turn(0, [frame], None, 0.0) for frame in frames]
    job = queued(DRAFT)
    write(recorder_of(job), (*before, *way[:2]))
    seen = {"psnr": 9.0, "image": {"data": "6"}, "iterations": 6}
    assert progress_of(job).update().runs[0].forming(0) == seen
    recorder = recorder_of(job)
    state = before[-1].state
    assert state and (start := recorder.start()) and start.state.round == state.round == 1
    write(recorder, (*way, *after))
    assert bodies(job, 0) == [body for turn in (*before, *way, *after) for body in turn.events]
    assert progress_of(job).update().runs[0].forming(0) is None
