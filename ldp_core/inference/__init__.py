"""Statistical judgement of accuracies and shares: every sentence that compares, ranks or judges asks here.

`interval` is of one mean or of hits among trials, `difference` of two designs, `outcome` the word for either.
Seeds' spread and the held-out samples' error count together; a choice among many is paid for, and so
are seeds added after a look (`interval.rate`). `tests/inference/test_inference.py` simulates the rates.
"""

from ldp_core.inference.difference import (
    Difference,
    Spread,
    ahead,
    as_good,
    difference,
    in_points,
    spread,
    unpaired,
)
from ldp_core.inference.finding import WIDE, Finding, Name, finding, ranking
from ldp_core.inference.interval import (
    SEEDS,
    Interval,
    by_chance,
    coinciding,
    interval,
    intervals,
    margin,
    wilson,
)
from ldp_core.inference.outcome import SMALL, Outcome, at_chance, judged, together, within
