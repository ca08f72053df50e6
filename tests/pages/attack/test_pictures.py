"""The ladder's pictures: a guess while it is searched, then the result, and all between to go back to."""

from typing import Any

import pytest

from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.leakage.grid import climb
from ldp_core.runs.view.cells import Desk
from pages.parts.attack.view import pictures
from tests.data import digits

LENET: dict[str, Any] = {
    "base": {"model": "lenet", "clients": {"range": 0.2}, "local": {"learning_rate": 0.1}},
    "mechanisms": ["piecewise"],
    "epsilons": [1, 30],
    "images": 2,
    "attacker": {"name": "idlg", "iterations": 12},
}


@pytest.fixture(scope="module")
def emitted() -> list[dict[str, Any]]:
    return [event.as_json() for event in climb(parse_ladder(LENET), digits())]


def test_unfinished_cell_shows_its_newest_guess(emitted: list[dict[str, Any]]):
    early = Desk.of(emitted[: [event.get("iterations") for event in emitted].index(9)])
    (row,) = pictures(early, back=False)["rows"]
    assert [cell["mark"] for cell in row["cells"]] == ["", ""]
    assert row["cells"][1]["lines"][0] == f"step {max(early.frames['piecewise', 30.0, None])}"
    assert pictures(early, back=False)["steps"] == []
    assert "frames" not in row["cells"][1], "while it is searched nothing travels twice"


def test_last_replayed_frame_is_the_result(emitted: list[dict[str, Any]]):
    shown = pictures(Desk.of(emitted))
    assert shown["steps"] == [4, 6, 9, 12]
    (row,) = shown["rows"]
    for cell in [*row["cells"], shown["known"][-1]]:
        assert len(cell["frames"]) == 4
        assert {len(frame["lines"]) for frame in cell["frames"]} == {len(cell["lines"])}
        assert cell["frames"][-1]["image"] == cell["images"][0]
    assert shown["known"][-1]["lines"][0] == "without noise"


def test_the_image_is_called_by_the_name_of_its_class(emitted: list[dict[str, Any]]):
    desk = Desk.of(emitted)
    assert pictures(desk)["known"][0]["lines"] == ["the image", f"a {desk.start['label']}"]
    desk.start["ladder"]["base"]["dataset"] = "cifar10"
    desk.start["label"] = 5
    assert pictures(desk)["known"][0]["lines"] == ["the image", "dog"]
