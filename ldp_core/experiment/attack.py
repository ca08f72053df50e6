"""What is attacked during training, and by whom."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ldp_core import attacks, limits
from ldp_core.errors import shown
from ldp_core.fields import Checked, Choice, Whole, refused

UPLOADS = {
    "audit": "an upload made of one image in one step: the worst case",
    "real": "an upload such as the client sends: its own images, batch size and epochs",
    "both": "one of each",
}


def _check_clients(value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= 12:
        raise refused(f"must be a list of 1 to 12 clients, or null; got {shown(value)}")
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int) or item < 0:
            raise refused(f"must name clients by whole numbers from 0; got {shown(item)}")
    return tuple(dict.fromkeys(value))


def attackers() -> tuple[str, ...]:
    """What `attacker` may be: "auto", or a reconstructor by name."""
    return ("auto", *attacks.reconstructors())


class Attack(BaseModel):
    """Whose uploads are attacked in each round, of which kind, and by whom.

    Identification by the exact likelihood is tried on every audit upload, whoever reconstructs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attacker: Annotated[str, Choice(attackers())] = Field(
        "auto", description="who reconstructs; auto: what suits model, mechanism and upload best"
    )
    clients: Annotated[tuple[int, ...] | None, Checked(_check_clients)] = Field(
        None, description="clients by number from 0; null: the strictest, the median, the most permissive"
    )
    uploads: Annotated[str, Choice(tuple(UPLOADS))] = Field("audit", description="what is attacked")
    rounds_observed: Annotated[int, Whole(limits.OBSERVED)] = Field(
        int(limits.OBSERVED.default), description="uploads of the same values that the server sees"
    )
    candidates: Annotated[int, Whole(limits.CANDIDATES)] = Field(
        int(limits.CANDIDATES.default), description="images among which the right one is to be found"
    )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of upload that are attacked, in order."""
        return ("audit", "real") if self.uploads == "both" else (self.uploads,)


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
