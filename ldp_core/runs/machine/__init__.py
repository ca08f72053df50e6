"""Capacity of this machine: parallel jobs, and training speed (measured once)."""
