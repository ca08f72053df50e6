"""A sentence that ranks noise is held against noise: its check looks at what the runs measured."""

import re
from typing import Any

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.presets.claims import Sentence
from ldp_core.presets.evidence import Attempts, Evidence, Outcome

NOISE = re.compile(r"(?:least|less|more|times the|nearly the same) noise|noise (?:has|variance|of \w+ falls)")
TRIES = Attempts(np.array([25.0]), "recovered", hits=9, n=10, chance=0.1, recovered=4, images=20)
LINE = {"epsilon": 1.0, "basic": 1.0, "guarantee": True}
LINES = dict.fromkeys(("coordinate", "upload", "run_worst"), LINE)


class Looked(Outcome):
    """Notes when its noise is read."""

    def __getattribute__(self, name: str) -> Any:
        if name == "noise":
            SEEN.add(object.__getattribute__(self, "label"))
        return super().__getattribute__(name)


SEEN: set[str] = set()


def ranked() -> list[Any]:
    every = [(name, sentence) for name in presets.names() for sentence in presets.get(name).says]
    text = [(name, sentence) for name, sentence in every if NOISE.search(sentence.text)]
    return [pytest.param(*each, id=f"{each[0]}: {each[1].text[:30]}") for each in text]


@pytest.mark.parametrize(("name", "sentence"), ranked())
def test_a_sentence_that_ranks_noise_looks_at_it(name: str, sentence: Sentence):
    labels = [variant.label for variant in presets.get(name).draft.variants]
    tries = {(kind, client): TRIES for kind in ("audit", "real") for client in range(30)}
    shown = Evidence(Looked(label, 0, 0.5, (0.5,) * 10, 0.5, np.ones(3), tries, (LINES,)) for label in labels)
    SEEN.clear()
    assert sentence.found(shown) is not None
    assert len(SEEN) > 1, "whose noise is the least is read from more than one run"
