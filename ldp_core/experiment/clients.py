"""The clients of an experiment: number, budgets, safe ranges, limits."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator

from ldp_core import limits
from ldp_core.errors import hint, one_of, shown
from ldp_core.experiment.modes import EPSILON_MODES, RANGE_MODES, Mode
from ldp_core.fields import Checked, Choice, Whole, is_number, refused
from ldp_core.limits import Limit
from ldp_core.mechanisms.base import Floats

PerClient = float | tuple[float, ...]


def per_client(limit: Limit, modes: Mapping[str, Mode], advice: str = "") -> Callable[[Any], Any]:
    """Validator of a number, a list with one number per client, or the name of a mode."""
    asked = f"a number {limit}, or a list of them" + (", or a mode by name" if modes else "")

    def check(value: Any) -> Any:
        if isinstance(value, str):
            if value in modes:
                return value
            names = f" (modes: {one_of(list(modes))})" if modes else ""
            raise refused(f"must be {asked}{names}; got {shown(value)}{hint(value, modes)}{advice}")
        if isinstance(value, list | tuple):
            for i, item in enumerate(value, start=1):
                if not is_number(item) or not limit.allows(item):
                    raise refused(f"of client {i} must be a number {limit}; got {shown(item)}{advice}")
            return tuple(float(item) for item in value)
        if not is_number(value) or not limit.allows(value):
            raise refused(f"must be {asked}; got {shown(value)}{advice}")
        return float(value)

    return check


def _limits(value: Any) -> Any:
    """Validated ε limits of a run; in a list, null stands for a client without a limit."""
    check = per_client(limits.RUN_LIMIT, {})
    if not isinstance(value, list | tuple):
        return check(value)
    none = limits.RUN_LIMIT.default
    checked = check([none if one is None else one for one in value])
    return tuple(None if one is None else good for one, good in zip(value, checked, strict=True))


EPSILON_ADVICE = "; to send without noise choose the mechanism none"


class Clients(BaseModel):
    """Number of clients, with the ε and safe range of each."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    count: Annotated[int, Whole(limits.CLIENTS)] = int(limits.CLIENTS.default)
    epsilon: Annotated[
        PerClient | str, Checked(per_client(limits.EPSILON, EPSILON_MODES, EPSILON_ADVICE))
    ] = "two_volunteers"
    epsilon_scope: Annotated[str, Choice(("mechanism", "upload", "run"))] = Field(
        "mechanism", description="what epsilon covers: a weight (mechanism), an upload or the whole run"
    )
    low: Annotated[PerClient, Checked(per_client(limits.BOUND, {}))] = -limits.BOUND.default
    high: Annotated[PerClient, Checked(per_client(limits.BOUND, {}))] = limits.BOUND.default
    range: Annotated[
        PerClient | str | None,
        Checked(lambda v: None if v is None else per_client(limits.HALF_WIDTH, RANGE_MODES)(v)),
    ] = Field(None, description="half-width around 0, instead of low and high")
    run_limit: Annotated[
        PerClient | tuple[float | None, ...] | None, Checked(lambda v: None if v is None else _limits(v))
    ] = Field(None, description="ε of the whole run after which a client sends nothing more; null: none")

    @model_validator(mode="before")
    @classmethod
    def _one_kind_of_range(cls, data: Any) -> Any:
        """Refuse `range` beside `low` or `high`, one of which would be ignored."""
        if isinstance(data, Mapping) and data.get("range") is not None and {"low", "high"} & set(data):
            raise refused(
                "takes either range (a half-width) or low and high; "
                f"got range {shown(data['range'])} beside {' and '.join(sorted({'low', 'high'} & set(data)))}"
            )
        return data

    @model_serializer
    def _serialise(self) -> dict[str, Any]:
        """JSON fields, with either `range` or `low` and `high`."""
        data: dict[str, Any] = {
            "count": self.count,
            "epsilon": self.epsilon,
            "epsilon_scope": self.epsilon_scope,
        }
        if self.run_limit is not None:
            data["run_limit"] = self.run_limit
        return data | ({"low": self.low, "high": self.high} if self.range is None else {"range": self.range})

    def budgets(self) -> Floats:
        """ε of each client, shape (count,), in the scope `epsilon_scope`."""
        return _dealt(self.epsilon, self.count, EPSILON_MODES)

    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper ends of the safe ranges, each of shape (count,)."""
        if self.range is not None:
            half = _dealt(self.range, self.count, RANGE_MODES)
            return -half, half
        return _dealt(self.low, self.count, {}), _dealt(self.high, self.count, {})

    def run_limits(self) -> Floats:
        """Each client's limit on the ε of the whole run, shape (count,); infinite without a limit."""
        if isinstance(self.run_limit, tuple):
            return np.array([np.inf if one is None else one for one in self.run_limit])
        return _dealt(np.inf if self.run_limit is None else self.run_limit, self.count, {})


def _dealt(value: PerClient | str, count: int, modes: Mapping[str, Mode]) -> Floats:
    if isinstance(value, str):
        return modes[value].deal(count)
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (count,)).copy()
