"""The room is the federation: drawings are trained, read by their own student alone, gone with the class."""

import base64
from pathlib import Path

import numpy as np
import pytest

from ldp_core.classroom import members, one_bit, own_digits, sessions
from ldp_core.classroom.store import CLASSES
from ldp_core.datasets import drawn, get
from ldp_core.errors import InvalidInput, NotNow
from ldp_core.experiment import plan
from ldp_core.images import decode
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.storage import inventory
from tests.classroom.test_sessions import TEACHER, asked
from tests.conftest import ROOT
from tests.runs.in_process import compute, found_in, take

WHO = {"owner": TEACHER.owner, "address": None}


def picture(seed: int) -> bytes:
    """Thick strokes, different for each seed."""
    image = np.zeros((drawn.SIDE, drawn.SIDE), dtype=np.uint8)
    image[4:24, 8 + seed : 12 + seed] = 250
    image[4 + 3 * seed : 8 + 3 * seed, 6:22] = 200 + seed
    return image.tobytes()


def text_of(pixels: bytes) -> str:
    return base64.b64encode(pixels).decode()


@pytest.fixture
def opened(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> sessions.Session:
    monkeypatch.setattr(lookup, "ensure_worker", lambda _: None)
    session = asked("own_digits")
    for i, name in enumerate(("Anna", "Ben", "Cem")):
        members.join(session, name.lower(), name)
        if name != "Cem":
            own_digits.send(session, name.lower(), i + 1, text_of(picture(i)), (0.5, 64.0)[i], 0.1)
    return session


def trained(session: sessions.Session) -> str:
    identity = own_digits.train(session, WHO)
    assert take(identity)
    outcome = compute(queue.get(identity))
    assert queue.move(identity, outcome.status, outcome.message)
    assert outcome.status == "completed"
    return identity


def test_each_drawing_belongs_to_its_own_client(opened: sessions.Session):
    asked = kinds.get("run").parse(queue.get(own_digits.train(opened, WHO)).request)
    stock = get("digits").load(ROOT)
    data = drawn.with_drawings(stock, asked.drawings)
    from ldp_core.federated.federation import assemble, choose_device

    for experiment in asked.draft.experiments():
        federation = assemble(plan(experiment), data, choose_device())
        assert [int(shard[0]) for shard in federation.shards[:2]] == [0, 1]
        assert all((shard[1:] >= 2).all() for shard in federation.shards)
        assert min(map(len, federation.shards)) >= 40
        assert sum(map(len, federation.shards)) == len(stock.train_y) + 2
        assert federation.train_y[:2].tolist() == [1, 2]
        assert federation.population.epsilon[:3].tolist() == [0.5, 64.0, own_digits.STOCK[0]]
    most = own_digits.draft_of([own_digits.OwnDigit(1, b"", 1.0, 0.1)] * own_digits.CLIENTS[1])
    assert len(stock.train_y) // most.base.clients.count >= 40, "as the page says of a full room"


def test_student_sees_the_reading_of_the_own_digit_only(opened: sessions.Session):
    job = jobs.look(trained(opened))
    reads = [own_digits.read_of(opened, job, who) for who in ("anna", "ben")]
    anna, ben = (one.audit for one in reads if one)
    assert own_digits.read_of(opened, job, "cem") is None, "who has not drawn has nothing to see"
    for i, audit in enumerate((anna, ben)):
        assert len(audit["candidates"]) == 10
        small = np.frombuffer(drawn.shrunk(picture(i)), dtype=np.uint8).reshape(8, 8)
        assert np.abs(decode(audit["candidates"][audit["own"]]) - small.astype(int)).max() <= 1
    assert ben["psnr"] > ben["psnr_mean_image"] + 3, "ε 64 for each weight hides no pixel"
    assert ben["own"] == ben["picked"]
    mean, weighed = own_digits.served(opened, job)
    assert (mean.label, weighed.label) == (own_digits.MEAN, own_digits.WEIGHED)
    assert [hit for group in mean.right for hit in group] == [one.right["mean"] for one in reads if one]
    assert [len(group) for group in mean.right] == [1, 1]
    assert mean.say == pytest.approx(19 / 20)
    assert weighed.say < 0.1, "one ε 64 among nineteen that ask for 2 or less"
    with pytest.raises(InvalidInput, match="never exported"):
        jobs.export(job.id)


def test_tiny_budget_identifies_by_chance():
    """At ε 1e-3 a pick is right in one of ten: 20 clients × 20 seeds, wrong about once in 10⁵ (binomial)."""
    from ldp_core.experiment import changed
    from ldp_core.leakage.own_images import audits

    base = own_digits.draft_of([own_digits.OwnDigit(1, b"", 1.0, 0.1)] * 20).base
    stock = get("digits").load(ROOT)
    own = [drawn.Drawing(1, np.round(x * 255).astype(np.uint8).tobytes()) for x in stock.test_x[:20]]
    data, right = drawn.with_drawings(stock, own), 0
    for seed in range(20):
        found = audits(changed(base, {"seed": seed, "clients.epsilon": 1e-3, "clients.range": 5.0}), data)
        right += sum(one["own"] == one["picked"] for one in found)
    assert 14 <= right <= 68


@pytest.mark.parametrize(
    ("digit", "pixels", "epsilon", "why"),
    [
        (3, text_of(b"\0" * 784), 1.0, "the square is empty"),
        (3, "A" * 4_000_000, 1.0, "no drawing of 28 × 28"),
        (3, "é" * 1048, 1.0, "no drawing of 28 × 28"),
        (10, text_of(picture(0)), 1.0, "which digit it is"),
        (3, text_of(picture(0)), 1e9, "none of those to choose"),
    ],
)
def test_invalid_drawing_is_refused(
    opened: sessions.Session, digit: int, pixels: str, epsilon: float, why: str
):
    with pytest.raises(InvalidInput, match=why):
        own_digits.send(opened, "cem", digit, pixels, epsilon, 0.1)
    assert [*own_digits.all_sent(opened)] == ["anna", "ben"]


def test_drawings_are_taken_of_members_while_the_teacher_asks(
    opened: sessions.Session, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(NotNow, match="join the class first"):
        own_digits.send(opened, "dora", 3, text_of(picture(0)), 1.0, 0.1)
    assert [one.guessed for one in members.members(opened)] == [True, True, False]
    monkeypatch.setattr(own_digits, "CLIENTS", (20, 2))
    with pytest.raises(NotNow, match="2 have drawn"):
        own_digits.send(opened, "cem", 3, text_of(picture(0)), 1.0, 0.1)
    own_digits.send(opened, "ben", 7, text_of(picture(3)), 2.0, 0.5)
    assert own_digits.all_sent(opened)["ben"] == own_digits.OwnDigit(7, picture(3), 2.0, 0.5)
    members.leave(opened, "anna")
    assert [*own_digits.all_sent(opened)] == ["ben"]
    assert [one.name for one in members.members(opened)] == ["Ben", "Cem"]
    sessions.move(opened, TEACHER, "closed")
    with pytest.raises(NotNow, match="trains on this drawing"):
        members.leave(opened, "ben")
    with pytest.raises(NotNow, match="came too late"):
        own_digits.send(opened, "ben", 7, text_of(picture(0)), 1.0, 0.1)


@pytest.mark.parametrize("state", ["drawn", "waiting", "trained", "pinned"])
def test_no_drawing_is_found_on_the_disk_after_the_end(opened: sessions.Session, runs_dir: Path, state: str):
    small = [drawn.shrunk(picture(i)) for i in range(2)]
    traces = [form for one in small for form in (text_of(one).encode(), one[8:40])]
    traces += [picture(i)[8 * 28 : 20 * 28] for i in range(2)]
    if state == "waiting":
        own_digits.train(opened, WHO)
    if state in ("trained", "pinned"):
        job = jobs.look(trained(opened))
        ben = own_digits.read_of(opened, job, "ben")
        assert ben
        traces.append(ben.audit["image"]["pixels"].encode())
        assert found_in(runs_dir, traces[-1])
    if state == "pinned":
        jobs.pin(job.id)
    assert found_in(runs_dir, traces[-1])
    sessions.end(opened, TEACHER)
    for trace in traces:
        assert not found_in(runs_dir, trace)
    assert not [*(runs_dir / "computed").glob("*/*")]
    assert not jobs.recent(owner=TEACHER.owner)


@pytest.fixture
def coin_class(runs_dir: Path) -> sessions.Session:
    session = sessions.open_class(TEACHER, "one_bit")
    for name in ("anna", "ben", "cleo"):
        members.join(session, name, name)
    sessions.move(session, TEACHER, "ask")
    return sessions.find(session.code)


def now(session: sessions.Session) -> sessions.Session:
    return sessions.find(session.code)


def test_second_bit_under_one_budget_is_refused(coin_class: sessions.Session):
    one_bit.send(coin_class, "anna", 1, "1.1")
    with pytest.raises(NotNow, match="second toss"):
        one_bit.send(coin_class, "anna", 0, "1.1")
    one_bit.send(coin_class, "ben", 0, "1.1")
    assert one_bit.counts(coin_class) == {"1.1": (1, 2)}
    assert [one.guessed for one in members.members(coin_class)] == [True, True, False]


@pytest.mark.parametrize("bit", [True, 2, -1, "1", None, 0.0, {"at": 1}])
def test_only_a_bit_is_taken(coin_class: sessions.Session, bit: object):
    with pytest.raises(InvalidInput):
        one_bit.send(coin_class, "anna", bit, "1.1")
    assert not one_bit.counts(coin_class)


def test_bit_for_another_budget_or_by_a_stranger_is_refused(coin_class: sessions.Session):
    for who, name in (("anna", "11"), ("anna", None), ("dora", "1.1")):
        with pytest.raises(NotNow):
            one_bit.send(coin_class, who, 1, name)
    one_bit.go_on(coin_class, TEACHER)
    with pytest.raises(NotNow, match="too late"):
        one_bit.send(coin_class, "anna", 1, "1.1")


def test_same_question_is_asked_again_with_ten_times_the_budget(coin_class: sessions.Session):
    one_bit.send(coin_class, "anna", 1, "1.1")
    one_bit.go_on(coin_class, TEACHER)
    assert now(coin_class).phase == "shown"
    one_bit.go_on(now(coin_class), TEACHER)
    again = now(coin_class)
    assert (again.phase, again.free) == ("ask", "11")
    assert not any(one.guessed for one in members.members(again))
    one_bit.send(again, "anna", 1, "11")
    assert one_bit.counts(again) == {"1.1": (1, 1), "11": (1, 1)}
    assert one_bit.sent_by(again, "anna") == {"1.1": 1, "11": 1}
    one_bit.go_on(again, TEACHER)
    one_bit.go_on(now(coin_class), TEACHER)
    assert now(coin_class).phase == "shown", "there is no larger one"


def test_leaving_and_joining_again_gives_no_second_toss(coin_class: sessions.Session):
    one_bit.send(coin_class, "anna", 1, "1.1")
    members.leave(coin_class, "anna")
    assert not one_bit.counts(coin_class) and not one_bit.sent_by(coin_class, "anna")
    members.join(coin_class, "anna", "anna")
    with pytest.raises(NotNow, match="second toss"):
        one_bit.send(coin_class, "anna", 0, "1.1")
    assert not one_bit.counts(coin_class)


def test_bits_go_with_their_member_and_their_class(coin_class: sessions.Session):
    for who in ("anna", "ben"):
        one_bit.send(coin_class, who, 1, "1.1")
    entries = [one.id for one in inventory.standing("member")]
    assert len(entries) == 3 and f"{coin_class.code} anna" in entries
    members.leave(coin_class, "anna")
    assert one_bit.counts(coin_class) == {"1.1": (1, 1)}
    sessions.end(coin_class, TEACHER)
    assert CLASSES.rows("SELECT * FROM bit") == [] and inventory.standing("member") == []
