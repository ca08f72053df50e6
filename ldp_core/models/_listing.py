"""Layers as PyTorch and Keras list them: nn.Sequential(…) as a program or as printed, model.add(…) lines."""

import re
from collections.abc import Iterator
from math import prod
from typing import Any

from ldp_core.errors import shown
from ldp_core.fields import refused

HOLDERS = {"sequential", "ordereddict", "add"}
NONE = {"flatten", "input", "inputlayer"}
"""What changes no number here, as pixels are made one row before the first dense layer."""
BENT, SOFT = {"relu", "sigmoid", "tanh"}, ("softmax", "log_softmax")
KINDS: dict[str, tuple[str, str]] = {
    "Linear": ("dense", "in_features out_features bias"),
    "LazyLinear": ("dense", "out_features bias"),
    "Dense": ("dense", "units activation use_bias"),
    "Conv2d": ("conv", "in_channels out_channels kernel_size stride padding dilation groups bias"),
    "Conv2D": ("conv", "filters kernel_size strides padding"),
    "MaxPool2d": ("pool", "kernel_size stride padding dilation"),
    "AvgPool2d": ("avg_pool", "kernel_size stride padding"),
    **dict.fromkeys(("MaxPooling2D", "MaxPool2D"), ("pool", "pool_size strides padding")),
    **dict.fromkeys(("AveragePooling2D", "AvgPool2D"), ("avg_pool", "pool_size strides padding")),
}
"""Kind of layer, and its arguments in order, by the others' name."""
OWN = {kind for kind, _ in KINDS.values()}
NAMES = {
    "in_features": "inputs", "in_channels": "inputs", "out_features": "units", "out_channels": "channels",
    "filters": "channels", "kernel_size": "size", "pool_size": "size", "strides": "stride",
}  # fmt: skip
HARMLESS: dict[str, tuple[Any, ...]] = {
    "bias": (True,), "use_bias": (True,), "dilation": (1,), "groups": (1,), "ceil_mode": (False,),
    "padding_mode": ("zeros",), "count_include_pad": (True,), "return_indices": (False,),
    "data_format": ("channels_last",),
}  # fmt: skip
"""Values that a layer here has, too, by argument."""
ASIDE = {"name", "input_shape", "input_dim", "inplace", "device", "dtype", "kernel_initializer"}
_CALL = re.compile(r"(?:(?:\w+\.)*)(\w+)\s*\(")


def is_listing(text: str) -> bool:
    return bool(_CALL.search(text))


def of_listing(text: str) -> list[dict[str, Any]]:
    """Layers as JSON objects, of unknown kinds too; PydanticCustomError where that is ambiguous."""
    if re.search(r"\bdef\b|\bclass\b|=>|\bfor\b", text):
        raise refused("is a program, which is not run: list the layers in their order, in nn.Sequential(…)")
    found = list[dict[str, Any]]()
    for name, inside in _calls(re.sub(r"#.*", "", text)):
        kind = name.lower()
        if kind in NONE:
            continue
        if kind in BENT or kind == "activation":
            _bend(found, kind if kind in BENT else str(_value(inside)))
        elif name in KINDS:
            found.append(_layer(name, inside))
            if found[-1].get("activation") in SOFT:
                found.append({"kind": found[-1]["activation"]})
                found[-2]["activation"] = "none"
        else:
            found.append({"kind": name})
    if not found:
        raise refused("lists no layer: give nn.Sequential(…) with its layers")
    last = found[-1]
    if last["kind"] in OWN and (last["kind"] != "dense" or last["activation"] != "none"):
        end = last["activation"] if last["kind"] == "dense" else last["kind"]
        raise refused(
            f"ends with {end}: a network written out ends with a linear layer, a unit for each class and no "
            "activation, as the loss has the softmax"
        )
    return found


def _calls(text: str) -> Iterator[tuple[str, str]]:
    """Name and arguments of each layer, in order, through what only holds others."""
    at = 0
    while call := _CALL.search(text, at):
        end, depth = call.end(), 1
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if depth:
            raise refused(f"opens a bracket that is not closed, behind {shown(call[1])}")
        inside, at = text[call.end() : end - 1], end
        if call[1].lower() in HOLDERS:
            yield from _calls(inside)
        elif _CALL.search(inside):
            raise refused(
                f"holds {shown(call[1])}, whose own way through its layers is not in the list: write all as "
                "one nn.Sequential(…), with its activations"
            )
        else:
            yield call[1], inside


def _layer(name: str, inside: str) -> dict[str, Any]:
    kind, order = KINDS[name]
    given: dict[str, Any] = {}
    waiting = order.split()
    for part in filter(None, (one.strip() for one in re.split(r",(?![^(\[]*[)\]])", inside))):
        argument, equals, text = part.partition("=")
        argument, text = (argument.strip(), text) if equals else (waiting.pop(0) if waiting else "", part)
        given[argument] = _value(text)
        if argument in waiting:
            waiting.remove(argument)
    found: dict[str, Any] = {"kind": kind}
    if kind in ("dense", "conv"):
        found["activation"] = "none"
    for argument, value in given.items():
        if argument in ("bias", "use_bias") and value is False:
            raise refused(f"has a {name} without its bias; every layer here has one")
        if argument in ASIDE or value in HARMLESS.get(argument, ()):
            continue
        found[NAMES.get(argument, argument)] = "none" if value in ("linear", None) else value
    size, pad = found.get("size"), found.get("padding")
    if isinstance(pad, str):
        same = pad == "same" and kind == "conv" and found.get("stride", 1) == 1 and size in (1, 3, 5, 7, 9)
        if not same and pad != "valid":
            raise refused(
                f"has padding {shown(pad)} in {name}, which is not offered there: give it in pixels"
            )
        found["padding"] = (size - 1) // 2 if same and size else 0
    if kind in ("pool", "avg_pool"):
        found.setdefault("size", 2)
        step = found.pop("stride", "none")
        if step not in ("none", found["size"]) or found.pop("padding", 0):
            raise refused(f"has a {name} whose squares overlap or are padded; here they are side by side")
    return found


def _value(text: str) -> Any:
    """Number, word or truth of an argument; of two equal numbers one."""
    bare = text.strip().strip("'\"")
    numbers = re.findall(r"-?\d+", bare) if bare[:1] in "([" else []
    if numbers:
        return int(numbers[0]) if len({*numbers}) == 1 else bare
    word = re.sub(r"^(?:\w+\.)+", "", bare)
    if word in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[word]
    if re.fullmatch(r"\d{1,6}(\s*\*\s*\d{1,6}){0,3}", bare):  # as in 64 * 7 * 7
        return prod(map(int, bare.split("*")))
    return word


def _bend(found: list[dict[str, Any]], activation: str) -> None:
    """Give an activation to the layer before it; it may stand behind maxima, which it does not change."""
    at = len(found) - 1
    if found and found[at]["kind"] not in OWN:
        return  # which is refused anyhow
    while at >= 0 and found[at]["kind"] == "pool":
        at -= 1
    if at < 0 or found[at].get("activation") != "none":
        raise refused(f"has {activation} otherwise than right behind a layer with weights: not offered")
    found[at]["activation"] = activation
