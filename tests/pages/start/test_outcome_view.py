"""What Start draws of stored results is what is stored, and an old outcome says so."""

from dataclasses import replace
from pathlib import Path

import pytest

from ldp_core import presets
from ldp_core.accounting import worth
from ldp_core.experiment import changed
from ldp_core.runs import Training, kinds, outcomes, train_all
from ldp_core.runs.record.computations import note_ends
from ldp_core.runs.stored_promises import bought_by, promises_bought
from ldp_core.tuning.said import promised
from pages.parts.learn.lesson import Guessed
from pages.parts.start.hero import data
from pages.parts.start.outcome_view import made, picture
from pages.parts.ui.text import number, percent
from tests.pages.conftest import Opened

SHIPPED = [name for name in presets.names() if (outcomes.SHIPPED / f"{name}.json").exists()]


@pytest.mark.parametrize("name", SHIPPED)
def test_stored_outcome_is_drawn_unchanged(name: str):
    found, draft = outcomes.stored(name), presets.get(name).draft
    assert found is not None
    assert len(found.curves) == len(draft.variants), "made of the scenario as it is now"
    assert found.rounds == max(map(len, found.curves)) - 1, "of its runs, which may have their own"
    asked = presets.get(name).ask.of
    shown = picture(draft, found, 150, asked)
    ends = {percent(curve[-1]) for curve in found.curves}
    assert {line["end"].split(" ± ")[0] for line in shown["lines"]} <= ends | {"diverged"}
    interval = found.seeds > 1 and (" over " not in shown["axis"])
    assert all(("±" in line["end"]) == interval for line in shown["lines"])
    assert all(0 <= y <= 1 for line in shown["lines"] for _, y in line["points"])
    assert len(shown["images"]) <= 4

    seen = {one["name"] for one in shown["images"]}
    pictured = {v.label for v, one in zip(draft.variants, found.pictures, strict=False) if one}
    assert len(seen & set(asked)) == min(len(pictured & set(asked)), 3), "what is asked about is seen"
    assert not seen or shown["images"][0]["caption"] in ("its image", "one of its 20"), (
        "beside the image itself"
    )


def test_guess_leaves_its_answer_hidden():
    mine = Guessed({"two_volunteers": 60, "half_and_half": "no"}, frozenset({"who_is_silenced"}))
    opened = [mine.is_open(name) for name in ("two_volunteers", "who_is_silenced", "twenty_images")]
    assert opened == [True, False, True], "a guess may be changed until its answer is asked for"


def test_scenarios_of_papers_are_not_on_start(opened: Opened):
    keys = [str(one.key) for one in opened("start").button]
    named = {one.removeprefix("open the scenario ") for one in keys if one.startswith("open the scenario ")}
    assert named == set(presets.names()) - set(presets.of_papers())


def test_runs_of_one_round_are_drawn_as_dots():
    found, draft = outcomes.stored("sixty_thousand"), presets.get("sixty_thousand").draft
    assert found is not None
    shown = picture(draft, found, 150)
    assert shown["dots"] and all(line["half"] > 0 for line in shown["lines"])
    assert found.control is not None and found.control in [guide["y"] for guide in shown["guides"]]
    clean = "last run, no noise (1 seed), but class shares unknown 9"
    assert [len(one["short"]) < 25 for one in shown["guides"] if "short" in one] == [True]
    assert clean in str(shown["guides"]), "all others train on something else, and noise seems to help"


def test_a_figure_of_another_version_is_marked_as_such(runs_dir: Path):
    found = outcomes.stored("two_volunteers")
    assert found is not None
    draft = presets.get("two_volunteers").draft
    assert "earlier version" in (words := made(draft, replace(found, version="0ld")))
    assert "trained here" not in words
    keys = [one.key for one in kinds.get("run").computations(Training(draft, reference=True), "")]
    note_ends((key, "figures", "completed", {}) for key in keys)
    assert "trained here as well" in made(draft, replace(found, key="a run of it is stored"))
    assert not replace(found, key="another").current


def test_each_promise_has_picture_accuracy_and_worth_of_one_experiment():
    stored, drawn = promises_bought(), data()
    assert stored is not None and drawn is not None
    by_trust = [[step["figures"] for step in trust["steps"]] for trust in drawn["trusts"]]
    for row, steps in zip(stored.bought.values(), by_trust, strict=True):
        assert [one[0]["words"] for one in steps] == [percent(one.accuracy) for one in row.values()]
        assert {one[1]["words"] for one in steps} >= {"promises much", "promises little", "promises nothing"}
    first = drawn["trusts"][drawn["trust"]]["steps"]
    assert len({str(step["image"]) for step in first}) == len(first)
    local, total = stored.bought["local"], stored.bought["secure_sum"]
    assert local[2.0].accuracy < 0.5 < 0.75 < total[2.0].accuracy
    assert total[1.0].told and local[8.0].told and total[1.0].told < 0.6 < 0.8 < local[8.0].told


def test_each_promise_says_its_delta_and_its_odds_in_full():
    stored, drawn = promises_bought(), data()
    assert stored is not None and drawn is not None
    for row, trust in zip(stored.bought.values(), drawn["trusts"], strict=True):
        for bought, step in zip(row.values(), trust["steps"], strict=True):
            assert step["name"].endswith(f"δ {number(bought.promise.delta)}")
            found, said = worth(bought.promise).right, step["figures"][2]
            if found is not None:
                right, tries = (number(count, 6) for count in found)
                full = tries == "100" or f"{right} of {tries}" in said["words"] + said["rest"]
                assert right in said["words"] + said["rest"] and full


def test_stored_promise_equals_its_runs():
    stored = promises_bought()
    assert stored is not None and stored.current, "python -m ldp_core presets --outcomes"
    known, experiment = stored.bought["secure_sum"][2.0], bought_by("secure_sum", 2.0)
    assert promised(experiment) == known.promise
    runs = [one.seeded(seed) for one in [changed(experiment, {"attack": None})] for seed in range(5)]
    ends = [figures.accuracy for _, figures in train_all.train_all(runs)]
    assert sum(one or 0.0 for one in ends) / len(ends) == pytest.approx(known.accuracy, abs=0.01)
