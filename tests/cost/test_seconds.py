"""What a job does, counted: what asks for more does more, in proportion."""

from typing import Any

import pytest

from ldp_core.attacks.posterior import GRID, PASSES, ROWS
from ldp_core.cost.seconds import Operations, Rates, seconds, work_of, work_of_ladder
from ldp_core.experiment import parse, plan
from ldp_core.experiment.attack_grid import RUNGS, parse_ladder

LINEAR = (2 * PASSES + 1) * GRID * 10 * 65
"""Answers that the posterior weighs in an upload of ten classes and 64 pixels."""


def ladder(**asked: Any) -> Operations:
    return work_of_ladder(parse_ladder(asked))


def test_likelihoods_are_counted_for_the_posterior_only():
    one = {"rounds": 4, "attack": {"clients": [1], "attacker": "posterior"}}
    assert work_of(plan(parse(one | {"mechanism": "none"}))).likelihoods == 0
    assert work_of(plan(parse(one))).likelihoods == 4 * LINEAR
    assert work_of(plan(parse(one | {"attack": {"clients": [1], "attacker": "trimmed"}}))).likelihoods == 0
    seen = {"clients": [1, 4], "attacker": "posterior", "rounds_observed": 5}
    assert work_of(plan(parse(one | {"attack": seen}))).likelihoods == 4 * 2 * 5 * LINEAR


def test_of_a_wide_layer_some_rows_are_read():
    wide = {"model": {"name": "mlp", "hidden": 128}, "rounds": 1}
    attack = {"attack": {"clients": [1], "attacker": "posterior"}}
    assert work_of(plan(parse(wide | attack))).likelihoods == (2 * PASSES + 1) * GRID * ROWS * 65


def test_run_without_attack_has_no_attack_work():
    work = work_of(plan(parse({"attack": None})))
    assert (work.attacks, work.attacked, work.likelihoods) == (0, 0, 0)
    assert work.rounds == parse({}).rounds


def test_a_ladder_counts_images_uploads_mechanisms_and_budgets():
    base = ladder()
    assert base.likelihoods == 2 * len(RUNGS) * 20 * LINEAR
    assert base.rounds == 0, "the first round's model needs no training"
    assert ladder(images=1).likelihoods == base.likelihoods / 20
    assert ladder(rounds_observed=10).likelihoods == 10 * base.likelihoods
    assert ladder(mechanisms=["duchi"]).likelihoods == base.likelihoods / 2
    assert ladder(epsilons=[1.0]).likelihoods == base.likelihoods / len(RUNGS)
    assert ladder(upload="real").likelihoods == 0
    few, many = (ladder(upload="real", base={"clients": {"count": count}}) for count in (200, 20))
    assert many.products > 5 * few.products > 0, "images of an upload are scored"
    later = ladder(round=5)
    assert later.rounds == 4
    assert later.products == pytest.approx(4 * work_of(plan(parse({"rounds": 1}))).products)


def test_time_is_the_sum_of_counts_times_rates():
    rates = Rates(*(2.0**-n for n in range(9)))
    assert seconds([Operations(*(2.0**n for n in range(9)))], rates) == 9
    assert seconds([ladder(), ladder()], rates) == 2 * seconds([ladder()], rates)
