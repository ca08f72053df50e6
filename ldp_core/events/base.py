"""Base class of events, and validation of copied ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, cast, get_type_hints

from pydantic import Field, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreConfig, CoreSchema, core_schema

Status = Literal["completed", "diverged", "cancelled", "failed"]
Json = dict[str, Any]
Count = Annotated[int, Field(ge=0, le=2**53)]
Some = Annotated[int, Field(ge=1, le=2**53)]
Share = Annotated[float, Field(ge=0, le=1)]
STRICT = CoreConfig(extra_fields_behavior="forbid", strict=True, allow_inf_nan=False, str_max_length=2000)
"""Validation settings; a field with longer text has its own limit."""


@dataclass(frozen=True)
class Event:
    """Base class of all events; `event` is the kind in JSON."""

    event: ClassVar[str]
    omitted: ClassVar[tuple[str, ...]] = ()
    """Fields that JSON leaves out where they are None or empty."""

    def as_json(self) -> Json:
        body = {"event": self.event, **{one.name: _plain(getattr(self, one.name)) for one in fields(self)}}
        for name in self.omitted:
            if body[name] in (None, []):
                del body[name]
        return body

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Event from an untrusted JSON object. Raises ValueError: a field is missing, unknown, of another
        type, or too large.
        """
        given = {name: value for name, value in body.items() if name != "event"}
        try:
            return cls(**_reader(cast(type, cls)).validate_python(given))
        except ValidationError as error:
            raise ValueError(f"no {cls.event}") from error


def event_of(body: Mapping[str, Any], kinds: Sequence[type[Event]]) -> Event:
    """Event of one of several kinds from an untrusted JSON object. Raises ValueError: as `Event.of`, or the
    kind is unknown.
    """
    kind = next((one for one in kinds if one.event == body["event"]), None)
    if kind is None:
        raise ValueError("no such event")
    return kind.of(body)


def _plain(value: Any) -> Any:
    """Deep copy of JSON values, as `asdict` makes, in a fifth of its time."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


@cache
def _reader(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter[Any](Annotated[dict, fields_of(kind)])  # type: ignore[arg-type]


@cache
def fields_of(kind: type) -> Like:
    """Validator of a JSON object with a dataclass's fields; those with defaults may be missing."""
    hints = get_type_hints(kind, include_extras=True)
    needed = {one.name: one.default is one.default_factory is MISSING for one in fields(kind)}
    types = {
        name: Annotated[dict, fields_of(hints[name])] if is_dataclass(hints[name]) else hints[name]
        for name in needed
    }
    return Like(types, frozenset(name for name in needed if not needed[name]))


class Like:
    """Annotation for a plain JSON object: the types by which the fields of a copied one are validated;
    others are refused.
    """

    def __init__(self, types: Mapping[str, Any], optional: frozenset[str] = frozenset()) -> None:
        self._types, self._optional = types, optional

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        made = {
            name: core_schema.typed_dict_field(
                handler.generate_schema(kind), required=name not in self._optional
            )
            for name, kind in self._types.items()
        }
        return core_schema.typed_dict_schema(made, config=STRICT)
