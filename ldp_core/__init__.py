"""Federated learning under personalised local differential privacy.

Data flows one way, and imports point the same way (`tests/test_layers.py` holds them to it):
experiment → data → partition → local training → update → clip → mechanism → upload →
aggregator → evaluation → events → store. `simulate` is that path, one round
after another; `fold` drives many such runs at once, and has their clients trained in one product.
"""
