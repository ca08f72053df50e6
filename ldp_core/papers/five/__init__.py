"""Comparison of the five systems: measured `points`, and the `advice` that follows."""
