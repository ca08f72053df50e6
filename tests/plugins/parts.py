"""Parts as others write them."""

SELECTION = '''
"""Two groups in turn."""
import numpy as np
from ldp_core.selections.base import Selection

class InTurn(Selection):
    label = "two halves in turn"
    summary = "One half of the clients uploads in odd rounds, the other half in even ones."
    reference = "A test"

    def choose(self, count, seed, number, rounds):
        halves = np.array_split(np.arange(count), 2)
        return halves[(number - 1) % 2] if count > 1 else np.arange(count)

    def expected_uploads(self, count, rounds):
        return rounds / 2 if count > 1 else float(rounds)

    def most_uploads(self, count, rounds):
        return -(-rounds // 2) if count > 1 else rounds
'''
