"""A paper with a program of its own beside its claims."""
