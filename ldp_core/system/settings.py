"""What an operator sets in the environment, each refused in one sentence where it makes no sense."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from ldp_core.errors import InvalidInput, shown

SECRET = re.compile(
    r"TEACHER|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE)_?KEY", re.I
)
"""In the name of a variable whose value is for the server alone."""
OF_THE_CLUSTER = ("EPSILON_RAY_TOKEN", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
"""Those that a process needs which trains on a cluster."""


def folder(name: str, default: Path) -> Path:
    """The absolute path that a variable of the environment names, `~` expanded as a shell would.

    Raises:
        InvalidInput: it names the home of a user who is not known here.
    """
    text = os.environ.get(name, "").strip()
    try:
        return Path(text).expanduser().absolute() if text else default
    except RuntimeError:
        raise InvalidInput(
            f"{name} must name a folder; got {shown(text)}, and the home of that user is not known here"
        ) from None


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process that trains, whose code or cluster may be somebody else's."""
    needed = OF_THE_CLUSTER if environment.get("EPSILON_RAY_ADDRESS", "").strip() else ()
    return {name: text for name, text in environment.items() if name in needed or not SECRET.search(name)}


def number(name: str, default: float, least: float, most: float) -> float:
    """What a variable of the environment says, or the default where it says nothing.

    Raises:
        InvalidInput: it says something else than a number within the limits.
    """
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value) or not least <= value <= most:
        raise InvalidInput(f"{name} must be a number from {least:g} to {most:g}; got {shown(text)}")
    return value


def whole(name: str, default: int, least: int, most: int) -> int:
    """As `number`, without a fraction.

    Raises:
        InvalidInput: it says something else than a whole number within the limits.
    """
    value = number(name, default, least, most)
    if value != int(value):
        raise InvalidInput(f"{name} must be a whole number; got {shown(os.environ[name].strip())}")
    return int(value)
