"""Guesses of the teacher's secret are slowed for a visitor, an address and everybody, and logged; new
visitors are slowed for their address.
"""

import logging
from contextlib import suppress

import pytest

from ldp_core.errors import NotNow
from ldp_core.system.rate_limit import RateLimit
from pages.server import guess_rate_limit as guesses
from pages.server.address import known
from pages.server.guess_rate_limit import WRONG, admit, guess


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPSILON_TEACHER", "chalk and cheese")
    for name in ("EACH", "PLACE", "ALL", "LINES", "NEW"):
        known = getattr(guesses, name)
        monkeypatch.setattr(guesses, name, RateLimit(known.burst, known.seconds))
    monkeypatch.setattr(guesses, "_known", {})


def test_the_secret_opens_and_another_word_does_not():
    assert guess("chalk", "anna", "192.0.2.1") == WRONG
    assert guess("chalk and cheese", "anna", "192.0.2.1") == ""


def test_after_five_a_visitor_waits_even_with_the_right_one():
    said = [guess("chalk", "anna", "192.0.2.1") for _ in range(6)]
    assert said[:5] == [WRONG] * 5
    assert said[5].startswith("Too many secrets were tried; this one was not looked at. Try again in 2")
    assert guess("chalk and cheese", "anna", "192.0.2.1") == said[5]
    assert guess("chalk and cheese", "ben", "192.0.2.1") == "", "the teacher beside her need not wait"


def test_a_new_cookie_for_every_guess_is_the_same_address():
    said = [guess("chalk", f"nobody {n}", "192.0.2.1") for n in range(200)]
    assert said.count(WRONG) == 10
    assert guess("chalk and cheese", "ben", "192.0.2.2") == ""


def test_a_thousand_addresses_are_slowed_together():
    said = [guess("chalk", f"nobody {n}", f"192.0.2.{n}") for n in range(1000)]
    assert 30 <= said.count(WRONG) <= 31


def test_they_are_logged_without_the_guess_and_without_end(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.WARNING)
    for n in range(500):
        guess(f"guess number {n}", "anna", "192.0.2.1")
    assert 1 <= len(caplog.records) <= 11
    assert caplog.messages[0] == "a visitor from 192.0.2.1 tried a wrong teacher's secret"
    assert "guess number" not in caplog.text


def admitted(number: int, address: str) -> int:
    """How many of so many new visitors are let in."""
    found = 0
    for n in range(number):
        with suppress(NotNow):
            admit(f"new {n} of {address}", address)
            found += 1
    return found


def test_new_visitors_cost_their_address_and_known_ones_do_not():
    admit("anna", "192.0.2.1")
    assert admitted(100, "192.0.2.1") == 39
    with pytest.raises(NotNow, match="10 s"):
        admit("ben", "192.0.2.1")
    for _ in range(100):
        admit("anna", "192.0.2.1")
    assert admitted(100, "192.0.2.2") == 40


def test_users_of_this_machine_are_not_slowed():
    assert admitted(100, known("127.0.0.1", ())) == admitted(100, known("::1", ())) == 100
