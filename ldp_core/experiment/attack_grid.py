"""The request for an attack grid: the same images attacked under every mechanism and budget."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, ValidationError

from ldp_core import attacks, limits, mechanisms
from ldp_core.attacks import Facts, Reconstructor
from ldp_core.attacks.servers import Server
from ldp_core.component import Part
from ldp_core.errors import InvalidExperiment, Problem, one_of, shown
from ldp_core.experiment.attack import HONEST, SERVER, WHO
from ldp_core.experiment.conflicts import problems_of_lie, without_label
from ldp_core.experiment.overrides import changed
from ldp_core.experiment.planning import plan
from ldp_core.experiment.reading import parse, problems_of
from ldp_core.experiment.schema import Experiment
from ldp_core.fields import Checked, Choice, Number, Whole, refused
from ldp_core.mechanisms import Mechanism

RUNGS = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0)
"""Default ε: identification changes between 0.1 and 4, pixels between 4 and 16 (attacks, section 4)."""
DEFAULT = (mechanisms.get("piecewise"), mechanisms.get("duchi"))
NAMED = Part(mechanisms.registry, "name")


def _check_mechanisms(value: Any) -> tuple[Mechanism, ...]:
    allowed = limits.LADDER_MECHANISMS
    if not isinstance(value, list | tuple) or not allowed.allows(len(value)):
        raise refused(f"must be a list of {allowed} mechanisms; got {shown(value)}")
    found = tuple(cast(Mechanism, NAMED.check(item)) for item in value)
    names = [one.name for one in found]
    for one in found:
        plain = one.role == "identity"
        if names.count(one.name) > 1 or plain:
            why = "no noise is the control of every ladder" if plain else "it is named twice"
            raise refused(f"must name noisy mechanisms once each; got {shown(one.name)} ({why})")
    return found


def _check_epsilons(value: Any) -> tuple[float, ...]:
    allowed = limits.LADDER_RUNGS
    if not isinstance(value, list | tuple) or not allowed.allows(len(value)):
        raise refused(f"must be a list of {allowed} budgets; got {shown(value)}")
    return tuple(sorted({Number(limits.LADDER_EPSILON).check(item) or 0.0 for item in value}))


class Ladder(BaseModel):
    """An attack grid: one client's uploads in one round, under every mechanism and budget, and the attacker.

    Budgets are in each mechanism's own scope; ranges, data, model and training are the base experiment's. The
    global model is trained without noise up to the round, so all cells attack the same model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: Annotated[Experiment, Checked(parse), PlainSerializer(Experiment.as_json)] = Experiment()
    mechanisms: Annotated[
        tuple[Mechanism, ...],
        Checked(_check_mechanisms),
        PlainSerializer(lambda value: [NAMED.serialise(one) for one in value]),
    ] = DEFAULT
    epsilons: Annotated[tuple[float, ...], Checked(_check_epsilons)] = RUNGS
    upload: Annotated[str, Choice(("audit", "real"))] = Field("audit", description="what is attacked")
    attacker: Annotated[Reconstructor | None, WHO] = Field(None, description="who reconstructs")
    server: Annotated[Server, SERVER] = Field(HONEST, description="what the client is sent")
    client: Annotated[int, Whole(limits.Limit(1, limits.CLIENTS.maximum, 1))] = Field(
        1, description="whose images and range, by number from 1"
    )
    images: Annotated[int, Whole(limits.LADDER_IMAGES)] = Field(
        int(limits.LADDER_IMAGES.default), description="images attacked, one audit upload each"
    )
    round: Annotated[int, Whole(limits.LADDER_ROUND)] = Field(
        int(limits.LADDER_ROUND.default), description="round of training"
    )
    rounds_observed: Annotated[int, Whole(limits.OBSERVED)] = Field(
        int(limits.OBSERVED.default), description="uploads of the same values that the server sees"
    )
    candidates: Annotated[int, Whole(limits.CANDIDATES)] = int(limits.CANDIDATES.default)
    seed: Annotated[int, Whole(limits.SEED)] = int(limits.SEED.default)

    def experiment(self, mechanism: Mechanism | None) -> Experiment:
        """Base experiment under a mechanism; None for the noise-free training that precedes the attack."""
        # beyond its last round the base trains no further: a user who asks for a later one wants it trained
        rounds = max(self.base.rounds, self.round)
        # a rung's ε is in the mechanism's own scope
        clients = {"clients.run_limit": None, "clients.epsilon_scope": "mechanism", "trust.kind": "local"}
        shared = {"seed": self.seed, "attack": None, "rounds": rounds} | clients
        if mechanism is None:
            plain = {"mechanism": {"name": "none"}, "form": "corrected", "aggregator": {"name": "mean"}}
            return changed(self.base, shared | plain)
        return changed(self.base, shared | {"mechanism": NAMED.serialise(mechanism)})

    def attacker_of(self, mechanism: Mechanism) -> Reconstructor:
        """Reconstructor for uploads under a mechanism. Raises LookupError: no attacker suits the uploads;
        never for a parsed grid.
        """
        found = self.attacker or attacks.choose(self.facts(mechanism))
        if found is None:
            raise LookupError(f"no attacker suits {self.upload} uploads of {self.base.model.name}")
        return found

    def facts(self, mechanism: Mechanism) -> Facts:
        asked = plan(self.experiment(mechanism))
        return asked.facts(self.upload, self.rounds_observed, self.server)

    def as_json(self) -> dict[str, Any]:
        fields = self.model_dump(mode="json")
        if self.server == HONEST:  # as it was written before there was a choice
            del fields["server"]
        return fields


def parse_ladder(data: Any) -> Ladder:
    """Attack grid of a JSON object; missing fields take their defaults. Raises InvalidExperiment: every field
    that is wrong.
    """
    if isinstance(data, Ladder):
        return data
    if not isinstance(data, Mapping):
        raise InvalidExperiment.at("", f"a ladder must be a JSON object; got {shown(data)}")
    problems, given = [], dict(data)
    try:
        given["base"] = parse(given.get("base", {}))
    except InvalidExperiment as error:
        problems = [Problem(f"base.{p.path}" if p.path else "base", p.message) for p in error.problems]
        given["base"] = Experiment()
    try:
        ladder = Ladder.model_validate(given)
    except ValidationError as error:
        raise InvalidExperiment([*problems, *problems_of(error, given, Ladder)]) from None
    if problems := problems or list(_conflicts(ladder)):
        raise InvalidExperiment(problems)
    return ladder


def _conflicts(ladder: Ladder) -> Any:
    base, source = ladder.base, plan(ladder.base).source
    if ladder.client > base.clients.count:
        yield Problem("client", f"must lie between 1 and {base.clients.count}; got {ladder.client}")
    for mechanism in ladder.mechanisms:
        if base.form not in mechanism.forms:
            forms = one_of(mechanism.forms)
            yield Problem("base.form", f"must be {forms} for {mechanism.name}; got {base.form}")
        if mechanism.labelled and base.target != "class_means":
            yield Problem("mechanisms", without_label(mechanism.name))
            return
    lies = problems_of_lie(plan(ladder.experiment(None)), ladder.server, ladder.upload, ladder.attacker, "")
    if found := [*lies]:
        yield from found
        return
    name = ladder.attacker.name if ladder.attacker else "auto"
    why = attacks.unfit(base.model, source.shape, source.classes, name, base.local.optimizer)
    if not why and ladder.attacker is None and not attacks.choose(ladder.facts(ladder.mechanisms[0])):
        why = plan(base).why_no_attacker(ladder.upload)
    if why:
        yield Problem("attacker", f"will not do: {why}")
