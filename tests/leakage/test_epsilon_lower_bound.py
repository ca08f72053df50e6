"""What a run's own identification shows of ε, beside what the ledger promises."""

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


ONCE = {"target": "class_means", "features": "orientation", "rounds": 1, "clients": SHORT["clients"]}


@pytest.mark.parametrize(
    "mechanism", ["piecewise", "duchi", "gaussian", "dynamic_gaussian", "harmony", "privunit", "labelunit"]
)
def test_lower_bounds_stay_below_the_promises(mechanism: str):
    """All bounds of a run fail together in at most one of 20; the seed is one in which none does."""
    changes: dict[str, Any] = {"mechanism": mechanism, "attack": {"canary": True}}
    changes |= ONCE if mechanism == "labelunit" else {}
    rows, promised = measured(changes), ledger(parse(SHORT | changes))
    assert [(row["client"], row["attack"], row["scope"]) for row in rows] == [
        (client, attack, scope)
        for client in (1, 3, 5)
        for attack in ("identification", "membership", "canary")
        for scope in ("upload", "run")
    ]
    for row in rows:
        own = promised[row["client"] - 1][{"upload": "upload", "run": "run_worst"}[row["scope"]]]
        assert 0 <= row["right"] <= 1 and row["confidence"] == 0.95
        assert (row["epsilon_lower"] is None) == bool(row["why"])
        assert 0 < (row["epsilon_lower"] or row["most"]) <= row["most"]
        assert (
            row["epsilon_lower"] is None or own["epsilon"] is None or row["epsilon_lower"] <= own["epsilon"]
        )


def found(changes: dict[str, Any]) -> dict[tuple[int, str, str], dict[str, Any]]:
    return {(row["client"], row["attack"], row["scope"]): row for row in measured(changes)}


def test_lower_bound_grows_with_budget_and_image_share():
    rows = found({})
    lower = {key: row["epsilon_lower"] or 0.0 for key, row in rows.items()}
    assert lower[5, "identification", "upload"] > 2 + lower[1, "identification", "upload"]
    assert lower[5, "identification", "upload"] > lower[5, "membership", "upload"] > 0
    assert all(lower[client, attack, "run"] >= lower[client, attack, "upload"] for client, attack, _ in rows)


def test_canary_reaches_a_bound_where_images_give_none():
    """Changes of ±0.3 % of the range hide in Duchi's noise; ends of the range do not."""
    rows = found({"mechanism": "duchi", "target": "update", "attack": {"canary": True}})
    assert rows[5, "canary", "upload"]["epsilon_lower"] > 4
    assert (rows[5, "membership", "upload"]["epsilon_lower"] or 0) < 1


def test_tiny_budget_gives_no_bound_and_chance_guesses():
    """14 000 trials or more by chance; 4.4 standard deviations."""
    rows = found({"mechanism": "duchi", "clients": {"count": 5, "epsilon": 0.05}})
    assert all(row["epsilon_lower"] is None for row in rows.values())
    assert all(row["why"].startswith("cannot tell yet: ") for row in rows.values())
    members = [row for (_, attack, _), row in rows.items() if attack == "membership"]
    assert len(members) == 6
    assert all(abs(row["right"] - 0.5) < 2.2 / row["trials"] ** 0.5 for row in members)


def test_one_image_alone_has_no_membership_to_ask_for():
    clients = {"count": 1437, "epsilon": 8}
    kinds = {attack for _, attack, _ in found({"clients": clients, "selection": "once", "attack": "auto"})}
    assert kinds == {"identification"}


@pytest.mark.parametrize(
    "changes",
    [
        {"attack": None},
        {"mechanism": "none"},
        {"form": "as_printed"},
        {"mechanism": "duchi", "trust": {"kind": "shuffled"}},
    ],
)
def test_unattacked_or_unbounded_runs_have_no_lower_bound(changes: dict[str, Any]):
    assert "measured" not in events(SHORT | changes)[-1]


def test_a_run_that_is_taken_up_ends_with_the_same_bounds():
    experiment, states = parse(SHORT), list[State]()
    *_, whole = simulate(experiment, digits(), keep=states.append)
    *_, resumed = simulate(experiment, digits(), start=states[2])
    assert whole == resumed
    assert Ended.of(whole.as_json()) == whole
    old = {name: value for name, value in whole.as_json().items() if name != "measured"}
    assert Ended.of(old).as_json() == old
