"""A sweep's settings are compared as runs are: named by what they set, with ends, intervals and budgets."""

from pathlib import Path

from ldp_core import accounting
from ldp_core.runs import queue
from pages.parts.charts.pareto import ParetoPoint, pareto_figure
from pages.parts.charts.rounds import accuracy_figure, noise_figure
from pages.parts.compare.arms import arms
from pages.parts.compare.choice import how_many
from pages.parts.compare.side_by_side import _figures
from pages.parts.compare.verdict import verdict
from pages.parts.systems.unlike import unlike
from pages.parts.ui.text import at_most
from tests.pages.charts.test_base import check
from tests.runs.in_process import compute, queued, take

ASKED = {
    "base": {"rounds": 2, "attack": None, "mechanism": "duchi"},
    "grid": {"clients.epsilon": [1, 8], "aggregator.name": ["mean", "data_weighted"]},
    "seeds": 2,
}


def test_two_settings_of_a_sweep_are_held_against_each_other(runs_dir: Path):
    job = queued(ASKED, "sweep")
    identity = job.id
    waiting, _ = arms([(identity, 1), (identity, 3)])
    assert take(identity)
    assert verdict(waiting, [])[0].startswith("What made the difference is known when")
    compute(job)
    assert queue.move(identity, "completed")
    assert how_many(queue.get(identity)) == 4
    found, trouble = arms([(identity, 1), (identity, 3)])
    assert trouble == []
    answer, supports = verdict(found, unlike([arm.experiment for arm in found]))
    assert "made the difference" not in answer and "differ in budgets" in supports
    assert "fewer than three seeds" in supports
    worst = accounting.ledger(found[1].experiment)[0]["run_worst"]["epsilon"]
    assert _figures(found[1])[1].startswith(at_most(worst))
    shown = [arm.series for arm in found]
    picked = [ParetoPoint(one, 0.5 + n / 4, n / 2) for n, one in enumerate(shown)]
    figures = accuracy_figure(shown, 2, None), noise_figure(shown, 2, {}), pareto_figure(picked, picked=True)
    for figure in figures:
        check(figure)
