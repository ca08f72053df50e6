"""What uses of a mechanism cost together.

`compose` has the rules for any mechanism, `own_law` that by its own law, `shuffling` and `sums` those behind
a shuffler and in a noisy sum; `spending` prices a number of uploads by the best of them, `backwards` goes
from a run's ε to that of one use.
"""
