"""What of a cluster needs no Ray: how work is dealt out, and what comes of what is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ldp_core.datasets import quiet
from ldp_core.errors import StudioError
from ldp_core.experiment import parse
from ldp_core.runs.cluster import cells, runs, there
from ldp_core.runs.cluster.lots import batches, hands
from ldp_core.runs.lockstep import Turn, drive
from ldp_core.runs.train_all import train_all
from tests.runs.cluster.ray_in_place import RayInPlace

SHORT = {"attack": None, "rounds": 1, "clients": {"count": 5}}
EIGHT = [parse(SHORT | {"seed": seed}) for seed in range(8)]
PAIR = {number: parse(SHORT | {"rounds": 3, "seed": number}) for number in (3, 7)}


def timeless(turn: Turn) -> tuple[Any, ...]:
    events = [event | {"seconds": 0} if "seconds" in event else event for event in turn.events]
    state = turn.state and replace(turn.state, weights=turn.state.weights.tobytes(), uploads=0)  # type: ignore[arg-type]
    return turn.run, turn.state.round if turn.state else 99, events, state, turn.within


def test_cells_are_dealt_out_in_batches_that_are_worth_training_together():
    small = [parse({"seed": seed}) for seed in range(40)]
    dealt = batches(small, 2)
    assert sorted(place for batch in dealt for place in batch) == list(range(40))
    assert [len(batch) for batch in dealt] == [5] * 8
    assert max(map(len, batches(small, 1)[:2])) == 10
    large = [parse({"clients": {"count": 400}, "seed": seed}) for seed in range(3)]
    assert batches(large, 1) == [[0], [1], [2]], "each fills a product by itself"
    assert batches([], 4) == []


def test_runs_all_begin_at_once_on_what_there_is():
    assert hands([3, 5, 8], 2) == [[3, 8], [5]]
    assert hands([3, 5], 9) == [[3], [5]]


def test_what_comes_back_is_what_the_same_cells_come_to_here():
    """Each of these fills a product by itself, so that nothing was folded: to the last bit."""
    alone = [parse(SHORT | {"clients": {"count": 400}, "seed": seed}) for seed in range(2)]
    here = {place: one.weights_sha256 for place, one in train_all(alone)}
    far = {place: one.weights_sha256 for place, one in cells(RayInPlace(), alone, quiet)}
    assert far == here and None not in here.values()


def test_of_what_is_lost_only_the_rest_is_begun_once_more():
    ray = RayInPlace(None, 1)
    found = [place for place, one in cells(ray, EIGHT, quiet) if one.status == "completed"]
    assert sorted(found) == list(range(8))
    first, second, *_, again = ray.begun
    assert (first, second, len(ray.begun)) == ([0, 1], [2, 3], 5)
    assert len(again) == 1 and again[0] in second


def test_what_was_lost_twice_is_told_and_the_rest_goes_on():
    ray = RayInPlace(None, 0, None, None, 0)
    found = dict(cells(ray, EIGHT, quiet))
    assert sorted(found) == list(range(8))
    assert [i for i, one in found.items() if one.status == "failed"] == ray.begun[1] == ray.begun[4]
    assert found[2].message == "lost twice on the cluster (Lost)"


def test_a_run_goes_on_from_its_last_round_and_tells_what_it_tells_here():
    here = sorted(map(timeless, drive(PAIR)))
    ray, shares = RayInPlace(5), list[float]()
    found = runs(ray, PAIR, {}, quiet, lambda run, share: shares.append(share))
    assert sorted(map(timeless, found)) == here
    assert max(shares) == 1.0
    assert ray.begun == [[3, 7]] * 2


def test_a_run_that_was_lost_twice_can_go_on():
    told = list[Turn]()
    with pytest.raises(StudioError, match=r"a run was lost twice on the cluster \(Lost\); what was trained"):
        told.extend(runs(RayInPlace(3, 2), PAIR, {}, quiet, None))
    last = {turn.run: turn.state.round for turn in told if turn.state}
    assert (len(told), last) == (5, {3: 2, 7: 1})


def test_whoever_stops_ends_what_is_under_way_there():
    ray = RayInPlace()
    run: Any = cells(ray, EIGHT, quiet)
    next(run)
    run.close()
    assert ray.cancelled == 4


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StudioError("mnist is not on this machine"), "on the cluster: mnist is not on this machine"),
        (KeyError("x"), "an error in the program, on the cluster: KeyError"),
    ],
)
def test_what_goes_wrong_there_is_said_here(error: Exception, said: str, monkeypatch: pytest.MonkeyPatch):
    def fails(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(there, "train_all", fails)
    with pytest.raises(StudioError, match=said):
        list(cells(RayInPlace(), EIGHT, quiet))
