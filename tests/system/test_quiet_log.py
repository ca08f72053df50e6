"""What is said again and again is said seldom, what was left out is counted, and there is an end to it."""

import logging
import subprocess
import sys

from ldp_core.system.quiet_log import MOST, Quiet
from tests.conftest import ROOT


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
