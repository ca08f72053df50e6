"""`invert`: JSON lines on stdout, or one sentence on stderr."""

import json

import pytest

from tests.test_cli import ldp_core


def test_invert_answers_all_that_is_asked():
    done = ldp_core("invert", "-", "--noise", "0.1", "--epsilon", "2", "--run-budget", "500", stdin="{}")
    assert done.returncode == 0, done.stderr
    noise, epsilon, budget, clients = map(json.loads, done.stdout.splitlines())
    assert noise["asked"] == {"noise": 0.1} and noise["aggregate"] == pytest.approx(0.1)
    assert epsilon["epsilon"] == 2 and epsilon["covers"] == "per weight"
    assert budget["run"]["epsilon"] <= 500 and budget["run"]["delta"] == 1e-5
    assert clients["asked"] == {"noise": 0.1, "epsilon": 2} and clients["clients"] == 65


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("invert", "-"), "--noise or --epsilon or --run-budget is needed; got none"),
        (("invert", "-", "--run-budget", "much"), "--run-budget takes a number; got “much”"),
        (("invert", "-", "--epsilon", "0"), "clients.epsilon must be a number"),
    ],
)
def test_unanswerable_formula_exits_2_with_one_sentence(arguments: tuple[str, ...], words: str):
    done = ldp_core(*arguments, stdin="{}")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr
