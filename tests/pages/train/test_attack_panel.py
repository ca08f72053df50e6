"""What Train tells of the attack: figures plotly accepts, the events' counts, words that claim no more."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import presets
from ldp_core.inference import wilson
from ldp_core.runs.record import drafts
from ldp_core.runs.view.attack_curve import Tries
from ldp_core.runs.view.run_curves import RunProgress
from ldp_core.runs.view.styles import Style
from pages.parts.charts.attack_rounds import TOP_DB, picked_figure, pixels_figure, returned_figure
from pages.parts.charts.series import Series
from pages.parts.charts.tally import Tally, attempts_on, running, running_cap, tally
from pages.parts.train.attack_choices import set_numbers
from pages.parts.train.attack_rounds import _audit_cards, _real_cards
from pages.parts.train.findings import _leaks as findings_of_leaks
from pages.parts.train.findings import findings
from pages.parts.train.server_panel import server_panel, uploads_in
from pages.parts.ui.components import packed, sheet
from pages.parts.ui.text import number
from pages.parts.ui.workspace import Workspace
from tests.data import events
from tests.pages.charts.test_base import check, made

ROUNDS = 5
SETS: list[dict[str, Any]] = [
    {"mechanism": "none"},
    {"mechanism": "piecewise", "aggregator": "inverse_variance"},
    {"mechanism": "duchi"},
]


@pytest.fixture(scope="module")
def trained() -> list[Series]:
    base: dict[str, Any] = {
        "rounds": ROUNDS,
        "clients": {"count": 20, "epsilon": "two_volunteers", "range": 0.2},
        "target": "update",
        "attack": {"uploads": "both"},
    }
    return [made(i, f"run <{i}>", base | one, (0, 1)) for i, one in enumerate(SETS)]


def attacked(trained: Sequence[Series], upload: str, client: int) -> list[tuple[Series, list[Tries]]]:
    return [(one, attempts_on(one, upload, client)) for one in trained]


@pytest.mark.parametrize("client", [0, 9, 19])
def test_attack_curves_equal_recorded_attempts(trained: list[Series], client: int):
    result = attacked(trained, "audit", client)
    pixels = check(pixels_figure(result, ROUNDS))
    names = {trace.name for trace in pixels.data}
    assert {"average of all", "average of its class", "image is back", "run &lt;1&gt;"} <= names
    (curve,) = [trace for trace in pixels.data if trace.name == "run &lt;1&gt;"]
    values = np.mean([tries.psnr[None][:] for tries in result[1][1]], axis=0)
    assert list(curve.y) == pytest.approx(np.minimum(values, TOP_DB), rel=1e-5)
    assert list(curve.x) == list(range(1, ROUNDS + 1))

    picked = check(picked_figure(result, ROUNDS))
    (curve,) = [trace for trace in picked.data if trace.name == "run &lt;2&gt;"]
    picks = np.array([tries.picks[:] for tries in result[2][1]])
    assert curve.y[-1] == pytest.approx(picks.mean(), rel=1e-5)
    words = " ".join(note.text for note in picked.layout.annotations)
    assert f"{number(picks.sum(), 3)} of {picks.size}" in words
    assert picked.layout.xaxis.range == pixels.layout.xaxis.range == (0, ROUNDS)


def test_attacks_on_every_third_round_stand_at_these_rounds():
    """In the charts, in the panel and in the findings; out of five images, which no caption calls ten."""
    base: dict[str, Any] = {
        "rounds": 8,
        "clients": {"epsilon": 8, "range": 0.2},
        "attack": {"every": 3, "uploads": "both", "clients": [1], "candidates": 5},
    }
    shown = [made(0, "run", base)]
    for upload, figures in (("audit", (pixels_figure, picked_figure)), ("real", (returned_figure,))):
        for draw in figures:
            drawn = check(draw(attacked(shown, upload, 0), 8))
            (curve,) = [trace for trace in drawn.data if trace.name == "run"]
            assert list(curve.x) == [1, 4, 7]
        panel = server_panel(shown, upload, empty="")
        closest = shown[0].runs[0].tries[upload, 0].closest or {}
        assert f"round {closest['round']}" in panel["rows"][0]["detail"]
        assert " ten " not in panel["note"]
        assert "every round" not in panel["note"]
    (dashed,) = [
        trace
        for trace in check(picked_figure(attacked(shown, "audit", 0), 8)).data
        if trace.name == "at most"
    ]
    assert list(dashed.x) == [1, 4, 7]
    findings(shown, None, 0.1)


def test_real_uploads_are_counted_image_by_image(trained: list[Series]):
    result = attacked(trained, "real", 19)
    figure = check(returned_figure(result, ROUNDS))
    (curve,) = [trace for trace in figure.data if trace.name == "run &lt;0&gt;"]
    back = sum(tries.recovered[None][-1] or 0 for tries in result[0][1])
    assert curve.y[-1] == pytest.approx(back / sum(tries.images for tries in result[0][1]), rel=1e-5)
    check(pixels_figure(result, ROUNDS))
    for card in (*_real_cards(result, ROUNDS), *_audit_cards(attacked(trained, "audit", 0), ROUNDS)):
        check(card.figure)
        assert json.loads(sheet([card]))


def test_a_tally_pools_rounds_and_seeds(trained: list[Series]):
    tries = attempts_on(trained[2], "audit", 0)
    count = tally(tries)
    assert count is not None
    picks = [pick for one in tries for pick in one.picks]
    assert (count.hits, count.n, count.chance) == (sum(picks), 2 * ROUNDS, 0.1)
    share = running(tries)
    assert share.shape == (ROUNDS, 3)
    np.testing.assert_allclose(share[-1], (count.share, *wilson(count.hits, count.n)))
    np.testing.assert_allclose(running_cap(tries)[-1], np.mean([one.caps for one in tries]))
    own = tally(tries, same_class=True)
    assert own is not None
    assert own.hits == sum(pick for one in tries for pick in one.picks_same_class)


@given(st.integers(1, 400), st.integers(1, 12))
def test_guessing_is_never_called_a_leak(n: int, comparisons: int):
    assert not Tally(round(0.1 * n - 0.5), n, 0.1).above_chance(comparisons)
    assert Tally(n, n, 0.1).above_chance() or n == 1


def test_server_panel_equals_the_events(trained: list[Series]):
    assert uploads_in(trained) == ["audit", "real"]
    panel = server_panel(trained, "audit", empty="")
    json.dumps(panel, allow_nan=False)
    assert [row["name"] for row in panel["rows"]] == ["Client 1", "Client 10", "Client 20"]
    first = panel["rows"][0]
    closest = trained[2].runs[0].tries["audit", 0].closest or {}
    assert first["cells"][3]["captions"] == [f"alike {closest['ncc']:.2f}"]
    row = server_panel(trained, "real", empty="")["rows"][0]
    assert (len(row["pairs"]), len(row["lines"])) == (6, len(SETS))
    closest = trained[1].runs[0].tries["real", 0].closest or {}
    assert row["lines"][1].startswith(f"run <1>: {closest['recovered']} of {closest['images']} images back")
    assert "95" not in row["lines"][1], "no interval holds after the choice of a round"


TYPED: list[tuple[str, str, Any]] = [
    ("clients", "", None),
    ("clients", "1, 10 20", (1, 10, 20)),
    ("clients", "0", "got “0”"),
    ("clients", "21", "and 20"),
    ("clients", "9" * 5000, "and 20"),
    ("rounds", "", None),
    ("rounds", "3, 1;2", (1, 2, 3)),
    ("rounds", "0", "got “0”"),
    ("rounds", "16", "between 1 and 15; got “16”"),
    ("rounds", "9" * 5000, "numbers of rounds"),
]


@pytest.mark.usefixtures("runs_dir")
@pytest.mark.parametrize(("field", "typed", "taken"), TYPED)
def test_attacked_clients_and_rounds_count_from_one(field: str, typed: str, taken: Any):
    draft = presets.get("two_volunteers").draft
    workspace = Workspace(drafts.new(draft), draft)
    problems = set_numbers(workspace, field, typed)
    if isinstance(taken, str):
        assert taken in str(problems[0])
    else:
        assert problems == ()
        assert getattr(workspace.draft.base.attack, field) == taken


def test_leak_of_a_later_seed_is_named(trained: Sequence[Series]):
    """“The server got no image back in any round” was said of the first seed alone."""
    kept, given_away = trained[2].runs[0], trained[0].runs[1]
    alone = findings_of_leaks([Series(2, "duchi", (kept,), Style(2))])
    both = Series(2, "duchi", (kept, given_away), Style(2))
    assert "the server can get the image" not in alone
    assert "the server can get the image" in findings_of_leaks([both])
    assert "of “duchi” with seed 1" in findings_of_leaks([both])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_run_without_noise_makes_no_finding_of_the_panel(trained: list[Series], place: int):
    """The image is back from it, which said so below the ε of those that keep it."""
    alone, beside = (server_panel(some, "audit", "")["rows"][place] for some in ([trained[2]], trained[::2]))
    assert (beside["kind"], beside["verdict"]) == (alone["kind"], alone["verdict"])
    assert beside["picked"] == alone["picked"]


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
    assert panel["empty"] == ""
    for row in panel["rows"]:
        assert (row["verdict"], row["kind"]) == ("the picture forms", "")
        assert row["cells"][1]["captions"][1] == "step 9"
    stopped = server_panel(shown, "audit", "waiting", stopped=True)
    assert {row["verdict"] for row in stopped["rows"]} == {"stopped as it formed"}


def test_closest_attempt_stays_while_a_later_round_forms(emitted: list[dict[str, Any]]):
    shown = folded(until(emitted, 3, 6))
    assert "round 1" in server_panel(shown, "audit", "")["rows"][0]["detail"]
