"""Discovery of parts: one file, one class, its own parameters.

A mechanism, aggregator, selection, partition, data set, model or attacker is a frozen pydantic model in a
file whose name is the part's name. Fields are parameters, with limits; class attributes are descriptions for
pages. So validation, widgets and tests need no list of parts.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, InitErrorDetails, ValidationError, core_schema

from ldp_core.errors import UnknownName, shown
from ldp_core.fields import refused
from ldp_core.plugins.candidates import Candidate, labelled, outside, part_in, refuse_unfit


class Component(BaseModel):
    """A named part; subclasses add parameters as fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    name: ClassVar[str]
    """Name of the part, which is the file's name; set on discovery."""
    label: ClassVar[str]
    """Name on pages."""
    summary: ClassVar[str]
    """Description in one sentence for students."""
    formula: ClassVar[str] = ""
    """Formula in LaTeX, shown in a popover."""
    reference: ClassVar[str] = ""
    """Source: paper and equation."""
    order: ClassVar[int] = 50
    """Sort key in lists: simple parts first, plug-ins last."""
    given_by: ClassVar[str] = ""
    """Parameter that implies this part in a JSON object without a name."""
    synonyms: ClassVar[tuple[str, ...]] = ()
    """Other names by which it is taken, such as the page's word."""
    plugin: ClassVar[str] = ""
    """Origin and version of a plug-in; "" for a built-in part."""

    def __hash__(self) -> int:
        """Hash over class and parameters: many parts have no parameters."""
        return hash((type(self), *(getattr(self, field) for field in type(self).model_fields)))

    @classmethod
    def lacking(cls) -> list[str]:
        return sorted(getattr(cls, "__abstractmethods__", ()))

    def matters(self, parameter: str) -> bool:
        """Whether a parameter has an effect, given the others; pages hide one that has none."""
        return True

    def parameters(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)


C = TypeVar("C", bound=Component)


class Registry(Generic[C]):
    """Parts of one package, discovered from its files and entry points."""

    def __init__(self, package: str, kind: type[Any], noun: str) -> None:
        self.package, self._kind, self._noun = package, kind, noun
        self.refused = dict[str, str]()
        """Why a plug-in was left out, by name; complete after discovery."""

    @cached_property
    def _classes(self) -> dict[str, type[C]]:
        own = self._own()
        return own | outside(self.package, self._admitted, self.refused, own)

    @cached_property
    def _others(self) -> dict[str, str]:
        """Name by each of the other names of a part."""
        return {other: name for name, kind in self._classes.items() for other in kind.synonyms}

    def _admitted(self, candidate: Candidate) -> type[C]:
        kind: type[C] = part_in(candidate.load(), self._kind)
        refuse_unfit(kind)
        kind.name, kind.plugin = candidate.name, candidate.version(kind)
        return kind

    def _own(self) -> dict[str, type[C]]:
        package = importlib.import_module(self.package)
        found: dict[str, type[C]] = {}
        for module_info in pkgutil.iter_modules(package.__path__):
            if module_info.name.startswith("_"):
                continue
            module = importlib.import_module(f"{self.package}.{module_info.name}")
            for kind in labelled(module, self._kind):
                kind.name = module_info.name
                found[module_info.name] = kind
        return found

    def names(self) -> list[str]:
        return sorted(self._classes)

    def labels(self) -> dict[str, str]:
        """Name → label, in display order."""
        kinds = sorted(self._classes.items(), key=lambda item: (bool(item[1].plugin), item[1].order, item[0]))
        return {name: kind.label for name, kind in kinds}

    def holds(self, kind: type[Any]) -> bool:
        """True if this class is registered under its name."""
        return self._classes.get(getattr(kind, "name", "")) is kind

    def kind(self, name: str) -> type[C]:
        """Class by name; raises `UnknownName`."""
        try:
            return self._classes[self._others.get(name, name)]
        except (KeyError, TypeError):
            why = self.refused.get(name, "") if isinstance(name, str) else ""
            raise UnknownName(self._noun, name, self._classes, why) from None

    def get(self, name: str, **parameters: Any) -> C:
        """Part by name with its own `parameters`; raises `UnknownName` and `pydantic.ValidationError`."""
        return self.kind(name)(**parameters)


@dataclass(frozen=True)
class Part:
    """Validator of a field that names a part of a registry, with its parameters; a bare name means their
    defaults. `short` fields are written as a bare name where all parameters are at their defaults.
    """

    registry: Registry[Any]
    key: str
    short: bool = False
    optional: bool = False
    """Whether null stands for no part."""

    def check(self, value: Any) -> Any:
        """The part that a JSON value means; raises `PydanticCustomError`."""
        if value is None and self.optional:
            return None
        if isinstance(value, Component):
            if self.registry.holds(type(value)):
                return value
            raise refused(
                f"must be a registered part; got an object of the class {type(value).__name__}, which no "
                f"file of {self.registry.package} defines: its results would count as those of {value.name}"
            )
        value = self.named(value)
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
        return kind(**parameters)

    def named(self, value: Any) -> Any:
        """JSON object with the part's name, from a bare name or from fields that imply it."""
        if isinstance(value, str):
            return {self.key: value}
        if isinstance(value, Mapping) and self.key not in value:
            meant = (one for one in self.registry.names() if self.registry.kind(one).given_by in value)
            return {self.key: one, **value} if (one := next(meant, None)) else value
        return value

    def serialise(self, component: Component | None) -> Any:
        if component is None:
            return None
        parameters = component.parameters()
        if self.short and parameters == type(component)().parameters():
            return component.name
        return {self.key: component.name, **parameters}

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(self.serialise)
        )
