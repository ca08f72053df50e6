"""Environment variables that training processes must not see."""

import re
from collections.abc import Mapping

from ldp_core.settings.table import RAY_ADDRESS

SECRET = re.compile(
    r"TEACHER|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE)_?KEY", re.I
)
"""Pattern of variables' names whose values are withheld."""
OF_THE_CLUSTER = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
"""Exceptions, which a process that trains on a cluster needs."""


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Environment for a training process, whose code or cluster may be untrusted."""
    needed = OF_THE_CLUSTER if environment.get(RAY_ADDRESS.name, "").strip() else ()
    return {name: text for name, text in environment.items() if name in needed or not SECRET.search(name)}
