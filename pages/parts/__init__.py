"""Pieces of screens. They read the core's theory and its stored runs, and never train."""
