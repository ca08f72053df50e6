"""Sentences that were found to be untrue of some run are not said again (reference: truth).

A static net under the tests of single pages: what a page computes from a run is held where it is computed.
"""

import re

import pytest

from tests.conftest import ROOT

RETRACTED = {
    "all of this is exact": "where limits meet a random choice, the noise is imagined round by round",
    "no attacker does better": "a bound on the average over candidates is none on these images",
    "upper bound on what many rounds": "fresh noise on the same values is another question than many rounds",
    "most rounds are empty": "where one client asks for much more than the others, hardly a round is empty",
    "least noise a weighted mean": "for weights in mid-range a plain mean may leave less than 1/σ²",
    "laws and the promises are exact": "what many uploads cost is a bound, and PDPM's is not known to be met",
    "hides every weight alike": "as much noise for each weight is no law that is the same for each",
    "for a whole upload it is divided evenly f": "Gaussian noise and PrivUnit spend a whole upload's ε whole",
    "one of ten": "how many images there are to pick from is set by whoever attacks",
    "the server has the image": "20 dB is a sketch, and no copy",
    "each number bounds": "the price of an average number of uploads bounds nothing",
    "except with probability": "δ is no probability of failing",
    "for every seed": "three seeds are not all",
}
SAID = {
    file.relative_to(ROOT): re.sub(r'["\s]+', " ", file.read_text(encoding="utf-8")).lower()
    for folder in ("pages", "ldp_core")
    for file in (ROOT / folder).rglob("*.py")
}


@pytest.mark.parametrize("sentence", RETRACTED)
def test_retracted_sentences_are_absent(sentence: str):
    found = [str(file) for file, text in SAID.items() if sentence in text]
    assert not found, f"{found} say “{sentence}”, but {RETRACTED[sentence]}"
