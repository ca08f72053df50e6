"""The attack settings of an experiment: which uploads are attacked during training, and by which attacker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from ldp_core import attacks, limits
from ldp_core.attacks import Reconstructor
from ldp_core.component import Component, Part, Registry
from ldp_core.errors import hint, one_of, shown
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
        if isinstance(item, bool) or not isinstance(item, int) or item < 1:
            raise refused(f"must name clients by whole numbers, which count from 1; got {shown(item)}")
    return tuple(dict.fromkeys(value))


def _check_rounds(value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    allowed = limits.ATTACKED_ROUNDS
    if not isinstance(value, list | tuple) or not allowed.allows(len(value)):
        raise refused(f"must be a list of {allowed} rounds, or null; got {shown(value)}")
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int) or item < 1:
            raise refused(f"must name rounds by whole numbers from 1; got {shown(item)}")
    return tuple(sorted(set(value)))


def _check_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise refused(f"must be true or false; got {shown(value)}")
    return value


def attackers() -> tuple[str, ...]:
    """Values of the field `attacker`: "auto" and every reconstructor's name."""
    return ("auto", *attacks.reconstructors())


@dataclass(frozen=True)
class Who:
    """Validator of a field that names a reconstructor with its parameters; None stands for "auto"."""

    part: Part
    """Validator of the reconstructor's name and parameters."""

    @property
    def registry(self) -> Registry[Any]:
        return self.part.registry

    @property
    def key(self) -> str:
        """Key of the name in the field's JSON object."""
        return self.part.key

    def check(self, value: Any) -> Component | None:
        """Reconstructor of a JSON value. Raises PydanticCustomError: the name is unknown, or a parameter is
        wrong.
        """
        if value is None or isinstance(value, Reconstructor):
            return value
        name = value.get(self.key) if isinstance(value, Mapping) else value
        if not isinstance(name, str) or name not in attackers():
            hinted = hint(name, attackers())
            raise refused(f"must be {one_of(attackers())}; got {shown(name)}{hinted}")
        return None if value == "auto" or value == {self.key: "auto"} else self.part.check(value)

    def serialise(self, component: Component | None) -> Any:
        """JSON value of a reconstructor: its bare name if it has no parameters of its own."""
        return "auto" if component is None else self.part.serialise(component)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(self.serialise)
        )


WHO = Who(Part(attacks.registry, "name", short=True))


class Attack(BaseModel):
    """Settings of the attack during training: clients, kind of upload, rounds, attacker.

    Identification by the exact likelihood is computed for every audit upload, whatever the reconstructor.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attacker: Annotated[Reconstructor | None, WHO] = Field(
        None, description="who reconstructs; auto: what suits model, mechanism and upload best"
    )
    clients: Annotated[tuple[int, ...] | None, Checked(_check_clients)] = Field(
        None, description="clients by number from 1; null: the strictest, the median, the most permissive"
    )
    uploads: Annotated[str, Choice(tuple(UPLOADS))] = Field("audit", description="what is attacked")
    rounds_observed: Annotated[int, Whole(limits.OBSERVED)] = Field(
        int(limits.OBSERVED.default), description="uploads of the same values that the server sees"
    )
    every: Annotated[int, Whole(limits.ATTACK_EVERY)] = Field(
        int(limits.ATTACK_EVERY.default), description="rounds from one attack to the next, from round 1 on"
    )
    rounds: Annotated[tuple[int, ...] | None, Checked(_check_rounds)] = Field(
        None, description="rounds in which uploads are attacked, from 1; null: every so many"
    )
    after: Annotated[bool, Checked(_check_flag)] = Field(
        False, description="attacks wait until the training is over; of round 1 alone"
    )
    candidates: Annotated[int, Whole(limits.CANDIDATES)] = Field(
        int(limits.CANDIDATES.default), description="images among which the right one is to be found"
    )

    canary: Annotated[bool, Checked(_check_flag)] = Field(
        False, description="also tell planted uploads apart, as different as the mechanism allows"
    )

    def attacked(self, last: int) -> Sequence[int]:
        """Attacked rounds among rounds 1 to `last`."""
        return self.rounds or range(1, last + 1, self.every)

    @property
    def kinds(self) -> tuple[str, ...]:
        return ("audit", "real") if self.uploads == "both" else (self.uploads,)


def check_attack(value: Any) -> Attack | None:
    """Attack of a JSON value: `"auto"`, null or an object."""
    if value is None or isinstance(value, Attack):
        return value
    if value == "auto":
        return Attack()
    if not isinstance(value, dict):
        raise refused(f"must be “auto”, null or an object; got {shown(value)}")
    return Attack(**value)


def attack_as_json(attack: Attack | None) -> Any:
    if attack is None:
        return None
    if attack == Attack():
        return "auto"
    fields = attack.model_dump(mode="json")
    # as it was written before there was a choice, so that such runs keep their key
    if attack.every == 1:
        del fields["every"]
    if attack.rounds is None:
        del fields["rounds"]
    for flag in ("after", "canary"):
        if not fields[flag]:
            del fields[flag]
    return fields
