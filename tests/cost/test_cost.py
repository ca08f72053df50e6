"""What a draft costs: arithmetic that refuses, and a time that is not far off."""

import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ldp_core import datasets
from ldp_core.attacks.posterior import GRID, PASSES, ROWS
from ldp_core.cost import estimate
from ldp_core.cost.estimate import cost, refuse_what_cannot_fit
from ldp_core.cost.seconds import Operations, Rates, seconds, work_of, work_of_ladder
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Draft, Variant, parse, plan
from ldp_core.experiment.attack_grid import RUNGS, parse_ladder
from ldp_core.leakage.grid import climb
from ldp_core.runs import lockstep
from ldp_core.runs.machine import calibration
from ldp_core.runs.machine.calibration import OLD_SECONDS, _timed, calibrate, is_measured, rates
from tests.data import events

MLP = {"model": {"name": "mlp", "hidden": 128}}


def draft(changes: dict[str, Any], runs: int = 1, seeds: int = 1) -> Draft:
    return Draft(parse(changes), tuple(Variant(str(i), {"seed": 100 * i}) for i in range(runs)), seeds)


def test_usual_drafts_fit():
    refuse_what_cannot_fit(draft({}, runs=12, seeds=20))
    refuse_what_cannot_fit(draft({"dataset": "mnist", "model": {"name": "mlp", "hidden": 4096}}))


def test_data_take_memory_as_well(monkeypatch: pytest.MonkeyPatch):
    digits, cifar = cost(draft({})), cost(draft({"dataset": "cifar10"}))
    assert cifar.memory - digits.memory > 60_000 * 3072 * 4
    kind = datasets.registry.kind("cifar10")
    monkeypatch.setattr(kind, "train_size", 190_000)
    wide = {"dataset": "cifar10", "clients": {"count": 1}}
    with pytest.raises(
        InvalidExperiment,
        match=r"dataset is too large: 200,000 samples × 3,072 numbers × 5 B = 3.07 GB, of 3.22 GB in all",
    ):
        refuse_what_cannot_fit(draft(wide | {"model": {"name": "mlp", "hidden": 4096}}))
    monkeypatch.setattr(kind, "train_size", 30_000)
    monkeypatch.setattr(estimate, "MEMORY", 1_250_000_000)
    with pytest.raises(
        InvalidExperiment, match=r"and for the data 40,000 samples × .* = 0.614 GB, make 1.27 GB"
    ):
        refuse_what_cannot_fit(
            draft(wide | {"clients": {"count": 20}, "model": {"name": "mlp", "hidden": 4096}})
        )


def test_draft_beyond_the_disk_is_refused_with_arithmetic():
    with pytest.raises(InvalidExperiment, match=r"2,400,000 rounds .* B = .* GB, limit 2.15 GB"):
        refuse_what_cannot_fit(draft({"rounds": 10_000}, runs=12, seeds=20))
    refuse_what_cannot_fit(draft({"rounds": 10_000, "attack": None}, runs=12))


@pytest.mark.parametrize(
    "changes",
    [
        {"rounds": 15},
        {"rounds": 15, "clients": {"count": 400, "epsilon": 1}, "attack": None},
        {"rounds": 1, "clients": {"count": 1400, "epsilon": "eps2"}, "attack": None, "target": "update"},
        {"rounds": 1, "clients": {"count": 1001, "epsilon": "two_volunteers"}, "attack": None},
    ],
)
def test_storage_estimate_bounds_the_events_written(changes: dict[str, Any]):
    """With the end and its ledger."""
    emitted = sum(len(json.dumps(event)) for event in events(changes))
    assert 0.6 * emitted < cost(draft(changes)).storage < 3 * emitted


def test_costs_add_up():
    rates = Rates(1e-9, 1e-10, 1e-8, 1e-3, 1e-3, 1e-7, 1e-8)
    one, six = cost(draft({})).seconds(rates), cost(draft({}, runs=2, seeds=3)).seconds(rates)
    assert six == pytest.approx(6 * one)
    assert cost(draft({"rounds": 30})).seconds(rates) == pytest.approx(2 * one)


def test_convolutions_are_counted_as_such():
    experiment = {"dataset": "mnist", "model": "cnn", "rounds": 25, "clients": {"count": 100, "epsilon": 1}}
    [work] = cost(draft(experiment | {"local": {"epochs": 5}})).work
    assert work.products == work.convolutions == 0
    assert work.chains == pytest.approx(25 * (60_000 * 5 + 10_000 / 3) * 480_500)
    [other] = cost(draft(experiment | {"model": "lenet"})).work
    assert other.convolutions > other.chains == 0
    slow = Rates(chains=2e-10)
    assert 600 < cost(draft(experiment | {"local": {"epochs": 5}})).seconds(slow) < 900
    refuse_what_cannot_fit(draft(experiment | {"local": {"batch_size": 600}}))


def test_batch_beyond_memory_is_refused_with_arithmetic():
    experiment = {"dataset": "mnist", "model": "resnet18", "clients": {"count": 2, "epsilon": 1}}
    with pytest.raises(InvalidExperiment, match=r"batch_size .* 60,000 images at a time .* in resnet18"):
        refuse_what_cannot_fit(draft(experiment | {"local": {"batch_size": 60_000}}))


@pytest.fixture
def of_one_core(monkeypatch: pytest.MonkeyPatch, runs_dir: Path) -> None:
    """The estimate and what it takes are both of the processor's time: others' work is in neither."""
    monkeypatch.setattr(time, "perf_counter", time.process_time)
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    assert rates() is None


@pytest.mark.alone
@pytest.mark.usefixtures("of_one_core")
def test_calibrated_time_is_within_a_factor_of_four():
    measured = calibrate()
    assert rates() == measured
    for asked in (
        {},
        {"images": 1},
        {"rounds_observed": 5},
        {"base": MLP},
        {"upload": "real"},
        {"round": 20},
    ):
        ladder = parse_ladder(asked | {"epsilons": [1.0, 8.0]})
        began = time.process_time()
        list(climb(ladder, lockstep.load("digits")))
        took, said = time.process_time() - began, seconds([work_of_ladder(ladder)], measured)
        assert took / 4 < said < 4 * took, asked
    plain, larger = {"attack": None}, {"model": {"name": "mlp", "hidden": 64}, "rounds": 10}
    for changes in (plain, plain | larger, {}, larger, {"attack": {"uploads": "both"}}):
        _timed(parse(changes | {"rounds": 1}))  # the first run of a network pays for its machine code
        said, took = cost(draft(changes)).seconds(measured), _timed(parse(changes))
        assert took / 3 < said < 3 * took, changes


def test_waiting_time_is_not_counted_as_computing(monkeypatch: pytest.MonkeyPatch):
    waiting = 0.2
    monkeypatch.setattr(calibration, "drive", lambda _: map(time.sleep, [waiting]))
    assert _timed(parse({})) < waiting / 2


@pytest.mark.parametrize("said", ["{", "[" * 10_000, "null", "NaN", "-1.0", '"1"', "1e9", "true", "[1]"])
def test_rates_that_were_not_measured_are_none(runs_dir: Path, said: str):
    runs_dir.mkdir()
    text = json.dumps(asdict(Rates(**dict.fromkeys(Rates.__dataclass_fields__, 0.001))))
    (runs_dir / "calibration.json").write_text(text)
    assert rates() is not None and is_measured()
    os.utime(runs_dir / "calibration.json", (0, time.time() - 2 * OLD_SECONDS))
    assert rates() is not None and not is_measured(), "what is old is measured anew"
    (runs_dir / "calibration.json").write_text(text.replace("0.001", said, 1) if said[0] != "{" else said)
    assert rates() is None


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
