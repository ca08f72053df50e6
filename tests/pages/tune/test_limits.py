"""The table of limits says what the allocation says, group by group."""

from ldp_core.experiment import changed, parse
from ldp_core.theory import outlook
from ldp_core.tuning.allocation import allocate
from pages.parts.tune.limits import MOST_GROUPS, groups, in_words, more, rows
from pages.parts.ui.text import number

BASE = parse({"clients": {"count": 5, "epsilon": [0.5, 4, 0.5, 4, 0.5], "range": [1, 1, 1, 1, 2]}})


def test_clients_with_the_same_limits_are_one_row_the_noisiest_first():
    found = allocate(BASE)
    table = rows(found, groups(BASE))
    assert [row[0] for row in table] == ["1", "2", "2"]
    assert [row[1] for row in table] == ["0.5", "0.5", "4"]
    assert [row[2] for row in table] == ["−2 to 2", "−1 to 1", "−1 to 1"]
    shares = [float(row[3].split("\u202f")[0]) * int(row[0]) for row in table]
    assert abs(sum(shares) - 100) < 0.5
    assert table[-1][4] == "the same", "nobody is more permissive"
    assert all(row[6].endswith("more") for row in table), "weighted by their noise, all help"
    assert table[0][7].endswith("less"), "under the mean the strictest does not"


def test_both_ways_to_tell_the_noise_stand_beside_each_other():
    found = allocate(BASE)
    words = in_words(found).replace("\\", "")
    of_noise = [outlook(changed(BASE, {"aggregator": name})).sigma for name in found.left]
    assert f"**σ {number(of_noise[0])}** per weight; σ {number(of_noise[1])} under 1/\u2060σ, " in words
    assert "as on Noise. For weights with most noise, on which the table rests, " in words
    assert number(found.left["inverse_variance"] ** 0.5) in words.partition("rests, ")[2]
    alike = in_words(allocate(changed(BASE, {"mechanism": "laplace"})))
    assert "with most noise" not in alike


def test_narrower_ranges_are_stated():
    words = in_words(allocate(BASE, 1.5))
    assert words.startswith("Weighted by 1/σ², the server is left with **σ 0.")
    assert words.endswith(" 4 clients accept less than the weights need, so their weights are clipped.")
    assert "clipped" not in in_words(allocate(BASE, 1.0))


def test_noise_that_changes_from_round_to_round_is_stated_of_the_first():
    changing = parse({"mechanism": "dynamic_gaussian"})
    assert in_words(allocate(changing)).endswith("changes from round to round.")
    assert "first round" not in in_words(allocate(BASE))


def test_of_many_groups_both_ends_are_shown():
    many = parse({"clients": {"count": 40, "epsilon": [0.1 * (1 + i) for i in range(40)]}})
    table = rows(allocate(many), groups(many))
    assert len(table) == MOST_GROUPS
    assert (table[0][1], table[-1][1]) == ("0.1", "4")


def test_shares_are_stated_with_their_direction():
    assert [more(share).replace("\u202f", " ") for share in (0.5, -0.25, 0.0, float("inf"))] == [
        "50 % more",
        "25 % less",
        "the same",
        "nothing is left",
    ]
