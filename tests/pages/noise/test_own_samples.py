"""A visitor's samples: a verdict in words."""

import numpy as np
import pytest

from ldp_core.errors import StudioError
from ldp_core.tables import MOST_BYTES
from pages.parts.noise.own_samples import in_words, weighed


def samples(spread: float) -> bytes:
    x = np.repeat([-1.0, 1.0], 600)
    y = x + np.random.default_rng(6).laplace(0, spread, len(x))
    return ("input,output\n" + "".join(f"{a:g},{b:.4f}\n" for a, b in zip(x, y, strict=True))).encode()


@pytest.mark.parametrize(("spread", "refuted"), [(0.5, True), (2.0, False)])
def test_a_claim_is_weighed_in_words(spread: float, refuted: bool):
    """At a spread of 2 the claim is true: refuted for one seed in 20 at most, not for this one."""
    weighing = weighed("*mine*.csv", samples(spread), 1.0, 0.0)
    found = weighing.audit
    assert found is not None
    said = in_words(weighing.name, found)
    assert found.refuted == refuted
    assert ("refuted in at most 5" in said) == refuted and ("That proves no claim" in said) == (not refuted)
    assert r"\*mine\*" in said and "of 300 trials" in said


def test_too_large_a_file_is_refused():
    with pytest.raises(StudioError, match="at most 5 MB"):
        weighed("big.csv", b"1" * (MOST_BYTES + 1), 1.0, 0.0)


def test_claim_other_than_the_files_own_column_is_refused():
    with pytest.raises(StudioError, match="column epsilon"):
        weighed("s.csv", b"input,output,epsilon\n-1,2,4\n1,3,4\n", 1.0, 0.0)


def test_claim_is_asked_for_unless_the_file_says_it():
    asked = weighed("s.csv", samples(1.0), None, None)
    assert asked.audit is None and len(asked.seen.open) == 1
    head, *rows = samples(1.0).decode().splitlines()
    stated = "\n".join([f"{head},epsilon,note", *(f"{row},2,x" for row in rows)]).encode()
    found = weighed("s.csv", stated, None, None)
    assert found.audit and found.audit.claimed == 2 and not found.seen.open
    assert any("note" in one for one in found.seen.notes), "what is not read is said"
