"""What stands beside what, unless the viewer chooses: what is without noise, as all is held against that."""

from pages.parts.watch.live import _first_shown


def test_noiseless_run_is_shown_first():
    assert _first_shown({0: False, 1: True, 2: True, 3: True}) == [0, 1, 2]
    assert _first_shown({0: True, 1: True, 2: True, 3: False}) == [0, 1, 3], "in the scenario's order"
    assert _first_shown(dict.fromkeys(range(9), True)) == [6, 7, 8]
