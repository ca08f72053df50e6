"""One federated round: local training, update, clip, perturb, aggregate, evaluate.

Start reading at `round`, whose halves are `prepare` and `finish`; `federation` holds what is constant over
rounds (data per client, budgets), `state` what a round begins from and ends in, enough to resume bit for bit.
`upload` perturbs, `privacy_filter` stops clients at their ε limit, `evaluate` scores.
"""
