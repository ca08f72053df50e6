"""Attacks folded as they come: two rounds' pictures are kept, all rounds' figures, and old records read."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core.runs.view.attack_curve import CONTROLS, Tries
from ldp_core.runs.view.run_curves import RunProgress
from tests.data import events


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
            columns |= {"recovered": tries.recovered[None], "recovered_non_members": tries.by_chance}
        for name, column in columns.items():
            told_of = np.array([e[name] for e in mine], np.float64)  # None becomes NaN
            np.testing.assert_allclose(column[:], told_of, rtol=1e-7)
        assert tries.images == mine[0]["images"]


def test_where_only_some_rounds_are_attacked_the_newest_and_the_closest_are_found():
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


@given(st.lists(st.floats(0, 120), min_size=1, max_size=12), st.integers(0, 2))
def test_a_round_counts_once_its_controls_are_there(values: list[float], missing: int):
    tries = Tries("audit", 0)
    recorded = [
        {"round": i + 1, "control": control, "attacker": "x", "psnr": v, "psnr_mean_image": 9.0, "ncc": 0.1}
        for i, v in enumerate(values)
        for control in CONTROLS
    ]
    for event in recorded[: len(recorded) - missing]:
        tries.fold(event)
    done = len(values) - (missing > 0)
    assert tries.rounds == done
    assert (tries.newest or {"round": 0})["round"] == done
    assert (tries.closest or {"psnr": 0.0})["psnr"] == max(values[:done], default=0.0)
