"""What a viewer may want to know of the runs on the page is told from their records."""

from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.series import Series
from pages.parts.train.help import engines
from pages.parts.ui.text import plain

KERNEL = "2 clients at a time, a thread and a core each, fused kernel"
BATCHED = "all clients at once on one core; no fused kernel: Adam is trained without"


def trained(number: int, *engines: str | None) -> Series:
    runs = []
    for seed, engine in enumerate(engines):
        run = RunProgress(number, f"run {number}", seed, "{}")
        run.start = {} if engine is None else {"engine": engine}
        runs.append(run)
    return Series(number, f"run {number}", tuple(runs))


def test_engine_is_stated_once_or_per_run():
    said = f"**How it is computed**: {KERNEL}."
    assert list(engines([trained(0, KERNEL, KERNEL), trained(1, KERNEL)])) == [said]
    _, second = engines([trained(0, KERNEL), trained(1, BATCHED), trained(2, KERNEL)])
    assert second == f"**How it is computed** (run 1): {plain(BATCHED)}."
    assert list(engines([trained(0, None)])) == [], "of a run that has not begun nothing is stated"
