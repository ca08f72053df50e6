"""Scenarios of the published systems."""
