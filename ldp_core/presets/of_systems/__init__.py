"""Scenarios of the published systems by name."""
