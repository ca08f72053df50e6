"""Attacks of a server on uploads during a run, and their measurement.

`online` attacks every round beside the training; `grid` attacks the same images under every mechanism and
budget. Both use `observe` (what the server receives), `candidates` and `identification` (which of M images
was uploaded), `scores` (one attempt compared with guessing) and `summary` (many attempts). Imports torch.
"""
