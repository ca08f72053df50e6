"""What is called a paper's own stands in it: word by word, and each printed figure in a quotation."""

import os
import re
from pathlib import Path

import pytest

from ldp_core import papers, systems
from ldp_core.papers.base import Claim
from tests.papers.claims import EACH

TEXTS = os.environ.get("PAPERS_DIR", "")
"""Where the five papers' texts lie, as 000-….txt to 004-….txt: the gate sets it."""
OWN = ("dlg-digits", "images-mnist")
"""Of these the paper has words and no figures: “exactly”, “never”; their notes say so."""


def numbers(text: str) -> set[float]:
    return {float(one) for one in re.findall(r"\d+(?:\.\d+)?", text)}


@EACH
def test_each_printed_figure_stands_in_a_quotation(name: str, claim: Claim):
    if claim.id in OWN:
        assert claim.note
        return
    assert claim.quotes
    quoted = set().union(*(numbers(quote.text) for quote in claim.quotes))
    printed = {one.paper for one in claim.statements} - {None, 0.0}
    if claim.id.startswith("modes"):  # “similar” is the difference of the two best figures
        printed = {one.paper for one in claim.statements if one.of}
    assert printed | {*claim.paper.values()} <= quoted, "no gain is no figure"


HEADING = re.compile(r"^#*\s*(\d+\.\d+(?:\.\d+)?)\.? ")


@pytest.mark.skipif(not TEXTS, reason="PAPERS_DIR does not say where the papers' texts are")
@pytest.mark.parametrize("name", papers.names())
def test_quotations_match_the_named_section(name: str):
    paper = papers.get(name)
    (file,) = Path(TEXTS).glob(f"{paper.order:03}-*.txt")
    text, heads = "", [(0, "")]
    for line in file.read_text().splitlines():
        if found := HEADING.match(line):
            heads.append((len(text), found[1]))
        text += "".join(line.split())
    quotes = {quote for claim in paper.claims for quote in claim.quotes}
    assert quotes
    for quote in quotes:
        at = text.find("".join(quote.text.split()))
        assert at >= 0, quote
        if quote.where.startswith("section"):
            assert quote.where == f"section {[head for start, head in heads if start <= at][-1]}", quote


@pytest.mark.skipif(not TEXTS, reason="PAPERS_DIR does not say where the papers' texts are")
@pytest.mark.parametrize("name", papers.names())
def test_words_in_quotation_marks_are_the_papers(name: str):
    (file,) = Path(TEXTS).glob(f"{papers.get(name).order:03}-*.txt")
    text = "".join(file.read_text().split()).lower()
    paper, system = papers.get(name), systems.registry.kind(name)
    flaws = (f"{title} {text}" for title, text in paper.flaws.items())
    claims = (text for one in paper.claims for text in (one.note, *(each.says for each in one.readings)))
    said = " ".join([*system.readings, *system.altered, *flaws, *claims])
    quoted = re.findall("“([^”]+)”", said)
    assert quoted
    assert [words for words in quoted if "".join(words.split()).lower() not in text] == []
