"""One round: local training, update, clip, perturb, aggregate, evaluate."""
