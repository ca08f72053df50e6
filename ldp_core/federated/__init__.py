"""One round: local training, update, clip, perturb, aggregate, evaluate.

A newcomer starts with `round`, whose halves are `prepare` and `finish`; `federation` is everything that they
stand on (data dealt, budgets resolved), `state` what they begin from and end in, enough to go on bit for bit.
`upload` perturbs, `privacy_filter` stops who can afford no more, `evaluate` scores.
"""
