"""One federated round: local training, update, clip, perturb, aggregate, evaluate. Start reading at `round`;
`federation` holds what is constant over rounds, `state` what a round begins from and ends in.
"""
