"""One finding for what runs came to, and one sentence for it: what is sure is said, and nothing else."""

import pytest

from ldp_core.inference.difference import Difference, difference
from ldp_core.inference.finding import SENTENCES, Finding, ranking

SURE, CLOSE, SAME = [0.9, 0.91, 0.92], [0.89, 0.915, 0.9], [0.9, 0.91, 0.92]
FAR = [0.2, 0.21, 0.22]


def found(*runs: list[float], cause: str | None = "the aggregator", chance: float = 0.1) -> Finding:
    def between(one: int, other: int) -> Difference:
        return difference(runs[one], runs[other], held_out=10**7)

    named = [((f"run {n}", n), sum(each) / len(each)) for n, each in enumerate(runs)]
    return ranking(named, chance, between, cause)


@pytest.mark.parametrize(
    ("made", "kinds"),
    [
        (found(SURE), ("one",)),
        (found(SURE, FAR), ("cause",)),
        (found(SURE, FAR, cause=""), ("ahead",)),
        (found(SURE, CLOSE, FAR), ("cause, next close",)),
        (found(SURE, CLOSE), ("cannot tell",)),
        (found(SURE, CLOSE, FAR, cause=""), ("cannot tell", "and the last")),
        (found(SURE, SAME), ("no difference",)),
        (found(SURE[:1], FAR[:1]), ("leads once",)),
        (found(SURE[:1], SURE[:1]), ("cannot tell",)),
        (found(SURE[:2], FAR[:2]), ("leads",)),
        (found(FAR, FAR, chance=0.2), ("nothing learns",)),
        (found(SURE, CLOSE, cause=None), ("luck",)),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) and isinstance(one[0], str) else "",
)
def test_finding_says_what_intervals_allow(made: Finding, kinds: tuple[str, ...]):
    assert made.kinds == kinds
    assert len(made.text().split()) <= 25
    assert "{" not in made.text()


def test_every_language_has_every_sentence():
    assert len({frozenset(one) for one in SENTENCES.values()}) == 1
