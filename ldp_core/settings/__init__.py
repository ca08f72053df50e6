"""Environment variables of the operator: `table` lists them, `kinds` parses them, `secrets` withholds some
from training.

The server and every command refuse invalid values before they start; `doctor` reports them.
"""
