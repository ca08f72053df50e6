"""Curves from elsewhere are drawn at the rounds that they have, in their own colours, named as not ours."""

import numpy as np

from ldp_core.runs.carry.outside import Outside
from ldp_core.runs.carry.rounds_of_others import read
from pages.parts.charts.rounds import accuracy_figure, noise_figure
from pages.parts.compare.elsewhere import MOST, curves, drawn
from tests.pages.charts.test_base import check, made

THEIRS = b"""label,seed,round,accuracy,noise_variance
<b>a</b>,1,10,0.4,0.5
<b>a</b>,2,10,0.6,0.7
<b>a</b>,1,20,0.8,0
b,0,5,,0.25
"""


def test_means_over_seeds_at_the_rounds_that_all_have():
    found = curves([Outside("0" * 12, "file", None, read(THEIRS))])
    assert [curve.label for curve in found] == ["<b>a</b>", "b"]
    (accuracy,) = drawn(found, "accuracy", taken=[2])
    assert (accuracy.rounds.tolist(), accuracy.values.tolist()) == ([10.0], [0.5])
    noise = drawn(found, "noise_variance", taken=[2])
    assert [one.values.tolist() for one in noise] == [[0.6], [0.25]]
    assert len({2, *(one.tint for one in noise)}) == 3
    assert len(drawn(found * 5, "noise_variance", [])) == MOST


def test_a_gap_is_drawn_as_one_and_the_curve_ends_at_its_last_number():
    result = b"round,accuracy,noise_variance,loss\n0,0.1,0.5,nan\n1,nan,nan,nan\n2,0.5,0.25,nan\n3,inf,,\n"
    found = curves([Outside("0" * 12, "file", None, read(result))])
    for name, figure in (
        ("accuracy", accuracy_figure([], 2, None, beside=drawn(found, "accuracy", []))),
        ("noise_variance", noise_figure([], 2, {}, drawn(found, "noise_variance", []))),
    ):
        check(figure)
        values = figure["data"][0]["y"]
        assert np.isnan(values).tolist() == (
            [False, True, False, True] if name == "accuracy" else [False, True, False]
        )
        end = "not ours 50" if name == "accuracy" else "not ours 0.25"
        assert any(end in note["text"] for note in figure["layout"]["annotations"]), name
    assert drawn(found, "loss", []) == []


def test_they_stand_beside_ours_and_say_whose_they_are():
    ours = [made(0, "A", {"rounds": 2, "attack": None})]
    found = curves([Outside("0" * 12, "file", None, read(THEIRS))])
    for name, figure in (
        ("accuracy", accuracy_figure(ours, 2, 0.1, beside=drawn(found, "accuracy", [2]))),
        ("noise_variance", noise_figure(ours, 2, {}, drawn(found, "noise_variance", [2]))),
    ):
        check(figure)
        result = [note["text"] for note in figure["layout"]["annotations"]]
        assert any("&lt;b&gt;a&lt;/b&gt;, not ours" in text for text in result), name
        assert figure["layout"]["xaxis"]["range"] == [0, 10]
        assert np.isfinite(figure["data"][0]["y"]).all()
