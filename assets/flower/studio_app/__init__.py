"""Federated learning under personalised local differential privacy: exported from Epsilon Studio."""
