"""Sentences on what is picked out of a sum or a heap name chance, interval, control and cap."""

import ldp_core
from pages.parts.systems.picked import picked

ASKED = {"target": "update", "rounds": 1, "attack": {"clients": [2]}}


def test_a_heap_is_asked_who_and_what_and_a_sum_with_help_and_without():
    clients = {"epsilon": 600.0, "epsilon_scope": "run", "range": 0.1, "count": 6}
    ends = {}
    for trust in ("shuffled", "secure_sum", "local"):
        ends[trust] = ldp_core.run({**ASKED, "clients": clients, "trust": trust}).events[-1]
    what, who = picked(ends["shuffled"], 1)
    assert "heap with 6 in it" in who and "which message is client 2's" in who
    assert "Guessing: 17" in who and "without noise: 100" in who and "no attacker can" in who
    assert "which of 10 images" in what and "Guessing: 10" in what and " to " in what
    (words,) = picked(ends["secure_sum"], 1)
    assert "knows all other uploads" in words and "of 200 tries (" in words
    assert picked(ends["local"], 1) == picked(ends["shuffled"], 0) == []
