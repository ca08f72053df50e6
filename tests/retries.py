"""What a test did again because it did not go the first time: counted, and told at the end of the run."""

from __future__ import annotations

NOTED: list[str] = []
"""By the test that runs; conftest.py hands them to the report of that test."""


def tried_again(why: object) -> None:
    """Note one retry, and why it was one."""
    NOTED.append(" ".join(str(why).split())[:200] or repr(why))
