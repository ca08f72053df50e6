"""The visitor's guesses at scenarios; results stay hidden until a guess or a request to see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ldp_core import presets
from ldp_core.classroom import members
from ldp_core.runs import GuessValue, guesses
from pages.parts.ui.visitor import me


@dataclass(frozen=True)
class Guessed:
    guesses: Mapping[str, GuessValue]
    """Guess by scenario."""
    revealed: frozenset[str]

    @classmethod
    def here(cls) -> Guessed:
        about = guesses.all_of(me())
        names = {name: guess for name in presets.names() if (guess := about.get(_key(name))) is not None}
        passed, in_class = guesses.all_skipped(me()), members.answered(me())
        revealed = {name for name in presets.names() if passed & {presets.get(name).label, _key(name)}}
        return cls(names | in_class, frozenset(revealed | in_class.keys()))

    def is_open(self, name: str) -> bool:
        """Whether the answer is still hidden."""
        return name not in self.revealed


@cache
def _key(name: str) -> str:
    return guesses.key_of(presets.get(name).draft)
