"""A cache for functions of a plan."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ldp_core.experiment.planning import Plan, of_version
from ldp_core.experiment.schema import Experiment

T = TypeVar("T")
P = ParamSpec("P")


def kept(most: int) -> Callable[[Callable[Concatenate[Plan, P], T]], Callable[Concatenate[Plan, P], T]]:
    """`lru_cache` for functions of a plan, which it does not hold on to."""

    def made(function: Callable[Concatenate[Plan, P], T]) -> Callable[Concatenate[Plan, P], T]:
        @lru_cache(most)
        def cached(experiment: Experiment, version: str, *of: Any, **named: Any) -> T:
            return function(of_version(experiment, version), *of, **named)

        found: Callable[..., T] = cached

        def of_plan(one: Plan, /, *of: P.args, **named: P.kwargs) -> T:
            return found(one.experiment, one.source.version, *of, **named)

        return wraps(function)(of_plan)

    return made
