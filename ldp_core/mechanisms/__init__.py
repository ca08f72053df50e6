"""Mechanisms of local differential privacy: randomisation of a client's values before the server sees them.

>>> from ldp_core import mechanisms
>>> duchi = mechanisms.get("duchi")
>>> round(duchi.variance(0.0, epsilon=1.0, low=-1.0, high=1.0), 4)
4.6827
"""

from typing import Any, get_args

from ldp_core.component import Registry
from ldp_core.errors import UnknownName
from ldp_core.mechanisms.base import Correction, Form, InClear, Mechanism, Use

registry: Registry[Mechanism] = Registry(__name__, Mechanism, "the mechanism's name")
names = registry.names


def get(name: str, **parameters: Any) -> Mechanism:
    """Mechanism by name with its own `parameters`, corrected, or `form="as_printed"`.

    Raises:
        UnknownName: the mechanism or form is unknown.
        pydantic.ValidationError: a parameter is unknown or out of its limits.
    """
    form = parameters.pop("form", "corrected")
    if form not in get_args(Form):
        raise UnknownName("the form's name", form, get_args(Form))
    return registry.kind(name).in_form(form)(**parameters)


def offered(labelled: bool = False) -> dict[str, str]:
    """Name → label, in order, of the mechanisms for uploads without a label, or for `labelled` ones."""
    every = registry.labels().items()
    return {name: label for name, label in every if labelled or not registry.kind(name).labelled}


def hides(name: object) -> bool:
    """False for a mechanism that sends values without noise; True for any other name, known or not."""
    return name not in names() or registry.kind(str(name)).role != "identity"
