"""Tests of ldp_core.attacks.findings."""
