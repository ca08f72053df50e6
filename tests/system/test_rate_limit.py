"""Some at once, then one every so often, for each name; however many names there are."""

import logging
import subprocess
import sys

from ldp_core.system import rate_limit
from ldp_core.system.quiet_log import MOST, Quiet
from ldp_core.system.rate_limit import RateLimit
from tests.conftest import ROOT


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


def record(message: str, *details: object, line: int = 1, level: int = logging.WARNING) -> logging.LogRecord:
    return logging.LogRecord("a", level, "a.py", line, message, details, None)


def test_repeated_log_lines_are_counted_and_dropped():
    quiet = Quiet(3, (100, 1.0))
    said = [record("the fragment %s is gone", number) for number in range(50)]
    assert sum(quiet.lets_pass(one, 0.0) for one in said) == 3
    other = record("something else", line=2)
    assert quiet.lets_pass(other, 0.0)
    assert other.getMessage() == "something else"
    later = record("the fragment %s is gone", 51)
    assert quiet.lets_pass(later, 61.0)
    assert later.getMessage() == "the fragment 51 is gone (47 like this were left out)"
    fine = [record("a job begins", level=logging.INFO) for _ in range(9)]
    assert all(quiet.lets_pass(one, 61.0) for one in fine), "what goes right is logged each time"


def test_where_once_is_enough_each_message_is_written_once():
    jobs = [record("job %s: no process", job) for job in ("one", "other", "one")]
    assert [*map(Quiet(1).lets_pass, jobs)] == [True, True, False]


def test_many_different_things_have_an_end_too():
    quiet = Quiet(3, (30, 10.0))
    assert sum(quiet.lets_pass(record(f"number {number}"), 0.0) for number in range(5000)) == 30
    assert not quiet.lets_pass(record("again"), 9.0)
    assert quiet.lets_pass(record("again"), 11.0)


def test_a_long_message_is_cut():
    long = record("a request for %s", "x" * 10**6)
    assert Quiet().lets_pass(long)
    assert len(long.getMessage()) == MOST + 1


LOUD = """
import logging, threading
from ldp_core.system.quiet_log import be_quiet
logging.basicConfig(level=logging.INFO)
be_quiet(), be_quiet()
def shout():
    for number in range(2000):
        try:
            raise OSError(24, "Too many open files")
        except OSError:
            logging.getLogger("asyncio").exception("socket.accept() out of system resource")
crowd = [threading.Thread(target=shout) for _ in range(4)]
[one.start() for one in crowd], [one.join() for one in crowd]
"""


def test_flooded_log_writes_few_lines():
    done = subprocess.run([sys.executable, "-c", LOUD], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.count("Too many open files") == 20
    assert len(done.stderr) < 10_000
