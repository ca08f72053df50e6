"""Validation of a plug-in's class, with a sentence for each fault."""

import inspect
from typing import Any

from pydantic import ValidationError

from ldp_core.errors import InvalidInput
from ldp_core.fields import Checked, Choice, Number, Whole

LIMITED = (Number, Whole, Choice, Checked)


def part_in(loaded: Any, base: type[Any]) -> type[Any]:
    """Class of a plug-in: the loaded object, or the only class with a label in a loaded module. Raises
    InvalidInput: there is none, or there are several.
    """
    if not inspect.ismodule(loaded):
        if not isinstance(loaded, type) or not issubclass(loaded, base):
            raise InvalidInput(f"it is no class derived from {base.__module__}.{base.__name__}")
        return loaded
    found = labelled(loaded, base)
    if len(found) != 1:
        named = ", ".join(one.__name__ for one in found) or "none"
        raise InvalidInput(
            f"its module must hold one class with a label that is derived from {base.__module__}."
            f"{base.__name__}; it holds {named}"
        )
    return found[0]


def labelled(module: Any, base: type[Any]) -> list[type[Any]]:
    """Parts that a module defines; shared base classes have no label."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, base)
        and value.__module__ == module.__name__
        and "label" in vars(value)
    ]


def refuse_unfit(kind: type[Any]) -> None:
    """Refuse a class that cannot be registered. Raises InvalidInput: what is wrong, and what to do."""
    for word in ("label", "summary"):
        if not isinstance(getattr(kind, word, None), str):
            raise InvalidInput(f"it has no {word}: give the class one, for the pages")
    if missing := kind.lacking():
        raise InvalidInput(f"it lacks {', '.join(missing)}: define what its base class asks for")
    for field, about in kind.model_fields.items():
        if not any(isinstance(one, LIMITED) for one in about.metadata):
            raise InvalidInput(
                f"its parameter {field} has no limits: annotate it with a Number, Whole, Choice or Checked "
                "of ldp_core.fields, from which pages draw it"
            )
    try:
        kind()
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        raise InvalidInput(f"its parameter {field} has no default that will do: give it one") from None
