"""The record of a job: what is written can be read, in order, by others, while it is written."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.lockstep import Turn, drive
from ldp_core.runs.process.training import train_job
from ldp_core.runs.record.store import Recorder, copied, events_after, runs_of
from ldp_core.runs.view.run_progress import Progress

DRAFT = Draft(parse({"rounds": 3}), (Variant("a"), Variant("b", {"aggregator.name": "inverse_std"})))


def turns(run: int = 0) -> list[Turn]:
    """What a run of three rounds does, turn by turn (its seconds are made equal)."""
    return [_timeless(turn) for turn in drive({run: DRAFT.base})]


def _timeless(turn: Turn) -> Turn:
    told = [event | {"seconds": 0.0} if event["event"] == "end" else event for event in turn.events]
    return replace(turn, events=told, seconds=0.0)


def test_before_the_first_event_there_is_nothing(tmp_path: Path):
    assert runs_of(tmp_path / "job") == []
    assert events_after(tmp_path / "job") == []
    assert Progress(tmp_path / "job").update().runs == []


def test_events_come_back_in_order(tmp_path: Path):
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    told = [event for turn in turns() for event in turn.events]
    for turn in turns():
        recorder.write(turn)
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
    for turn in turns(1):
        recorder.write(turn)
        recorder.flush()
        seen.append(progress.update().runs[1].round)
    assert seen == sorted(seen)
    assert seen[-1] == 3
    run = progress.runs[1]
    assert len(run.curves["accuracy"]) == 4
    assert isnan(run.curves["noise_variance"][0])
    assert run.tries["audit", 19].rounds == 3
    assert run.end is not None
    recorder.close()


def test_what_is_no_json_number_never_reaches_the_disk(tmp_path: Path):
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    with pytest.raises(ValueError, match="not JSON compliant"):
        recorder.write(Turn(0, [{"event": "round", "accuracy": float("nan")}], None, 0.0))
        recorder.flush()


def test_the_time_left_follows_the_pace(tmp_path: Path):
    progress = Progress(tmp_path)
    assert progress.seconds_left(10) is None


@pytest.mark.parametrize("stopped_after", [1, 2, 3])
def test_a_record_is_taken_up_where_it_stopped(tmp_path: Path, stopped_after: int):
    """Whatever turn was the last to be committed: the same events, none lost and none twice."""
    whole = turns()
    assert [turn.events[-1]["event"] for turn in whole] == ["target", "round", "round", "round", "end"]
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    for turn in whole[:stopped_after]:
        recorder.write(turn)
    recorder.close()
    again = Recorder(tmp_path / "job", DRAFT.runs())
    starts = again.starts()
    assert starts[0].state.round == stopped_after - 1
    for turn in drive({0: DRAFT.base}, starts):
        again.write(_timeless(turn))
    again.flush()
    assert again.ended() == {0}
    again.close()
    expected = [event for turn in whole for event in turn.events]
    assert [event.body for event in events_after(tmp_path / "job")] == expected


def test_an_interrupted_commit_tells_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first, second = turns()[:2]
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    recorder.write(first)
    recorder.flush()
    recorder.write(second)

    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("ldp_core.federated.state.State.as_bytes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            recorder.flush()
    recorder.close()
    assert len(events_after(tmp_path / "job")) == len(first.events)
    assert Recorder(tmp_path / "job", DRAFT.runs()).starts()[0].state.round == 0


@pytest.mark.usefixtures("runs_dir")
def test_a_record_of_the_first_version_can_be_read_and_taken_up(tmp_path: Path):
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    for turn in turns()[:2]:
        recorder.write(turn)
    recorder.close()
    with sqlite3.connect(tmp_path / "job" / "events.sqlite") as db:
        db.execute("DROP TABLE checkpoints")
        db.execute("DROP TABLE copied")
    assert len(events_after(tmp_path / "job")) > 0
    assert copied(tmp_path / "job") == {}
    recorder = Recorder(tmp_path / "job", DRAFT.runs())
    assert recorder.starts() == {}
    recorder.close()
    train_job(tmp_path / "job", {"draft": DRAFT.as_json()}, 10**9)
    for number in range(len(DRAFT.runs())):
        told = [event.body for event in events_after(tmp_path / "job") if event.run == number]
        rounds = [event["round"] for event in told if event["event"] == "round"]
        assert rounds == [*range(1, DRAFT.base.rounds + 1)], "it begins anew, and nothing is told twice"
        assert [event["event"] for event in told].count("start") == 1


def test_what_is_told_within_a_round_is_told_once_and_keeps_the_state(tmp_path: Path):
    """Killed as a picture formed in round 2: taken up, the same frames come again before its end."""
    before, after = turns()[:2], turns()[2:]
    frames = [
        {"event": "frame", "round": 2, "client": 1, "iterations": n, "psnr": 9.0, "image": {"data": str(n)}}
        for n in (4, 6, 9)
    ]
    way = [Turn(0, [frame], None, 0.0, within=True) for frame in frames]
    recorder = Recorder(tmp_path, DRAFT.runs())
    for turn in (*before, *way[:2]):
        recorder.write(turn)
    recorder.close()
    assert Progress(tmp_path).update().runs[0].forming(0) == {
        "psnr": 9.0,
        "image": {"data": "6"},
        "iterations": 6,
    }
    recorder = Recorder(tmp_path, DRAFT.runs())
    state = before[-1].state
    assert state is not None
    assert recorder.starts()[0].state.round == state.round == 1
    for turn in (*way, *way, *after):  # and once more, from another process of a cluster
        recorder.write(turn)
    recorder.close()
    told = [body for turn in before for body in turn.events]
    told += frames + [body for turn in after for body in turn.events]
    assert [event.body for event in events_after(tmp_path)] == told
    assert Progress(tmp_path).update().runs[0].forming(0) is None


def test_a_search_is_driven_step_by_step_and_its_round_ends_with_a_state():
    searched = parse(
        {
            "model": "lenet",
            "rounds": 1,
            "attack": {"attacker": {"name": "idlg", "iterations": 12}, "clients": [1]},
        }
    )
    told = [*drive({0: searched})]
    assert [turn.events[-1]["event"] for turn in told] == [
        "target",
        "frame",
        "frame",
        "frame",
        "round",
        "end",
    ]
    assert [turn.within for turn in told] == [False, True, True, True, False, False]
    assert [turn.state is None for turn in told] == [False, True, True, True, False, True]
