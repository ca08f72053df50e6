"""Words and numbers as people read them."""

import re
from pathlib import Path

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.errors import Problem, StorageFailed
from ldp_core.experiment import parse
from pages.parts.systems.unlike import flat
from pages.parts.ui import text
from pages.parts.ui.meanings import error_in_words, problem_in_words
from tests.conftest import ROOT
from tests.datasets import samples
from tests.pages.conftest import drawn


@pytest.mark.parametrize(
    ("value", "digits", "near", "most", "least"),
    [
        (0.1 * 30, 3, "3", "3", "3"),  # 3.0000000000000004
        (3.0021, 3, "3", "3.01", "3"),
        (9.9951, 3, "10", "10", "9.99"),
        (130.6889, 3, "131", "131", "130"),
        (0.00099951, 3, "0.001", "0.001", "9.99·10⁻⁴"),
        (5e-324, 3, "4.94·10⁻³²⁴", "4.94·10⁻³²⁴", "4.94·10⁻³²⁴"),
        (1.0001e-5, 3, "10⁻⁵", "1.01·10⁻⁵", "10⁻⁵"),
        (1e12, 3, "10¹²", "10¹²", "10¹²"),
        (float("inf"), 3, "∞", "∞", "∞"),
        (float("nan"), 3, *["not known"] * 3),
    ],
)
def test_bounds_are_rounded_to_their_safe_side(value: float, digits: int, near: str, most: str, least: str):
    assert [one(value, digits) for one in (text.number, text.at_most, text.at_least)] == [near, most, least]


def test_share_prints_alike_in_single_and_double_precision():
    held_out = [hits / 360 for hits in range(361)]
    assert [text.percent(float(np.float32(one))) for one in held_out] == [*map(text.percent, held_out)]


@pytest.mark.parametrize(
    "typed", ["$x$", ":red[hi]", "![](http://x/y.png)", "[a](javascript:alert(1))", "<b>", "# x", "&lt;"]
)
def test_typed_text_has_no_markup(typed: str):
    shown = text.plain(typed)
    unescaped = [c for i, c in enumerate(shown) if c in "$:[]()<>#!*_`&" and shown[i - 1] != "\\"]
    assert unescaped == []
    assert "\n" not in text.plain("a\nb")
    assert ":material/" not in text.plain(":material/bolt:").replace("\\", "")
    assert len(text.plain("x" * 500)) == 80


@pytest.mark.parametrize(
    "typed",
    ["https://a.b/c", "HTTP://a.b", "www.a.b", "see WWW.a.b", "_www.a.b", "a.b@c.de", "mailto:a@b.de"],
)
def test_an_address_that_was_typed_is_no_link(typed: str):
    shown = text.plain(typed).replace("\\", "")
    assert shown.replace(text.JOINER, "") == typed
    # what Markdown looks for when it has been read (mdast-util-gfm-autolink-literal)
    assert not re.search(r"https?://|www\.|[-.\w+]+@[-\w]+(\.[-\w]+)+", shown, re.IGNORECASE)


def test_a_class_is_called_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    samples.folder(tmp_path, "pets", {"cats": 6, "dogs": 5})
    assert [text.an_image_of({"dataset": "images:pets"}, i) for i in (0, 1)] == ["cats", "dogs"]
    assert text.an_image_of({"dataset": "digits"}, 3) == "a 3"
    assert text.an_image_of({"dataset": "digits"}, 8) == "an 8"
    assert text.class_names({"dataset": "digits"}, 10) == list("0123456789")
    unknown = ["class 1", "class 2"]
    for gone in ({"dataset": "images:gone"}, {}):
        assert text.class_names(gone, 2) == unknown
        assert text.an_image_of(gone, 1) == "class 2"
    assert text.class_names({"dataset": "images:pets"}, 3) == [*unknown, "class 3"], "it has others by now"
    long = {f"{'x' * 30}{i}": 3 for i in range(2)}
    samples.folder(tmp_path, "long", long)
    names = text.class_names({"dataset": "images:long"}, 2)
    assert len(set(names)) == 2
    assert max(map(len, names)) <= text.NAME + len(" (2)")


@pytest.mark.parametrize("name", presets.names())
def test_labels_are_shortened_to_different_texts(name: str):
    labels = [variant.label for variant in presets.get(name).draft.variants]
    found = text.apart(labels, 16)
    assert len(set(found)) == len(labels)
    assert max(map(len, found)) <= 20


def test_a_mistake_is_stated_by_the_pages_word_for_its_field():
    for path, words in (
        ("clients.count", "clients"),
        ("base.clients.epsilon", "budgets"),
        ("partition.kind", "how it is split"),
        ("local.learning_rate", "learning rate"),
        ("", ""),
        ("line 2, run_limit", "line 2, run_limit"),
    ):
        assert problem_in_words(Problem(path, "must be 1")) == f"{words} must be 1".strip()
    for path in flat(parse({"system": "pldp_fl"}).as_json()):
        assert not re.search(r"[._]", problem_in_words(Problem(path, "is wrong"))), path
    scope = problem_in_words(Problem("clients.epsilon_scope", "must be run with a sum; got mechanism"))
    assert scope == "one ε covers must be a person's whole run with a sum; got one weight"
    message = "must be 1 for sign_majority; set system.sampling and local.epochs; got “a_b.csv” of table:x_y"
    said = problem_in_words(Problem("rounds", message))
    assert "sampling of the system and local epochs" in said and "“a_b.csv” of table:x_y" in said
    assert not re.search(r"[a-z][._][a-z]", said.replace("“a_b.csv” of table:x_y", ""))
    assert error_in_words(StorageFailed("no room")) == "no room"


def refused() -> None:
    from ldp_core.errors import InvalidExperiment, Problem
    from pages.parts.ui.job_actions import refusal, refusing
    from pages.parts.ui.polling import guarded

    error = InvalidExperiment([Problem("clients.run_limit", "must be 1 or more")])

    @guarded
    def draw() -> None:
        raise error

    with refusing():
        raise error
    refusal()
    draw()


def test_refusals_use_the_pages_field_names():
    app = drawn(refused)
    words = "limits of a run must be 1 or more"
    assert [one.value for one in app.error] == [words, f"This cannot be shown now: {words}."]
    for file in (ROOT / "pages").rglob("*.py"):
        output = re.findall(r"str\((?:error|problem)\)|\{(?:error|problem)[!:}]", file.read_text())
        assert not output or file.name == "meanings.py", f"{file}: `error_in_words` has the page's words"
