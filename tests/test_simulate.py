"""Whole runs: what their events say, and the same experiment is the same run."""

import json
import os
from pathlib import Path

import pytest

from ldp_core.accounting import ledger
from ldp_core.attacks.findings.verdict import VISIBLE_DB
from ldp_core.experiment import parse
from ldp_core.images import decode
from tests.conftest import ROOT
from tests.data import events, rounds
from tests.warm import Interpreter

ROUND_KEYS = {
    "event", "round", "accuracy", "accuracy_per_class", "loss", "noise_variance", "noise_variance_theory",
    "clipped_fraction", "participants",
}  # fmt: skip
ATTACK_KEYS = {
    "event", "round", "client", "upload", "control", "attacker", "psnr", "psnr_mean_image", "ncc",
    "identification_rank", "candidates",
}  # fmt: skip


def test_run_without_noise_learns():
    assert rounds({"mechanism": "none", "attack": None})[-1]["accuracy"] >= 0.90


def test_events_are_ordered_and_complete():
    all_events = events({"rounds": 3})
    assert (all_events[0]["event"], all_events[0]["round"]) == ("start", 0)
    done = [e for e in all_events if e["event"] == "round"]
    assert [e["round"] for e in done] == [1, 2, 3]
    assert all(set(e) >= ROUND_KEYS for e in done)
    attacks = [e for e in all_events if e["event"] == "attack"]
    assert len(attacks) == 3 * 3 * 3
    assert all(set(e) >= ATTACK_KEYS for e in attacks)
    assert {e["control"] for e in attacks} == {None, "clean", "clipped"}
    assert len({e["client"] for e in attacks}) == 3
    assert json.loads(json.dumps(all_events, allow_nan=False)) == json.loads(json.dumps(all_events))
    end = all_events[-1]
    assert (end["event"], end["status"], len(end["weights_sha256"])) == ("end", "completed", 64)
    assert end["ledger"] == ledger(parse({"rounds": 3}))


def test_clean_control_succeeds_and_noise_hides():
    attacks = [e for e in events({"rounds": 1}) if e["event"] == "attack"]
    by = {(e["client"], e["control"]): e for e in attacks}
    for client in (1, 10, 20):
        assert by[client, "clean"]["psnr"] > 60
        assert by[client, "clean"]["ncc"] > 0.999
    strict = by[1, None]  # the default attacker falls back on what images look like, so no lower
    assert strict["psnr"] < min(strict["psnr_mean_image"] + VISIBLE_DB, strict["psnr_class_mean"])
    assert by[20, None]["psnr"] > by[20, None]["psnr_mean_image"] + 3


def test_targets_show_the_image_that_is_attacked():
    all_events = events({"rounds": 1, "mechanism": "none"})
    targets = {e["client"]: e for e in all_events if e["event"] == "target"}
    for attack in (e for e in all_events if e["event"] == "attack" and e["control"] == "clean"):
        difference = decode(attack["image"]).astype(int) - decode(targets[attack["client"]]["image"])
        assert abs(difference).max() <= 1


def test_accuracy_is_that_of_its_parts():
    last = rounds({"attack": None, "aggregator": "inverse_variance"})[-1]
    assert len(last["accuracy_per_class"]) == 10
    assert min(last["accuracy_per_class"]) <= last["accuracy"] <= max(last["accuracy_per_class"])
    assert set(last["accuracy_per_group"]) == {"strict", "permissive"}
    assert sum(last["client_weights"].values()) == pytest.approx(1)
    assert last["client_weights"]["permissive"] > 0.9


def test_a_group_that_holds_few_classes_sees_their_accuracy():
    partition = {"kind": "group_labels", "groups": [{"share": 0.9}, {"share": 0.1, "labels": [3]}]}
    last = rounds({"attack": None, "mechanism": "none", "partition": partition})[-1]
    assert last["accuracy_per_group"]["permissive"] == pytest.approx(last["accuracy_per_class"][3])


def test_a_diverging_run_keeps_its_curve_and_says_when_and_why():
    start, *_, end = events({"local": {"learning_rate": 1e6}})
    assert (start["event"], end["status"]) == ("start", "diverged")
    assert end["message"].startswith("diverged at round 1: ") and "learning rate" in end["message"]


def test_the_same_experiment_is_bit_equal_in_a_fresh_process(interpreter: Interpreter, tmp_path: Path):
    """And in this one, which has trained others before."""
    words = ["ldp_core", "run", "-", "--set", "seed=11", "aggregator.name=inverse_variance"]
    done = interpreter.run(words, ROOT, os.environ, tmp_path, "{}")
    assert done.returncode == 0, done.stderr
    there = [json.loads(line) for line in done.stdout.splitlines()]
    here = json.loads(json.dumps(events({"seed": 11, "aggregator": "inverse_variance"})))
    assert [one | {"seconds": 0} for one in there] == [one | {"seconds": 0} for one in here]
    other = events({"seed": 12, "aggregator": "inverse_variance"})
    assert other[-1]["weights_sha256"] != here[-1]["weights_sha256"]


def test_last_round_is_scored_without_noise_too():
    """Of a first round they are what a run without a mechanism sends: the same bits, so the same accuracy."""
    one = {"rounds": 1, "attack": None, "seed": 7}
    noisy = events({**one, "mechanism": "piecewise", "clients": {"epsilon": 0.5}})[-1]
    plain = events({**one, "mechanism": "none", "clients": {"epsilon": 0.5}})[-1]
    assert noisy["accuracy_unnoised"] == pytest.approx(plain["accuracy"], abs=0.01)
    assert noisy["accuracy"] < plain["accuracy"] - 0.1
    assert plain["accuracy_unnoised"] is None, "there is nothing to take away"
