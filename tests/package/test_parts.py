"""Two distributions that others have made appear everywhere, and no file of the program is changed."""

import json
from typing import Any, Self

import pytest

from tests.package.distributions import DATASET, MECHANISM, project
from tests.package.installed import Installed, wheel_of
from tests.server.client import Viewer

FOLDED = "Data, model and training"
LINK = """
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.carry import as_link
base = parse({"mechanism": "moving_window", "dataset": "tumours", "attack": None})
print(as_link(Draft(base, (Variant("one"),))))
"""


@pytest.fixture(scope="module")
def extended(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    for group, part, kind, code in (
        ("mechanisms", "moving_window", "MovingWindow", MECHANISM),
        ("datasets", "tumours", "Tumours", DATASET),
    ):
        folder = tmp_path_factory.mktemp(part)
        installed.install(wheel_of(project(folder, group, part, kind, code), folder / "wheel"))
    return installed


@pytest.mark.parametrize("part", ["moving_window", "tumours"])
def test_they_keep_their_contract(extended: Installed, part: str):
    output = extended.run("epsilon-studio", "check", part).splitlines()
    assert len(output) >= 5
    assert all(line.startswith("ok  ") for line in output)


def test_the_command_line_knows_them(extended: Installed):
    asked = json.dumps(
        {"mechanism": "moving_window", "dataset": "tumours", "rounds": 3, "clients": {"epsilon": 4}}
    )
    *_, last = extended.run("epsilon-studio", "run", "-", stdin=asked).splitlines()
    assert json.loads(last)["status"] == "completed"
    assert "moving_window (moving-window-of-a-test 1.0)" in extended.run("epsilon-studio", "doctor")
    asked = '{"attack": null, "rounds": 1}'
    grid = "--grid=mechanism.name=duchi,moving_window"
    cells = extended.run("epsilon-studio", "sweep", "-", grid, stdin=asked).splitlines()
    assert [json.loads(cell)["set"]["mechanism.name"] for cell in cells] == ["duchi", "moving_window"]


class Chooser(Viewer):
    """Also notes what can be chosen, by the field's label."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.offered: dict[str, list[str]] = {}

    @classmethod
    async def open(cls, *given: Any, **more: Any) -> Self:
        """With Train's settings unfolded."""
        viewer = await super().open(*given, **more)
        if FOLDED in viewer.widgets:
            await viewer.move(FOLDED, "bool_value", True)
        return viewer

    def _note(self, message: Any, kind: str) -> None:
        super()._note(message, kind)
        if kind == "delta" and message.delta.new_element.WhichOneof("type") == "selectbox":
            field = message.delta.new_element.selectbox
            self.offered[field.label] = [*field.options]


def test_pages_list_plugin_parts_and_their_laws(extended: Installed):
    settings = extended.run("python", "-c", LINK).strip()
    with extended.serving("--server.headless=true") as url:
        asked = ("noise", "train", "clients")
        pages = {page: Chooser.visited(url, page, f"settings={settings}") for page in asked}
    for viewer in pages.values():
        assert viewer.errors == []
    for page, label in (
        ("noise", "Moving window"),
        ("train", "Tumours (30 numbers)"),
        ("clients", "Tumours (30 numbers)"),
    ):
        assert any(label in options for options in pages[page].offered.values()), pages[page].offered
