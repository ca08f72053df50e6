"""`audit`: a verdict on a claim, from a file of samples."""

import json
from pathlib import Path

import numpy as np
import pytest

from ldp_core.cli import main
from tests.test_cli import ldp_core


def _csv(sigma: float, trials: int) -> str:
    x = np.repeat([-1.0, 1.0], trials)
    y = x + np.random.default_rng(4).normal(0, sigma, len(x))
    return "input;output\n" + "".join(f"{a:g};{b:.4f}\n" for a, b in zip(x, y, strict=True)).replace(".", ",")


@pytest.mark.parametrize(("sigma", "code"), [(1.0, 1), (40.0, 0)])
def test_a_claim_is_refuted_or_not(sigma: float, code: int, tmp_path: Path):
    (tmp_path / "s.csv").write_text(_csv(sigma, 1000))
    done = ldp_core("audit", str(tmp_path / "s.csv"), "--claimed", "1")
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith("claimed 1, ") and "(95 %)" in done.stdout.splitlines()[0]
    assert done.stdout.splitlines()[0].endswith(": refuted") == bool(code)


def test_a_fault_of_the_program_is_no_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def fail(*_: object) -> None:
        raise MemoryError("201 GiB")

    (tmp_path / "s.csv").write_text(_csv(1.0, 50))
    monkeypatch.setattr("ldp_core.accounting.samples.read_samples", fail)
    assert main(["audit", str(tmp_path / "s.csv"), "--claimed", "1"]) == 3


@pytest.mark.parametrize(
    ("text", "claimed", "words"),
    [
        (_csv(1.0, 6), "1", "cannot tell yet: 6 rows a world; 24 would do"),
        ("input,output\n1,2\n1,3\n", "1", "the input is 1 in every trial"),
        ("input,output\n1,2\n", "much", "--claimed takes a number; got “much”"),
        ("a,b\n1,2\n", "1", "has no column input or output"),
        ("input,output,epsilon\n-1,2,4\n1,3,4\n", "1", "column epsilon says “4”"),
    ],
)
def test_invalid_audit_exits_2_with_one_sentence(text: str, claimed: str, words: str, tmp_path: Path):
    (tmp_path / "s.csv").write_text(text)
    done = ldp_core("audit", str(tmp_path / "s.csv"), "--claimed", claimed)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr.splitlines()[-1]


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
