"""A ladder that is searched: a guess everywhere first, and the same bits whenever it is taken up."""

import json
import time
from collections.abc import Sequence
from functools import cache
from itertools import islice
from typing import Any

import pytest

from ldp_core.attacks.shared.minimise import Descent
from ldp_core.attacks.shared.search import SearchBatch
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.leakage import coarse_to_fine
from ldp_core.leakage.coarse_to_fine import Searches
from ldp_core.leakage.grid import climb
from ldp_core.leakage.grid_context import Grid
from tests.data import digits
from tests.extent import in_gate
from tests.pace import within

ASKED: dict[str, Any] = {
    "base": {
        "model": "lenet",
        "target": "update",
        "clients": {"range": 0.1},
        "local": {"learning_rate": 0.1},
    },
    "mechanisms": ["piecewise", "duchi"],
    "epsilons": [1, 30],
    "images": 10,
    "attacker": {"name": "idlg", "iterations": 30},
}
PLACES = 2 * 2 + 2 * 2 - 1
"""Cells and controls that are searched for: without noise and uncut both mechanisms send the same."""


def events(earlier: Sequence[dict[str, Any]] = (), **changes: Any) -> list[dict[str, Any]]:
    return [e.as_json() for e in climb(parse_ladder(ASKED | changes), digits(), earlier=earlier)]


@cache
def whole() -> tuple[dict[str, Any], ...]:
    return tuple(events())


def place(event: dict[str, Any]) -> tuple[Any, ...]:
    return event["mechanism"], event["epsilon"], event["control"]


def test_guesses_come_breadth_first():
    guesses = [e for e in whole() if e["event"] == "guess"]
    first = guesses[:PLACES]
    assert len({place(e) for e in first}) == PLACES
    assert {e["iterations"] for e in first} == {4}
    results = [e["event"] for e in whole() if e["event"] != "guess"]
    assert results == ["ladder", *["reference", "reference", "cell", "cell"] * 2, "end"]
    done = [e["done"] for e in guesses]
    assert done == sorted(done)
    assert done[-1] == 4
    assert json.loads(json.dumps(whole(), allow_nan=False))


def test_the_last_frame_is_the_result_and_pictures_get_better():
    clean = [e for e in whole() if e["event"] == "guess" and e["control"] == "clean"]
    result = next(e for e in whole() if e["event"] == "reference")
    assert clean[-1]["image"] == result["image"]
    assert clean[-1]["psnr"] == pytest.approx(result["psnr"])
    assert clean[-1]["psnr"] > clean[0]["psnr"] + 10
    assert result["recovered"] >= 9
    one, other = (e for e in whole() if e["event"] == "reference" and e["control"] == "clean")
    assert one | {"mechanism": ""} == other | {"mechanism": ""}


def test_noise_hides_alike_from_search_and_closed_form():
    cells = {(e["mechanism"], e["epsilon"]): e for e in whole() if e["event"] == "cell"}
    assert cells["piecewise", 30.0]["recovered"] >= 9
    assert cells["piecewise", 1.0]["recovered"] == cells["duchi", 30.0]["recovered"] == 0


def test_resumed_ladder_has_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
):
    outcome, alone = list(whole()), SearchBatch
    kinds = [e["event"] for e in outcome]
    last = len(kinds) - 1 - kinds[::-1].index("cell")
    for stopped in (20, *in_gate((), (kinds.index("cell") + 1,)), last):
        wanted: list[bool] = []

        def counted(*given: Any, wanted: list[bool] = wanted) -> Any:
            wanted += given[3]
            return alone(*given)

        monkeypatch.setattr(coarse_to_fine, "SearchBatch", counted)
        assert events(outcome[:stopped]) == outcome[stopped:]
        monkeypatch.undo()
        found = sum(e["event"] in ("cell", "reference") for e in outcome[:stopped])
        twice = found > 4  # the second mechanism's control is the first one's
        assert sum(wanted) == PLACES - found + twice


@pytest.mark.parametrize("attacker", ["idlg", "cosine_tv"])
def test_ladder_resumed_with_its_searches_repeats_no_step(attacker: str, monkeypatch: pytest.MonkeyPatch):
    """Stopped at every few events, with several parts of the images after one another, on two cores."""
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    monkeypatch.setattr(Grid, "parts", lambda grid: [slice(0, 2), slice(2, 4)])
    steps, advance = list[int](), Descent.advance

    def counted(descent: Descent, until: int) -> None:
        before = descent.taken
        advance(descent, until)
        steps.append(descent.taken - before)

    monkeypatch.setattr(Descent, "advance", counted)
    asked = parse_ladder(ASKED | {"attacker": {"name": attacker, "iterations": 12}, "images": 4})
    whole = [e.as_json() for e in climb(asked, digits())]
    once = sum(steps)
    monkeypatch.setenv("EPSILON_SLOT_CORES", "2")
    for killed in (False, True):  # every other time, so that what is kept is older than the events
        found, states, attempts = list[dict[str, Any]](), b"", 0
        steps.clear()
        while len(found) < len(whole):
            searches, attempts = Searches(states), attempts + 1
            under_way = climb(asked, digits(), earlier=tuple(found), searches=searches)
            found += [event.as_json() for event in islice(under_way, 9)]
            if not (killed and attempts % 2):
                states = searches.states() if searches.under_way else b""
        assert found == whole
        assert sum(steps) > once if killed else sum(steps) == once


def test_closed_ladder_ends_its_search_early():
    begun = climb(parse_ladder(ASKED | {"attacker": {"name": "idlg", "iterations": 2000}}), digits())
    for _ in range(3):
        next(begun)
    before = time.monotonic()
    begun.close()  # type: ignore[attr-defined]
    assert time.monotonic() - before < within(2)
