"""What stands beside what, unless the viewer chooses: what is without noise, as all is held against that."""

from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.series import Series
from pages.parts.train.ledger_panel import spent_words
from pages.parts.watch.live import _first_shown


def attacked(number: int, mechanism: str) -> Series:
    run = RunProgress(number, mechanism, 0, "{}")
    run.start = {"experiment": {"mechanism": {"name": mechanism}}}
    return Series(number, mechanism, (run,))


def test_noiseless_run_is_shown_first():
    assert _first_shown({0: False, 1: True, 2: True, 3: True}) == [0, 1, 2]
    assert _first_shown({0: True, 1: True, 2: True, 3: False}) == [0, 1, 3], "in the scenario's order"
    assert _first_shown(dict.fromkeys(range(9), True)) == [6, 7, 8]


def test_never_chosen_client_is_still_attacked():
    one = attacked(0, "duchi")
    run = one.runs[0]
    run.last = {
        "spent": {
            "0": {"uploads": 0, "epsilon": 0.0, "delta": 0.0, "left": None},
            "5": {"uploads": 2, "epsilon": 16.0, "delta": 1e-5, "left": None},
        },
        "stopped": 0,
    }
    run.targets = {0: {}}
    words = spent_words(one)
    assert words.startswith("at δ 10⁻⁵: client 1: no upload; client 6: 2 uploads, ε 16")
    assert words.endswith("the attacks are on what a client would upload if it were chosen")
    assert "ε 0" not in words


def test_spending_without_delta_states_delta_zero():
    """Duchi at ε 8 adds up to the plain sum, which needs no δ; a single stopped client is one client."""
    one = attacked(0, "duchi")
    one.runs[0].last = {
        "spent": {"0": {"uploads": 1, "epsilon": 5200.0, "delta": 0.0, "left": 0.0}},
        "stopped": 1,
    }
    words = spent_words(one)
    assert words.startswith("at δ 0: client 1: 1 upload, ε 5")
    assert words.endswith("1 client has reached its own limit and sends nothing more")
