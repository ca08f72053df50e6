"""Fields of an experiment that hold a component: `{"name": "duchi", …}` or just `"duchi"`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, InitErrorDetails, ValidationError, core_schema

from ldp_core.component import Component, Registry
from ldp_core.errors import UnknownName, shown
from ldp_core.fields import refused


@dataclass(frozen=True)
class Part:
    """A field that names a component of a registry and gives its parameters.

    A bare name stands for the component with its default parameters. `short` fields are written
    back as a bare name whenever no parameter differs from its default.
    """

    registry: Registry[Any]
    key: str
    short: bool = False

    def check(self, value: Any) -> Component:
        """The component; refused with a sentence if the name or a parameter will not do."""
        if isinstance(value, Component):
            if self.registry.holds(type(value)):
                return value
            raise refused(
                f"must be a registered part; got an object of the class {type(value).__name__}, which no "
                f"file of {self.registry.package} defines: its results would count as those of {value.name}"
            )
        if isinstance(value, str):
            value = {self.key: value}
        if not isinstance(value, Mapping):
            raise refused(f'must be a name or an object like {{"{self.key}": …}}; got {shown(value)}')
        parameters = dict(value)
        name = parameters.pop(self.key, None)
        try:
            kind = self.registry.kind(name)
        except UnknownName as error:
            detail = InitErrorDetails(type=refused(error.wanted), loc=(self.key,), input=name)
            raise ValidationError.from_exception_data(type(self).__name__, [detail]) from None
        if "form" in parameters:
            raise refused("takes no form; set the experiment's own form instead")
        component: Component = kind(**parameters)
        return component

    def serialise(self, component: Component) -> Any:
        parameters = component.parameters()
        if self.short and parameters == type(component)().parameters():
            return component.name
        return {self.key: component.name, **parameters}

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check,
            serialization=core_schema.plain_serializer_function_ser_schema(self.serialise),
        )


@dataclass(frozen=True)
class OptionalPart(Part):
    """As `Part`, with null for none."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            lambda value: None if value is None else self.check(value),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda component: None if component is None else self.serialise(component)
            ),
        )
