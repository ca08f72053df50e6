"""The attacker's desk: its figures are plotly's, and its sentences never say more than the cells do."""

from typing import Any

import pytest

from ldp_core import mechanisms
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.inference import wilson
from ldp_core.leakage.grid import climb
from ldp_core.runs.view.cells import Desk
from pages.parts.attack.head import head
from pages.parts.attack.settings import asks_same
from pages.parts.attack.view import pictures
from pages.parts.attack.words import picked_from
from pages.parts.charts.attack_grid import identification_figure, picture_figure, share_figure
from tests.data import digits
from tests.pages.charts.test_base import check


def climbed(**asked: Any) -> Desk:
    return Desk.of(event.as_json() for event in climb(parse_ladder(asked), digits()))


def another(start: dict[str, Any], cells: dict[tuple[str, float], dict[str, Any]]) -> Desk:
    desk = Desk(())
    desk.start, desk.cells = start, cells
    return desk


@pytest.fixture(scope="module")
def desk() -> Desk:
    return climbed(epsilons=[0.1, 2, 16], images=6)


def test_charts_show_each_mechanism_and_chance(desk: Desk):
    for figure in (picture_figure(desk), identification_figure(desk)):
        drawn = check(figure)
        named = [trace for trace in drawn.data if trace.name and len(trace.x) == 3]
        assert [trace.name for trace in named] == ["Piecewise", "Duchi"]
    drawn = check(picture_figure(desk)).data
    result = {
        words for trace in drawn if isinstance(trace.hovertemplate, tuple) for words in trace.hovertemplate
    }
    assert result == {f"{cell['psnr']:.1f} dB" for cell in desk.cells.values()}, (
        "what lies above the axis too"
    )
    levels = {trace.line.dash: trace.name for trace in drawn if len(trace.x) == 2}
    assert len(levels) == len({*levels.values()}) == 3 and all(levels.values()), "each is named in a legend"
    bounds = [t for t in check(identification_figure(desk)).data if t.line.dash == "dash"]
    assert len(bounds) == 2, "the instance bound, for each mechanism"


def said(pieces: list[tuple[str, int | None]]) -> str:
    return "".join(words for words, _ in pieces)


def test_headline_names_the_first_recovered_mechanism(desk: Desk):
    result = head(desk, live=False)
    back = next(e for (name, e), cell in desk.cells.items() if name == "piecewise" and _back(cell))
    line = said(result["line"])
    assert all(
        words in line for words in (f"Piecewise gives the image back from ε {back:g}", "ε 2)", "Duchi")
    )
    assert len(line.split()) <= 25
    assert "full" in said(head(desk, live=True)["line"]), "before it is, nothing is said"
    least = min(epsilon for _, epsilon in desk.cells)
    few = {place: cell for place, cell in desk.cells.items() if place[0] != "duchi" or place[1] == least}
    stopped = said(head(another(desk.start, few), live=False)["line"])
    assert stopped.endswith(f"Duchi does not up to ε {least:g}"), "no claim of what was not looked at"
    lost = {place: cell | {"verdict": {"kind": "inconclusive"}} for place, cell in desk.cells.items()}
    assert "even without noise" in said(head(another(desk.start, lost), live=False)["line"])


def _back(cell: dict[str, Any]) -> bool:
    return bool(cell["verdict"]["kind"] == "recovered")


def test_recovery_at_a_lower_budget_alone_is_stated(desk: Desk):
    """An attacker may read worse where the noise is weaker: what it did get back is back."""
    lowest = min(epsilon for _, epsilon in desk.cells)
    kinds = {True: "recovered", False: "hidden"}
    cells = {key: cell | {"verdict": {"kind": kinds[key[1] == lowest]}} for key, cell in desk.cells.items()}
    line = said(head(another(desk.start, cells), live=False)["line"])
    assert "at some" in line and "does not" not in line


def test_an_upload_of_many_images_has_a_share(desk: Desk):
    real = climbed(
        base={"model": {"name": "mlp"}, "local": {"epochs": 1}}, upload="real", epsilons=[1, 20], images=4
    )
    check(share_figure(real))


def test_lucky_pick_among_many_mechanisms_is_not_stated():
    """6 right of 20 where guessing gives 2: alone that is beyond chance, as the best of eight it is not."""
    names = list(mechanisms.names())[:8]
    cells = [{"epsilon": 1.0, "identified": hits, "n": 20} for hits in (6.0, 12.0)]
    for many, lucky in ((1, 1.0), (8, None)):
        start = {"attackers": dict.fromkeys(names[:many], "posterior"), "chance": 0.1}
        assert picked_from(cells[:1], another(start, {})) == lucky
        assert picked_from(cells[1:], another(start, {})) == 1.0


def picks(desk: Desk, n: int, *shares: float) -> str:
    """The chip, where so many of n images are picked out on each rung, under Piecewise alone."""
    start = desk.start | {"n": n, "attackers": {"piecewise": desk.start["attackers"]["piecewise"]}}
    cells = {}
    for epsilon, share in zip(desk.start["ladder"]["epsilons"], shares, strict=True):
        hits = share * n
        low, high = wilson(hits, n)
        figures = {"n": n, "identified": hits, "identified_low": low, "identified_high": high}
        cells["piecewise", epsilon] = desk.cells["piecewise", epsilon] | figures
    chip = head(another(start, cells), live=False)["chips"][0]
    return f"{said(chip['pieces'])}; {chip['hint']}".replace("Piecewise ", "")


def test_picks_explained_by_chance_are_marked(desk: Desk):
    assert picks(desk, 22, 6 / 22, 3 / 22, 1) == "from ε 16; 27\u202f% at ε 0.1 may be chance"
    assert picks(desk, 22, 0, 1, 0) == "not up to ε 16; 100\u202f% at ε 2 is more than chance"
    assert picks(desk, 22, 2 / 22, 1, 1) == "from ε 2; "
    assert picks(desk, 4, 0.5, 0.5, 1) == "from ε 16; 2 of 4 at ε 0.1: too few to say"
    assert picks(desk, 1, 0, 1, 1) == "too few images to say; 1 of 1 at ε 2: too few to say"


BASE: dict[str, Any] = {"local": {"epochs": 1}}


def test_fields_set_by_the_ladder_are_no_change():
    idle = {"mechanism": "duchi", "attack": None, "aggregator": "inverse_variance", "seed": 4, "name": "mine"}
    others = {"clients": {"epsilon": 3.0, "run_limit": 50.0}}
    before = parse_ladder({"base": BASE})
    assert asks_same(before, parse_ladder({"base": BASE | idle | others}))
    assert not asks_same(before, parse_ladder({"base": BASE | {"clients": {"range": 0.2}}}))
    assert not asks_same(before, parse_ladder({"base": BASE, "images": before.images + 1}))


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
