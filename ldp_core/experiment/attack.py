"""The attack settings of an experiment: which uploads are attacked during training, and by which attacker."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ldp_core import attacks, limits
from ldp_core.attacks import Facts, Reconstructor, servers
from ldp_core.attacks.servers import Server
from ldp_core.component import Component, Part
from ldp_core.errors import hint, one_of, shown
from ldp_core.fields import Checked, Choice, Whole, refused

UPLOADS = {
    "audit": "an upload made of one image in one step: the worst case",
    "real": "an upload such as the client sends: its own images, batch size and epochs",
    "both": "one of each",
}


def _numbered(what: str, most: limits.Limit, order: Callable[..., Iterable[int]] = iter) -> Checked:
    """Validator of a list of whole numbers from 1, without duplicates, or null."""

    def check(value: Any) -> tuple[int, ...] | None:
        if value is None:
            return None
        if not isinstance(value, list | tuple) or not most.allows(len(value)):
            raise refused(f"must be a list of {most} {what}, or null; got {shown(value)}")
        for item in value:
            if isinstance(item, bool) or not isinstance(item, int) or item < 1:
                raise refused(f"must name {what} by whole numbers from 1; got {shown(item)}")
        return tuple(order(dict.fromkeys(value)))

    return Checked(check)


def _check_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise refused(f"must be true or false; got {shown(value)}")
    return value


def attackers() -> tuple[str, ...]:
    """Values of the field `attacker`: "auto" and every reconstructor's name."""
    return ("auto", *attacks.reconstructors())


@dataclass(frozen=True)
class Who(Part):
    """Validator of a field that names a reconstructor with its parameters; None stands for "auto"."""

    def check(self, value: Any) -> Any:
        if value is None or isinstance(value, Reconstructor):
            return value
        name = value.get(self.key) if isinstance(value, Mapping) else value
        if not isinstance(name, str) or name not in attackers():
            hinted = hint(name, attackers())
            raise refused(f"must be {one_of(attackers())}; got {shown(name)}{hinted}")
        return None if value == "auto" or value == {self.key: "auto"} else super().check(value)

    def serialise(self, component: Component | None) -> Any:
        return "auto" if component is None else super().serialise(component)


WHO = Who(attacks.registry, "name", short=True)
SERVER = Part(servers.registry, "name", short=True)
HONEST = servers.get("honest")


class Attack(BaseModel):
    """Settings of the attack during training: clients, kind of upload, rounds, attacker.

    Identification by the exact likelihood is computed for every audit upload, whatever the reconstructor.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attacker: Annotated[Reconstructor | None, WHO] = Field(
        None, description="who reconstructs; auto: what suits model, mechanism and upload best"
    )
    clients: Annotated[tuple[int, ...] | None, _numbered("clients", limits.Limit(1, 12, 3))] = Field(
        None, description="clients by number from 1; null: the strictest, the median, the most permissive"
    )
    uploads: Annotated[str, Choice(tuple(UPLOADS))] = Field("audit", description="what is attacked")
    server: Annotated[Server, SERVER] = Field(HONEST, description="what the attacked clients are sent")
    rounds_observed: Annotated[int, Whole(limits.OBSERVED)] = Field(
        int(limits.OBSERVED.default), description="uploads of the same values that the server sees"
    )
    every: Annotated[int, Whole(limits.ATTACK_EVERY)] = Field(
        int(limits.ATTACK_EVERY.default), description="rounds from one attack to the next, from round 1 on"
    )
    rounds: Annotated[tuple[int, ...] | None, _numbered("rounds", limits.ATTACKED_ROUNDS, sorted)] = Field(
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
    if attack.server == HONEST:
        del fields["server"]
    for flag in ("after", "canary"):
        if not fields[flag]:
            del fields[flag]
    return fields


@dataclass(frozen=True)
class Spy:
    """An attack on one kind of upload: the reconstructor, and the public facts it uses."""

    upload: str
    """Kind of upload, "audit" or "real"."""
    who: Reconstructor
    facts: Facts

    @property
    def attacker(self) -> str:
        return self.who.name

    @property
    def knows(self) -> tuple[str, ...]:
        return tuple(self.who.knows(self.facts))

    def as_json(self) -> dict[str, Any]:
        return {"upload": self.upload, "attacker": self.attacker, "knows": list(self.knows)}
