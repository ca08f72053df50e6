"""What is attacked during training, and by whom."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ldp_core.errors import shown
from ldp_core.fields import Checked, Choice, refused


def _check_clients(value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= 12:
        raise refused(f"must be a list of 1 to 12 clients, or null; got {shown(value)}")
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int) or item < 0:
            raise refused(f"must name clients by whole numbers from 0; got {shown(item)}")
    return tuple(dict.fromkeys(value))


class Attack(BaseModel):
    """One image, one step, each round: the audit uploads of a few clients, and who attacks them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    attacker: Annotated[str, Choice(("auto", "least_squares"))] = "auto"
    clients: Annotated[tuple[int, ...] | None, Checked(_check_clients)] = Field(
        None, description="clients by number from 0; null: the strictest, the median, the most permissive"
    )


def check_attack(value: Any) -> Attack | None:
    """`"auto"`, null or an object."""
    if value is None or isinstance(value, Attack):
        return value
    if value == "auto":
        return Attack()
    if not isinstance(value, dict):
        raise refused(f"must be “auto”, null or an object; got {shown(value)}")
    return Attack(**value)


def attack_as_json(attack: Attack | None) -> Any:
    """The shortest JSON that `check_attack` reads back."""
    if attack is None:
        return None
    return "auto" if attack == Attack() else attack.model_dump(mode="json")
