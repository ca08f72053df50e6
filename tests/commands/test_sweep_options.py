"""The table that ends a sweep on a terminal."""

from ldp_core.commands.sweep_options import table


def test_table_of_a_sweep_ends_with_the_highest_mean():
    ends: dict[int, list[float | None]] = {1: [0.9, 0.1], 2: [0.6, 0.7], 3: [0.2, None]}
    cells = [
        {"set": {"rounds": rounds}, "accuracy": one, "status": "diverged" if one is None else "completed"}
        for rounds, each in ends.items()
        for one in each
    ]
    lines = table(cells)
    assert [line.rpartition("=")[2] for line in lines] == ["3", "1", "2"]
    assert "65.0%" in lines[-1] and "60.0% to 70.0%" in lines[-1]
    assert "not completed" in table([{**cells[-1]}])[0]
