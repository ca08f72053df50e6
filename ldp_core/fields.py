"""Pydantic fields with limits, and one-sentence errors.

The limit is part of the annotation, so that pages derive widgets from fields: `Annotated[float,
Number(limits.FRACTION)]`.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ldp_core.errors import hint, one_of, shown
from ldp_core.limits import Limit


def refused(message: str) -> PydanticCustomError:
    """Validation error with this message (braces in it are the user's, not placeholders)."""
    return PydanticCustomError("studio", "{message}", {"message": message})


class Validated:
    check: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)


@dataclass(frozen=True)
class Number(Validated):
    """A finite number within a limit; or null, if `optional`."""

    limit: Limit
    optional: bool = False

    def check(self, value: Any) -> float | None:
        if self.optional and value is None:
            return None
        if not is_number(value) or not self.limit.allows(value):
            raise refused(f"must be a number {self.limit}{_or_null(self.optional)}; got {shown(value)}")
        return float(value)


@dataclass(frozen=True)
class Whole(Validated):
    """A whole number within a limit (2.0 counts as one); or null, if `optional`."""

    limit: Limit
    optional: bool = False

    def check(self, value: Any) -> int | None:
        if self.optional and value is None:
            return None
        if not is_number(value) or value % 1 or not self.limit.allows(value):
            raise refused(f"must be a whole number {self.limit}{_or_null(self.optional)}; got {shown(value)}")
        return int(value)


@dataclass(frozen=True)
class Choice(Validated):
    words: tuple[str, ...]

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.words:
            raise refused(f"must be {one_of(self.words)}; got {shown(value)}{hint(value, self.words)}")
        return value


@dataclass(frozen=True)
class Checked(Validated):
    """A field validated by a function, which may convert the value."""

    check: Callable[[Any], Any]


@dataclass(frozen=True)
class Written(Checked):
    """As `Checked`; `check` also accepts text as made by `spell`, for a text input on pages."""

    spell: Callable[[Any], str]


def _or_null(optional: bool) -> str:
    return ", or null" if optional else ""


def is_number(value: Any) -> TypeGuard[float]:
    """True for a finite number that a float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
