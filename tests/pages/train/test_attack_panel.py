"""What Train tells of the attack: figures plotly accepts, the events' counts, words that claim no more."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import presets
from ldp_core.attacks.findings.verdict import LeakVerdict
from ldp_core.runs.record import drafts
from ldp_core.runs.view.run_curves import RunProgress
from ldp_core.runs.view.styles import Style
from pages.parts.charts.series import Series
from pages.parts.charts.tally import Tally, attempts_on, tally
from pages.parts.train.attack_choices import set_numbers
from pages.parts.train.server_panel import server_panel, uploads_in
from pages.parts.ui.components import packed
from pages.parts.ui.workspace import Workspace
from tests.data import events
from tests.pages.charts.test_base import made

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


def test_lying_server_is_named_for_its_own_runs_only():
    attack = {"uploads": "real", "clients": [1]}
    servers: tuple[dict[str, Any], ...] = ({}, {"server": "imprint"})
    base = {"rounds": 1, "model": "mlp", "clients": {"count": 2, "range": 0.2}}
    both = [made(i, f"run {i}", base | {"attack": attack | one}) for i, one in enumerate(servers)]
    mixed, alone = (server_panel(shown, "real", "")["subtitle"] for shown in (both, both[1:]))
    assert "lies under run 1" in mixed and "lies" in alone and "under" not in alone


def test_attacks_on_every_third_round_stand_at_these_rounds():
    """In the panel; out of five images, which no caption calls ten."""
    base: dict[str, Any] = {
        "rounds": 8,
        "clients": {"epsilon": 8, "range": 0.2},
        "attack": {"every": 3, "uploads": "both", "clients": [1], "candidates": 5},
    }
    shown = [made(0, "run", base)]
    for upload in ("audit", "real"):
        panel = server_panel(shown, upload, empty="")
        closest = shown[0].runs[0].tries[upload, 0].closest or {}
        assert f"round {closest['round']}" in panel["rows"][0]["detail"]
        assert " ten " not in panel["note"]
        assert "every round" not in panel["note"]


def test_a_tally_pools_rounds_and_seeds(trained: list[Series]):
    tries = attempts_on(trained[2], "audit", 0)
    count = tally(tries)
    assert count is not None
    picks = [pick for one in tries for pick in one.picks]
    assert (count.hits, count.n, count.chance) == (sum(picks), 2 * ROUNDS, 0.1)


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


def test_likeness_without_recovery_has_a_reason(trained: list[Series], monkeypatch: pytest.MonkeyPatch):
    hidden = LeakVerdict("hidden", "not recovered by this attack")
    monkeypatch.setattr("pages.parts.train.server_panel.verdict_on", lambda *_: hidden)
    like, unlike = (server_panel([one], "audit", "")["rows"][0] for one in (trained[0], trained[2]))
    assert like["verdict"] == "alike, but so is a guess"
    assert unlike["verdict"] == "not recovered by this attack"
    monkeypatch.setitem(trained[0].runs[0].tries["audit", 0].closest or {}, "ncc_non_members", 1.0)
    row = server_panel(trained[:1], "audit", "")["rows"][0]
    assert row["verdict"] == "alike, but so is another image"


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
