"""The room's budgets on the board, and a price on the phone that says its scope."""

import re

from ldp_core.classroom.own_digits import MEAN, ROUNDS, STOCK, WEIGHED, Own, Served, draft_of
from pages.parts.classroom.own_digit import _price
from pages.parts.classroom.own_room import budgets_figure, why_the_mean


def test_equal_wishes_are_apart_and_the_stock_is_counted():
    stock, own = budgets_figure([STOCK] * 3 + [(8.0, 0.5)], 16)["data"]
    assert (list(stock["x"]), list(stock["y"])) == ([STOCK[0]], [STOCK[1]])
    assert stock["text"] == ["16 stock"]
    assert len(set(own["x"].tolist())) == 4
    assert abs(own["x"][:3] - STOCK[0]).max() < STOCK[0] / 4, "near where they belong"
    assert not len(budgets_figure([STOCK], 0)["data"][0]["x"])


def test_a_price_covers_all_that_is_sent():
    found = _price(2.0)
    said = re.search(r"650 numbers in each of 15 rounds: all that you send has ε ([\d\u202f]+) \(δ", found)
    basic = 2 * 650 * ROUNDS
    assert said
    assert basic / 2 < int(said[1].replace("\u202f", "")) < basic, "the ledger's best is below the plain sum"
    assert found.endswith("against the server. That promises nothing.")


def test_it_is_said_why_the_mean_reads_more():
    """One ε 64 among nineteen of ε 4: by 1/σ² nearly the whole say is one client's."""
    draft = draft_of([Own(1, b"", 64.0, 0.1), *[Own(2, b"", 4.0, 0.1)] * 19])
    more, fewer = (Served(name, 0.9, ([True] * n, [False])) for name, n in ((MEAN, 3), (WEIGHED, 1)))
    assert "listens as if 1" in why_the_mean([more, fewer], draft)
    fewer, more = more._replace(label=WEIGHED), fewer._replace(label=MEAN)
    assert not why_the_mean([more, fewer], draft)
