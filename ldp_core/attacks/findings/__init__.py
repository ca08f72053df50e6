"""Evaluation of attacks: image metrics, bounds for all attackers, and verdicts in words."""
