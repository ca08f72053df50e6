"""One round: local training, update, clip, perturb, aggregate, evaluate.

A newcomer starts with `round.one_round`, which also says why training has left the numbers. `federation` is
everything a run stands on (data dealt, budgets resolved), `upload` perturbs, `privacy_filter` stops who can
afford no more, `evaluate` scores, `state` is what a run needs to go on bit for bit.
"""
