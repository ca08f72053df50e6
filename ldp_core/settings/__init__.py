"""What an operator sets in the environment: `table` lists it, `kinds` reads it, `secrets` withholds some.

The server and every command refuse a value that makes no sense before they begin; `doctor` reports it.
"""
