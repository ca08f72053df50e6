"""Contracts of all kinds of parts, as checks: `epsilon-studio check PART`."""
