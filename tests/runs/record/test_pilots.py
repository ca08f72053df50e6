"""Verdicts that are asked of the worker: one request a person, shared by their key, counted by address."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ldp_core.datasets import Card
from ldp_core.errors import NotYours
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.runs import own_data, pilots
from ldp_core.runs.machine.slots import slots
from ldp_core.runs.process import piloting
from ldp_core.runs.process.start import ensure_worker
from ldp_core.runs.storage import inventory
from tests.runs.processes import PATIENCE_SECONDS

pytestmark = pytest.mark.usefixtures("runs_dir")


def one(**changes: Any) -> Experiment:
    return parse({"clients": {"epsilon": 8}, "rounds": 2} | changes)


def entries() -> list[tuple[str, str]]:
    rows = inventory.INVENTORY.rows("SELECT owner, address FROM entry WHERE kind = 'pilot' AND NOT gone")
    return [(row["owner"], row["address"]) for row in rows]


def test_newest_request_of_a_person_replaces_the_waiting_one():
    assert pilots.ask([one()], "ada", "here") and pilots.ask([one(rounds=3)], "ada", "here")
    assert not pilots.ask([one(rounds=3)], "ada", "here"), "nothing is written again"
    pilots.ask([one()], "ben", "there")
    assert [(asked.owner, asked.experiments[0].rounds) for asked in pilots.waiting()] == [
        ("ada", 3),
        ("ben", 2),
    ]
    assert sorted(entries()) == [("ada", "here"), ("ben", "there")]
    for asked in pilots.waiting():
        pilots.done(asked)
    assert not pilots.waiting() and not entries()


def test_end_of_a_replaced_request_leaves_the_newest():
    pilots.ask([one()], "ada")
    (old,) = pilots.waiting()
    pilots.ask([one(rounds=3)], "ada")
    pilots.done(old)
    assert [asked.experiments[0].rounds for asked in pilots.waiting()] == [3]


def test_verdict_is_shared_by_key_whatever_is_attacked():
    assert pilots.known([one()]) == [pilots.TESTING]
    pilots.ask([one()], "ada")
    pilots.try_out(pilots.waiting()[0])
    (view,) = pilots.known([one(name="mine", attack=None)])
    assert view.word != "unknown" and view.low is not None
    assert pilots.known([one(seed=1)]) == [pilots.TESTING]


def test_noise_alone_answers_without_a_request():
    (view,) = pilots.known([one(clients={"epsilon": 0.02}, mechanism="laplace")])
    assert view.word == "chance"


def test_crashed_trial_is_not_begun_again():
    pilots.ask([one()], "ada")
    pilots.give_up(pilots.waiting()[0])
    assert pilots.known([one()]) == [pilots.FAILED]


def test_request_for_data_of_another_visitor_is_refused():
    own = one().as_json() | {"dataset": f"table:{'0' * 16}.{'1' * 8}"}

    class Named(Experiment):
        def as_json(self) -> dict[str, Any]:
            return own

    with pytest.raises(NotYours):
        pilots.ask([Named.model_construct()], "ada")


def test_trial_gives_way_where_no_slot_is_free(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(piloting, "_try_out", lambda *_: time.sleep(60))
    working = piloting.Piloting()
    assert not working.step(slots()), "nothing is asked"
    pilots.ask([one()], "ada")
    try:
        assert working.step(slots()) and working.step(slots())
        assert not working.step([]), "a job has taken the slot"
        assert pilots.waiting(), "it is begun again later"
        assert working.step(slots())
        pilots.ask([one(rounds=3)], "ada")
        assert working.step(slots()), "the newest request in place of the old"
    finally:
        working.stop()


def test_worker_answers_and_forgets_the_request(warm: Path):
    asked = [one(seed=4321), one(seed=4322)]
    pilots.ask(asked, "ada", "here")
    ensure_worker()
    until = time.monotonic() + PATIENCE_SECONDS
    while pilots.waiting() and time.monotonic() < until:
        time.sleep(0.05)
    assert all(view.low is not None for view in pilots.known(asked))
    assert not entries()
    assert not json.dumps([view.as_json() for view in pilots.known(asked)]).count("NaN")


def test_verdicts_on_own_data_are_of_their_room():
    own = own_data.take({"mine.csv": b"a,b\n" + b"0.5,yes\n1.5,no\n" * 30}, "ada").name
    own_data.describe(own, "ada", Card(target="b", client=""))
    rooms = {pilots.key_of(plan(parse({"dataset": name}))) for name in (own, "digits")}
    assert len(rooms) == 2
    assert pilots.known([parse({"dataset": own})])
