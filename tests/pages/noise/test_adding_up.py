"""How a weight's budget becomes the run's: each step can be followed with a calculator."""

import math
import re
from typing import Any

import pytest

from ldp_core.experiment import parse
from pages.parts.noise.adding_up import added_up
from pages.parts.noise.promise_table import Promised
from pages.parts.ui.text import as_shown, at_most

SETTINGS = [{}, {"mechanism": "laplace"}, {"mechanism": "grr"}, {"clients": {"epsilon": 1}}, {"rounds": 3}]


def steps(experiment: dict[str, Any]) -> str:
    one = Promised.to(0, "this run", parse(experiment))
    return added_up(one.experiment, one.client, one.limit, one.entry).replace("\u202f", " ")


@pytest.mark.parametrize("experiment", SETTINGS, ids=str)
def test_exact_steps_equal_the_ledger(experiment: dict[str, Any]):
    run = Promised.to(0, "this run", parse(experiment)).entry.run_worst
    assert run.generic is not None
    words = steps(experiment)
    assert f" answers have: **ε {at_most(run.bound, 4)}**".replace("\u202f", " ") in words
    assert f"{at_most(run.generic, 4)} for any mechanism".replace("\u202f", " ") in words
    result = [line for line in words.splitlines() if " in all." in line]
    assert len(result) == 2
    for line, bound in zip(result, (run.generic, run.bound), strict=True):
        about = float(line.split(": some ")[1].split(" in all")[0].replace(" ", ""))
        assert math.isclose(about, bound, rel_tol=0.02)


N = r"(\d+(?:\.\d+)?)"
SUM = re.compile(rf"([\d.(√][\d.()√×−% ]*) = {N}")
LUCK = re.compile(rf"= {N}, with.* = {N}\.\n.* than {N} of .*, {N}: some {N}")


@pytest.mark.parametrize("mechanism", ["piecewise", "duchi", "laplace", "grr"])
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5, 0.75, 1.234, 2, 3.7, 8])
@pytest.mark.parametrize("rounds", [2, 15, 90])
def test_every_step_comes_out_on_a_calculator(mechanism: str, epsilon: float, rounds: int):
    """From the digits that are shown, to the last one of them."""
    asked = {"mechanism": mechanism, "clients": {"epsilon": epsilon}, "rounds": rounds}
    words = re.sub(r"(?<=\d) (?=\d{3}\b)", "", steps(asked)).replace(" %", "%")
    words = words.replace(" weights", "").replace("ε ", "")
    found = SUM.findall(words)
    assert found
    for sides, end in found:
        one = re.sub(r"([\d.]+)%", r"(\1/100)", sides).replace("×", "*").replace("−", "-")
        value = eval(re.sub(r"√([\d.]+)", r"math.sqrt(\1)", one).replace("√(", "math.sqrt("))
        assert round(value, len(end.partition(".")[2])) == float(end), f"{sides} = {end}"
    luck = LUCK.findall(words)
    assert luck or epsilon != 0.5 or rounds < 15, "there it is told"
    for one in luck:
        together, deviation, beyond, more, some = map(float, one)
        assert as_shown(beyond * deviation, 3) == more
        assert as_shown(together + more, 4) == some
