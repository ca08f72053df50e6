"""A nickname is asked for once, may be skipped, and goes without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.errors import InvalidInput
from ldp_core.runs.record import nicknames
from tests.runs.in_process import found_in


def test_a_nickname_is_kept_changed_and_overwritten(runs_dir: Path):
    assert nicknames.everybody() == {}
    nicknames.keep("a", " Anna-Karenina\n\x1b ")
    nicknames.keep("b", "")
    assert nicknames.everybody() == {"a": "Anna-Karenina", "b": ""}
    with pytest.raises(InvalidInput, match="at most 20 letters; this one has 21"):
        nicknames.keep("a", "x" * 21)
    nicknames.keep("a", "")
    assert nicknames.everybody() == {"a": "", "b": ""}
    assert not found_in(runs_dir, b"Karenina")
