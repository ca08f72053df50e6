"""The share of a round that is done: told of long rounds, silent about short ones."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ldp_core.experiment import parse
from ldp_core.runs.record import round_share
from ldp_core.runs.record.round_share import Within
from ldp_core.simulate import simulate
from tests.data import digits


def test_long_rounds_are_told_of_and_short_ones_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    told = Within(tmp_path)
    told(0, 0.1)
    told(0, 0.9)
    assert round_share.read(tmp_path) == 0, "nothing before half a second has gone"
    now = 101.0
    told(0, 0.95)
    assert round_share.read(tmp_path) == 0.95
    told(0, 1.0)
    assert round_share.read(tmp_path) == 0, "the round is done"
    now = 102.0
    told(0, 0.2)
    assert round_share.read(tmp_path) == 0, "a new round begins"
    now = 103.0
    told(0, 0.4)
    assert round_share.read(tmp_path) == 0.4
    assert Within(tmp_path)
    assert round_share.read(tmp_path) == 0, "what an earlier attempt has left is gone"


@pytest.mark.parametrize("text", ["", "{", '"x"', "7", "NaN", "-1"])
def test_a_damaged_file_says_nothing(tmp_path: Path, text: str):
    (tmp_path / round_share.FILE).write_text(text)
    assert round_share.read(tmp_path) == 0


def test_every_round_is_told_of_from_beginning_to_end():
    shares: list[float] = []
    for _ in simulate(parse({"rounds": 2, "attack": None}), digits(), tick=shares.append):
        pass
    ends = [i for i, share in enumerate(shares) if share == 1.0]
    assert len(ends) == 2
    first, second = shares[: ends[0] + 1], shares[ends[0] + 1 :]
    assert first == sorted(first)
    assert second == first
    assert first[0] < 0.2
