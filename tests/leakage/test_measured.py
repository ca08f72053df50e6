"""What a run's own identification shows of ε, beside what the ledger promises."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_core.accounting import ledger
from ldp_core.events import Ended
from ldp_core.experiment import parse
from ldp_core.federated.state import State
from ldp_core.simulate import simulate
from tests.data import digits, events

SHORT: dict[str, Any] = {"rounds": 3, "clients": {"count": 5, "epsilon": [0.5, 0.5, 0.5, 8, 8]}}


def measured(changes: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = events(SHORT | changes)[-1].get("measured", [])
    return found


@pytest.mark.parametrize(
    "mechanism", ["piecewise", "duchi", "gaussian", "dynamic_gaussian", "harmony", "privunit"]
)
def test_every_attacked_client_gets_both_bounds_and_none_breaks_its_promise(mechanism: str):
    """All bounds of a run fail together in at most one of 20; the seed is one in which none does."""
    rows = measured({"mechanism": mechanism})
    promised = ledger(parse(SHORT | {"mechanism": mechanism}))
    assert [(row["client"], row["scope"]) for row in rows] == [
        (client, scope) for client in (1, 3, 5) for scope in ("upload", "run")
    ]
    for row in rows:
        own = promised[row["client"] - 1][{"upload": "upload", "run": "run_worst"}[row["scope"]]]
        assert row["attack"] == "identification" and row["confidence"] == 0.95
        assert (row["epsilon_lower"] is None) == bool(row["why"])
        assert 0 < (row["epsilon_lower"] or row["most"]) <= row["most"]
        assert (
            row["epsilon_lower"] is None or own["epsilon"] is None or row["epsilon_lower"] <= own["epsilon"]
        )


def test_a_generous_budget_shows_more_than_a_strict_one():
    rows = {(row["client"], row["scope"]): row["epsilon_lower"] or 0.0 for row in measured({})}
    assert rows[5, "upload"] > 2 > rows[1, "upload"]
    assert all(rows[client, "run"] >= rows[client, "upload"] for client in (1, 3, 5))


def test_where_nothing_is_shown_it_says_so_and_never_zero():
    rows = measured({"mechanism": "duchi", "clients": {"count": 5, "epsilon": 0.05}})
    assert all(row["epsilon_lower"] is None for row in rows)
    assert all(row["why"].startswith("cannot tell yet: ") and "would do" in row["why"] for row in rows)


@pytest.mark.parametrize(
    "changes",
    [
        {"attack": None},
        {"mechanism": "none"},
        {"form": "as_printed"},
        {"mechanism": "duchi", "trust": {"kind": "shuffled"}},
    ],
)
def test_no_bound_where_nothing_is_attacked_or_no_promise_is_for_single_uploads(changes: dict[str, Any]):
    assert "measured" not in events(SHORT | changes)[-1]


def test_a_run_that_is_taken_up_ends_with_the_same_bounds():
    experiment, states = parse(SHORT), list[State]()
    *_, whole = simulate(experiment, digits(), keep=states.append)
    *_, resumed = simulate(experiment, digits(), start=states[2])
    assert whole == resumed
    assert Ended.of(whole.as_json()) == whole
    old = {name: value for name, value in whole.as_json().items() if name != "measured"}
    assert Ended.of(old).as_json() == old
