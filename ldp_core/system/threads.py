"""Number of threads of a run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from ldp_core.system import memory

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit torch to one thread inside the context.

    With more, small products wait for one another: a run took 6 to 16 times the CPU, and had other last bits.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def on_one_thread(events: Callable[P, Iterator[T]]) -> Callable[P, Iterator[T]]:
    """Decorator of a generator function: its steps run on one thread and reuse freed memory."""

    @wraps(events)
    def stepped(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        memory.keep_what_is_freed()
        under_way = events(*args, **kwargs)
        while True:
            with one_thread():
                try:
                    said = next(under_way)
                except StopIteration:
                    return
            yield said

    return stepped
