"""The search for a design: what it asks for next, what it answers, and that no design exceeds the promise."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ldp_core import accounting
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import plan
from ldp_core.runs import train_all
from ldp_core.runs.kinds.ask import told_apart
from ldp_core.runs.stored_answer import first_answer
from ldp_core.tuning.designs import (
    CHOOSING,
    EXPECTED,
    TRIAL,
    DesignRun,
    answer_of,
    experiment_of,
    next_points,
)
from ldp_core.tuning.needs import STEPS, TRUSTS, Needs, parse_needs
from ldp_core.tuning.said import answered, sentence


def searched(
    needs: Needs, accuracy: Callable[[DesignRun], float]
) -> tuple[dict[DesignRun, float], list[list[DesignRun]]]:
    """All points of a search in which a run has this accuracy, and the points of each turn."""
    known, turns = dict[DesignRun, float](), list[list[DesignRun]]()
    while wanted := next_points(needs, known):
        assert not known.keys() & set(wanted)
        known |= {point: accuracy(point) for point in wanted}
        turns.append(wanted)
    return known, turns


@pytest.mark.parametrize("unit, trust", [("client", one) for one in TRUSTS] + [("record", "secure_sum")])
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_no_design_costs_more_than_the_promise(unit: str, trust: str, epsilon: float):
    designs = Needs(unit=unit, trust=trust, clients=60).designs(epsilon)
    assert len(designs) > 3
    for design in designs:
        assert 0.99 * epsilon < accounting.run_budget(plan(design)) <= epsilon * (1 + 1e-9)


def test_best_design_is_found_and_confirmed_by_fresh_seeds():
    def accuracy(point: DesignRun) -> float:
        lucky = 0.2 * (point.design == 1 and point.seed < CHOOSING.start)
        return 0.5 + 0.1 * (point.design == 2) + lucky + 0.001 * point.seed

    needs = parse_needs({"trust": "server", "epsilon": 2, "confirmed": True})
    known, _ = searched(needs, accuracy)
    found = answer_of(needs, known)
    assert (found.design, found.runs, found.measured) == (2, needs.fresh, True)
    assert found.low < found.mean < found.high


def test_expected_accuracy_is_of_seeds_that_chose_no_design():
    def accuracy(point: DesignRun) -> float:
        return 0.5 + 0.2 * (point.design == 1 and point.seed < EXPECTED.start)

    needs = parse_needs({"trust": "server", "epsilon": 2})
    known, _ = searched(needs, accuracy)
    found = answer_of(needs, known)
    assert (found.design, found.mean, found.runs) == (1, 0.5, len(EXPECTED))


@pytest.mark.parametrize("crossing", [0.3, 2.0, 70.0])
def test_least_epsilon_is_within_a_step_of_the_crossing(crossing: float):
    needs = parse_needs({"accuracy": 0.8})
    known, _ = searched(needs, lambda point: 0.9 if point.epsilon >= crossing else 0.5)
    found = answer_of(needs, known)
    assert found.reaches
    assert crossing <= found.epsilon <= crossing * STEPS[1] / STEPS[0]


def test_dear_designs_are_screened_by_trials():
    needs = parse_needs({"clients": 1400, "epsilon": 4})
    known, _ = searched(needs, lambda point: 0.5 + 0.01 * point.design)
    dear = {one for one, design in enumerate(needs.designs(4.0)) if needs.is_dear(design)}
    assert 0 < len(dear) < len(needs.designs(4.0))
    assert {point.design for point in known if point.seed == TRIAL} == dear
    assert not any(point.design in dear for point in known if point.seed >= 0)
    few = {point: value for point, value in known.items() if point.seed != TRIAL}
    none = few | {DesignRun(0, one, 4.0, TRIAL): float("nan") for one in dear}
    assert {point.design for point in next_points(needs, none)} == dear, "where no trial can be had, by runs"


def test_an_unreachable_accuracy_is_not_found():
    needs = parse_needs({"accuracy": 0.99})
    known, _ = searched(needs, lambda point: 0.5)
    found = answer_of(needs, known)
    assert not found.reaches
    assert found.epsilon == STEPS[-1]
    assert "not reached" in sentence(needs, found, 0.1)


def test_each_change_of_the_question_has_an_answer():
    needs = parse_needs({"trust": "no_one", "clients": 50, "epsilon": 1, "levers": True})
    known, _ = searched(needs, lambda point: 0.3 + 0.1 * point.question)
    body = answered(needs, known, 0.1)
    assert len(body["levers"]) == len(needs.changed()) >= 5
    assert body["promise"]["epsilon"] <= 1
    assert body["promise"]["worth"] == "much"


def test_chosen_model_is_trained_by_every_design():
    needs = parse_needs({"dataset": "mnist_sample", "model": "cnn", "trust": "server", "epsilon": 8})
    designs = needs.designs(8.0)
    assert designs and {one.model.name for one in designs} == {"cnn"}
    assert all(accounting.run_budget(plan(one)) <= 8 * (1 + 1e-9) for one in designs)
    assert any(one.needs.model is None for one in needs.changed())
    assert not any(lever.needs.model for lever in parse_needs({}).changed())


def test_records_of_each_client_are_kept_and_can_be_more():
    needs = parse_needs({"unit": "record", "clients": 50, "records": 2, "epsilon": 1})
    assert {plan(one).records for one in needs.designs(1.0)} == {2}
    assert {plan(one).records for one in needs.designs(1.0)} != {
        plan(one).records for one in replace(needs, records=None).designs(1.0)
    }
    more = [one.needs.records for one in needs.changed() if one.needs.records != 2]
    assert more == [10]
    assert all(one.needs.clients * (one.needs.records or 0) <= 1437 for one in needs.changed())


@pytest.mark.parametrize(("trust", "known"), [("secure_sum", True), ("shuffled", False)])
def test_found_design_is_attacked_where_an_attack_is_simulated(trust: str, known: bool):
    design = parse_needs({"trust": trust, "clients": 100, "epsilon": 8}).designs(8.0)[0]
    told = told_apart(design)
    assert (told is not None) == known
    if told is not None:
        promised = accounting.worth(accounting.entries(plan(design))[0].run_worst).right
        assert promised and 0.45 < told <= promised[0] / promised[1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"trust": "me"},
        {"clients": 1},
        {"clients": 5000},
        {"epsilon": 0},
        {"epsilon": 1, "accuracy": 0.8},
        {"epsilon": None},
        {"accuracy": 1.0},
        {"dataset": "digit"},
        {"model": "net"},
        {"model": "cnn"},
        {"confirmed": 1},
        {"seed": -1},
        {"records": 0},
        {"records": 15},
        {"unit": "person"},
    ],
    ids=str,
)
def test_wrong_field_is_named(wrong: dict[str, Any]):
    with pytest.raises(InvalidExperiment) as error:
        parse_needs(wrong)
    assert {problem.path for problem in error.value.problems} & {*wrong, "epsilon"}


def test_shipped_first_answer_equals_its_runs():
    stored = first_answer()
    assert stored is not None
    assert stored.current, "python -m ldp_core presets --outcomes"
    assert stored.told is not None and 0.45 < stored.told < 1
    points = [point for point in stored.cells if point.question == 0][:4]
    for place, figures in train_all.train_all([experiment_of(stored.needs, point) for point in points]):
        assert figures.accuracy == pytest.approx(stored.cells[points[place]], abs=0.02)
