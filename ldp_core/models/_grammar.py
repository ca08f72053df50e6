"""Listed layers as JSON, or as text (`conv 8 5 relu, pool 2, dense 32 relu`)."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from ldp_core.errors import hint, one_of, shown
from ldp_core.fields import Choice, Whole, refused
from ldp_core.limits import HIDDEN, Limit

ACTIVATIONS = ("none", "relu", "sigmoid", "tanh")
MOST_LAYERS = 16
MOST_WEIGHTS = 12_000_000
EXAMPLE = "conv 8 5 relu, pool 2, dense 32 relu"
LONGEST = 4000
"""Largest number of characters of a typed list of layers."""
FIELDS: dict[str, dict[str, Whole | Choice]] = {
    "dense": {"units": Whole(HIDDEN), "activation": Choice(ACTIVATIONS)},
    "conv": {
        "channels": Whole(Limit(1, 512, 8, "channels")),
        "size": Whole(Limit(1, 15, 5, "pixels")),
        "stride": Whole(Limit(1, 8, 1, "pixels")),
        "padding": Whole(Limit(0, 7, 0, "pixels")),
        "activation": Choice(ACTIVATIONS),
    },
    "pool": {"size": Whole(Limit(2, 8, 2, "pixels"))},
    "avg_pool": {"size": Whole(Limit(2, 8, 2, "pixels"))},
}
"""Numbers by kind of layer, in the order of the short notation, and the activation after it."""
NUMBERS = {"dense": 1, "conv": 2, "pool": 1, "avg_pool": 1}
"""Number of values without names in the short notation, by kind of layer."""
USUAL: dict[str, Any] = {"activation": "relu", "stride": 1, "padding": 0}
"""Defaults, omitted in the short notation."""
UNSAID = ""
"""Activation of a last dense layer that names none: the usual one, or an open question where it has a unit
for each class.
"""
LEAVE_OUT = {
    "dropout": "leave it out, as it has no weights and every one here is trained",
    "flatten": "leave it out, as pixels are made one row before the first dense layer",
    "softmax": "leave it out, as the loss has it",
    "logsoftmax": "leave it out, as the loss has it",
    "batchnorm": "leave it out: its statistics mix a batch's samples, and are no weights that are trained",
    "layernorm": "leave it out, as it is not offered among listed layers",
    "groupnorm": "leave it out, as it is not offered among listed layers (resnet18 has it)",
    "instancenorm": "leave it out, as it is not offered among listed layers",
    **dict.fromkeys(
        ("gelu", "leakyrelu", "elu", "selu", "silu", "swish", "prelu", "softplus", "hardtanh", "mish"),
        "activations are relu, sigmoid and tanh",
    ),
    **dict.fromkeys(ACTIVATIONS[1:], f"write an activation behind its layer, as in {EXAMPLE}"),
}
"""Advice on what others list as layers, by name without underscores and digits."""


@dataclass(frozen=True)
class Layer:
    kind: str
    units: int = 0
    channels: int = 0
    size: int = 0
    """Side in pixels of a kernel or of a pooled square."""
    stride: int = 1
    padding: int = 0
    activation: str = "none"

    def as_json(self) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in FIELDS[self.kind]}
        if named.get("activation") == UNSAID:
            del named["activation"]
        return {"kind": self.kind} | named

    def __str__(self) -> str:
        names = [name for name in FIELDS[self.kind] if name != "activation"]
        first, rest = names[: NUMBERS[self.kind]], names[NUMBERS[self.kind] :]
        words = [self.kind, *(str(getattr(self, name)) for name in first)]
        words += [f"{name} {getattr(self, name)}" for name in rest if getattr(self, name) != USUAL[name]]
        return " ".join([*words, self.activation] if "activation" in FIELDS[self.kind] else words).strip()


def spelled(layers: tuple[Layer, ...]) -> str:
    return ", ".join(map(str, layers))


def read(given: Any) -> tuple[Layer, ...]:
    """Layers of a list of JSON objects, or of a text: that list as JSON, or the short notation. Raises
    PydanticCustomError: the list is empty or too long, or a layer is invalid.
    """
    listed = _typed(given) if isinstance(given, str) else given
    if isinstance(listed, Mapping) and [*listed] == ["layers"]:
        listed = listed["layers"]
    if not isinstance(listed, list | tuple) or not 1 <= len(listed) <= MOST_LAYERS:
        got = f"{len(listed)} of them" if isinstance(listed, list | tuple) else shown(listed)
        raise refused(
            f"must be a list of 1 to {MOST_LAYERS} layers, with or without the output layer (a unit for each "
            f"class); got {got}"
        )
    listed = [one.as_json() if isinstance(one, Layer) else one for one in listed]
    if wrong := [
        InitErrorDetails(type=refused(why), loc=(i, *at), input=value)
        for i, one in enumerate(listed)
        for at, value, why in _mistakes(i + 1, one)
    ]:
        raise ValidationError.from_exception_data("layers", wrong)
    last = len(listed) - 1
    made = tuple(Layer(**_complete(one, i == last)) for i, one in enumerate(listed))
    if why := _out_of_order(made):
        raise refused(why)
    return made


def _complete(given: Mapping[str, Any], last: bool) -> dict[str, Any]:
    fields = FIELDS[given["kind"]]
    every = {name: one for name, one in USUAL.items() if name in fields} | dict(given)
    found = {name: fields[name].check(one) if name in fields else one for name, one in every.items()}
    unsaid = last and given["kind"] == "dense" and "activation" not in given
    return found | ({"activation": UNSAID} if unsaid else {})


def _mistakes(number: int, given: Any) -> Iterator[tuple[tuple[int | str, ...], Any, str]]:
    """Path within a layer, its value, and what is wrong."""
    of = f"of layer {number}"
    if not isinstance(given, Mapping):
        yield (), given, f'{of} must be an object like {{"kind": "dense", "units": 32}}; got {shown(given)}'
        return
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in FIELDS:
        why = f"{of} must be {one_of([*FIELDS])}; got {shown(kind)}{hint(kind, [*FIELDS])}"
        name = re.sub(r"\d+d$|[\W\d_]", "", str(kind).lower())
        if advice := LEAVE_OUT.get(name):
            why = f"{of} is {shown(kind)}: {advice}"
        yield ("kind",), kind, why
        return
    fields = FIELDS[kind]
    for name in given.keys() - fields.keys() - {"kind"}:
        there = f"there are {', '.join(fields)}"
        yield (str(name)[:40],), given[name], f"{of} is no field of {kind} ({there}){hint(name, [*fields])}"
    for name, field in fields.items():
        if name in given or name not in USUAL:
            try:
                field.check(given.get(name))
            except PydanticCustomError as error:
                yield (name,), given.get(name), f"{of} {error}"


def _out_of_order(layers: tuple[Layer, ...]) -> str:
    dense = next((i for i, one in enumerate(layers) if one.kind == "dense"), len(layers))
    for i, one in enumerate(layers[dense:], start=dense + 1):
        if one.kind != "dense":
            return f"has layer {i} ({one}) after a dense one, which leaves no pixels: put it before"
    return ""


def _typed(text: str) -> Any:
    """List of layers in a text; PydanticCustomError if it is too long, no JSON, or has an unknown word."""
    if len(text) > LONGEST:
        raise refused(f"must have at most {LONGEST} characters; got {len(text)}")
    if text.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise refused(f"is no JSON: {shown(text.strip()[:40])}; try {EXAMPLE}") from None
    if "(" in text:
        raise refused(
            f"must be words and numbers, without brackets: {EXAMPLE}; got {shown(text.strip()[:40])}"
        )
    parts = [part.split() for part in re.split(r"[,;\n]", text)]
    return [_one(words) for words in parts if words]


def _one(words: list[str]) -> dict[str, Any]:
    kind, *rest = (word.lower() for word in words)
    found: dict[str, Any] = {"kind": kind}
    fields = FIELDS.get(kind, {})
    waiting = [*fields][: NUMBERS.get(kind, 0)]
    while rest and fields:
        word = rest.pop(0)
        if word in ACTIVATIONS and "activation" in fields and "activation" not in found:
            found["activation"] = word
            continue
        name = word if word in fields and rest else waiting.pop(0) if waiting else ""
        number = rest.pop(0) if name == word else word
        if not name or name in found or not number.isascii() or not number.isdecimal():
            raise refused(
                f"has {shown(word)} in “{' '.join(words)[:60]}”, which means nothing here; try {EXAMPLE}"
            )
        found[name] = int(number[:9])
    return found | {"size": 2} if found in ({"kind": "pool"}, {"kind": "avg_pool"}) else found
