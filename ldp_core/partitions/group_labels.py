"""Groups of clients with only some of the classes."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ldp_core.errors import InvalidInput, shown
from ldp_core.fields import Checked, Number, refused
from ldp_core.limits import FRACTION, number
from ldp_core.partitions.base import Indices, Partition


def _check_labels(value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    whole = isinstance(value, list | tuple) and all(type(item) is int and item >= 0 for item in value)
    if not whole or not value:
        raise refused(f"must be a list of classes by number, or null; got {shown(value)}")
    return tuple(value)


class Group(BaseModel):
    """A share of the clients, in client order, and their classes (null: all)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    share: Annotated[float, Number(FRACTION)] = Field(description="share of the clients")
    labels: Annotated[tuple[int, ...] | None, Checked(_check_labels)] = Field(
        None, description="classes held; null for all"
    )


class GroupLabels(Partition):
    """Shards of equal size, as far as samples suffice; restricted groups are assigned first."""

    label = "by group"
    summary = "Groups of clients hold only some of the classes, so that whoever is ignored takes them along."
    reference = "Scenario “Who is silenced”"

    groups: tuple[Group, ...] = Field(
        (Group(share=0.8, labels=None), Group(share=0.2, labels=(0, 1, 2, 3, 4))),
        min_length=1,
        strict=False,
        description="groups in client order; their shares add up to 1",
    )

    @model_validator(mode="after")
    def _shares_add_up(self) -> GroupLabels:
        total = sum(group.share for group in self.groups)
        if abs(total - 1) > 1e-6:
            raise ValueError(f"the groups' shares must add up to 1; got {number(total, 6)}")
        return self

    def split(self, labels: Indices, count: int, generator: np.random.Generator) -> list[Indices]:
        ends = np.round(np.cumsum([g.share for g in self.groups]) * count).astype(int)
        starts = np.concatenate([[0], ends[:-1]])
        left = generator.permutation(len(labels))
        quota = len(labels) // count
        shards: list[Indices] = [np.empty(0, dtype=np.int64)] * count
        restricted_first = sorted(
            range(len(self.groups)),
            key=lambda i: np.inf if self.groups[i].labels is None else len(self.groups[i].labels or ()),
        )
        for i in restricted_first:
            clients, held = range(starts[i], ends[i]), self.groups[i].labels
            if not clients:
                continue
            fits = np.ones(len(left), bool) if held is None else np.isin(labels[left], held)
            dealt = np.flatnonzero(fits)[: quota * len(clients)]
            if len(dealt) < len(clients):
                raise InvalidInput(
                    f"group {i + 1} has {len(clients)} clients but only {len(dealt)} samples of its "
                    f"labels {list(held or [])}; give it more labels or a smaller share"
                )
            for client, shard in zip(clients, np.array_split(left[dealt], len(clients)), strict=True):
                shards[client] = shard
            # the labels just dealt are gone from the front: shuffle, or the next clients lack them
            left = generator.permutation(np.delete(left, dealt))
        return shards
