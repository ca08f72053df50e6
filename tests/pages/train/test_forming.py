"""Train's panel while a picture forms, and going back through how it formed."""

from typing import Any

import pytest

from ldp_core.runs.view.run_curves import RunProgress
from ldp_core.runs.view.styles import Style
from pages.parts.charts.series import Series
from pages.parts.train.server_panel import server_panel, uploads_in
from pages.parts.ui.components import packed
from tests.data import events

CLIENTS = [0, 3]
"""From 0, as a view keeps them."""
ATTACK = {"clients": [1, 4], "every": 2, "attacker": {"name": "idlg", "iterations": 30}}
SEARCHED = {"model": "lenet", "rounds": 3, "attack": ATTACK}


@pytest.fixture(scope="module")
def emitted() -> list[dict[str, Any]]:
    return events(SEARCHED)


def folded(bodies: list[dict[str, Any]]) -> list[Series]:
    run = RunProgress(0, "one", 0, "{}")
    for body in bodies:
        run.fold(body)
    return [Series(0, "one", (run,), Style(0))]


def until(emitted: list[dict[str, Any]], number: int, step: int) -> list[dict[str, Any]]:
    """Up to the last client's frame of a step."""
    frame = ("frame", number, step)
    at = [(e["event"], e.get("round"), e.get("iterations")) == frame for e in emitted]
    return emitted[: len(at) - at[::-1].index(True)]


def test_unfinished_search_shows_its_step(emitted: list[dict[str, Any]]):
    shown = folded(until(emitted, 1, 9))
    assert uploads_in(shown) == ["audit"]
    panel = server_panel(shown, "audit", "waiting")
    packed(panel)
    assert (panel["empty"], panel["steps"]) == ("", [])
    for row in panel["rows"]:
        assert (row["verdict"], row["kind"]) == ("the picture forms", "")
        assert row["cells"][1]["captions"][1] == "step 9"
    stopped = server_panel(shown, "audit", "waiting", back=True)
    assert {row["verdict"] for row in stopped["rows"]} == {"stopped as it formed"}


def test_closest_attempt_stays_while_a_later_round_forms(emitted: list[dict[str, Any]]):
    shown = folded(until(emitted, 3, 6))
    assert "round 1" in server_panel(shown, "audit", "")["rows"][0]["detail"]


def test_frames_of_shown_pictures_can_be_replayed(emitted: list[dict[str, Any]]):
    shown = folded(emitted)
    panel = server_panel(shown, "audit", "", back=True)
    run = shown[0].runs[0]
    steps = panel["steps"]
    assert steps[:3] == [4, 6, 9]
    for row, client in zip(panel["rows"], CLIENTS, strict=True):
        cell, closest = row["cells"][1], run.tries["audit", client].closest
        assert closest is not None
        assert len(cell["frames"]) == len(steps)
        mine = [
            e for e in emitted
            if e["event"] == "frame" and (e["client"] - 1, e["round"]) == (client, closest["round"])
        ]  # fmt: skip
        assert [f["image"] for f in cell["frames"][: len(mine)]] == [e["image"] for e in mine]
        assert cell["frames"][0]["lines"] == [f"{mine[0]['psnr']:.1f} dB"]
        assert cell["image"] == closest["image"]
        assert "frames" not in row["cells"][0]
    going = server_panel(shown, "audit", "")["rows"][0]
    assert "frames" not in going["cells"][1], "not while it goes on"
