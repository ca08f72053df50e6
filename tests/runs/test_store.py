"""The record of a job: what is written can be read, in order, by others, while it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.progress import Progress
from ldp_core.runs.store import Recorder, events_after, runs_of
from tests.data import events

DRAFT = Draft(parse({"rounds": 3}), (Variant("a"), Variant("b", {"aggregator.name": "inverse_std"})))


def test_before_the_first_event_there_is_nothing(tmp_path: Path):
    assert runs_of(tmp_path / "job") == []
    assert events_after(tmp_path / "job") == []
    assert Progress(tmp_path / "job").update().runs == []


def test_events_come_back_in_order(tmp_path: Path):
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    told = events({"rounds": 3})
    for event in told:
        recorder.write(0, event)
    recorder.close()
    stored = events_after(tmp_path / "job")
    assert [event.body for event in stored] == told
    assert [event.seq for event in stored] == list(range(1, len(told) + 1))
    assert [event.body for event in events_after(tmp_path / "job", stored[4].seq)] == told[5:]
    assert [run["label"] for run in runs_of(tmp_path / "job")] == ["a", "b"]


def test_a_reader_sees_events_while_they_are_written(tmp_path: Path):
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    progress = Progress(tmp_path / "job")
    seen = []
    for event in events({"rounds": 3}):
        recorder.write(1, event)
        recorder.flush()
        seen.append(progress.update().runs[1].round)
    assert seen == sorted(seen)
    assert seen[-1] == 3
    run = progress.runs[1]
    assert len(run.curves["accuracy"]) == 4
    assert run.curves["noise_variance"][0] is None
    assert len(run.images[19]) == len(run.psnr[19, "clean"]) == 3
    assert run.end is not None
    recorder.close()


def test_what_is_no_json_number_never_reaches_the_disk(tmp_path: Path):
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    with pytest.raises(ValueError, match="not JSON compliant"):
        recorder.write(0, {"event": "round", "accuracy": float("nan")})


def test_the_time_left_follows_the_pace(tmp_path: Path):
    progress = Progress(tmp_path)
    assert progress.seconds_left(10) is None
