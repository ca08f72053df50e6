"""`invert` and `allocate`: JSON lines on stdout, or one sentence on stderr."""

import json

import pytest

from tests.test_cli import ldp_core


def test_invert_answers_all_that_is_asked():
    done = ldp_core("invert", "-", "--noise", "0.1", "--epsilon", "2", "--run-budget", "500", stdin="{}")
    assert done.returncode == 0, done.stderr
    noise, epsilon, budget, clients = map(json.loads, done.stdout.splitlines())
    assert noise["asked"] == {"noise": 0.1} and noise["aggregate"] == pytest.approx(0.1)
    assert epsilon["epsilon"] == 2 and epsilon["covers"] == "one weight of one upload"
    assert budget["run"]["epsilon"] <= 500 and budget["run"]["delta"] == 1e-5
    assert clients["asked"] == {"noise": 0.1, "epsilon": 2} and clients["clients"] == 65


def test_each_question_that_has_an_answer_is_answered():
    asked = "invert", "-", "--noise", "0.1", "--epsilon", "4"
    done = ldp_core(*asked, stdin='{"mechanism": "duchi"}')
    assert done.returncode == 0, done.stderr
    noise, epsilon, clients = map(json.loads, done.stdout.splitlines())
    assert "must lie between 0.2237" in noise["why"] and "of 20 clients" in noise["why"]
    assert epsilon["epsilon"] == 4
    assert clients["clients"] == 108


def test_allocate_tells_the_noise_and_each_client():
    done = ldp_core("allocate", "-", "--need", "0.5", "--set", "clients.count=3", stdin="{}")
    assert done.returncode == 0, done.stderr
    noise, *clients = map(json.loads, done.stdout.splitlines())
    assert noise["sigma"]["inverse_variance"] < noise["sigma"]["inverse_std"] < noise["sigma"]["mean"]
    assert [one["client"] for one in clients] == [1, 2, 3]
    assert sum(one["weight"] for one in clients) == pytest.approx(1)
    assert {one["high"] for one in clients} == {0.5}
    alone = ldp_core("allocate", "-", "--set", "clients.count=1", stdin="{}").stdout.splitlines()[1]
    assert json.loads(alone)["noise_without"] is None, "nothing is left, and JSON has no infinity"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("invert", "-"), "--noise or --epsilon or --run-budget is needed; got none"),
        (("invert", "-", "--run-budget", "much"), "--run-budget takes a number; got “much”"),
        (("invert", "-", "--epsilon", "0"), "clients.epsilon must be a number"),
        (("allocate", "-", "--need", "nan"), "how far weights reach must be a number above 0; got NaN"),
    ],
)
def test_what_has_no_answer_exits_with_2_and_one_sentence(arguments: tuple[str, ...], words: str):
    done = ldp_core(*arguments, stdin="{}")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr
