"""Some at once, then one every so often, for each name; however many names there are."""

from ldp_core.system import rate_limit
from ldp_core.system.rate_limit import RateLimit


def test_some_at_once_and_then_one_every_so_often():
    slow = RateLimit(3, 10.0)
    assert [slow.take("a", 100.0) for _ in range(5)] == [True, True, True, False, False]
    assert slow.wait("a", 100.0) == 10.0
    assert slow.take("b", 100.0), "each name has its own"
    assert not slow.take("a", 109.9)
    assert slow.take("a", 110.0)
    assert not slow.take("a", 110.0)
    assert [slow.take("a", 1000.0) for _ in range(4)] == [True, True, True, False], (
        "what is unused adds up to three"
    )


def test_looking_at_a_rate_limit_uses_no_token():
    slow = RateLimit(1, 10.0)
    assert [slow.wait("a", 5.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert slow.take("a", 5.0)


def test_a_stranger_of_many_names_takes_no_more_memory(monkeypatch):
    monkeypatch.setattr(rate_limit, "MOST_NAMES", 10)
    slow = RateLimit(1, 1000.0)
    for number in range(100):
        assert slow.take(str(number), float(number))
    assert len(slow._empty_until) <= 10
    assert not slow.take("99", 99.0), "the newest are remembered"
