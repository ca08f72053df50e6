"""The card of a saved upload: model, kind of upload, and the client's training settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ldp_core import datasets, limits, mechanisms, models, optimizers
from ldp_core.component import Part
from ldp_core.errors import InvalidExperiment, InvalidInput, Problem, one_of, shown
from ldp_core.experiment.reading import problems_of, read_json
from ldp_core.fields import Checked, Choice, Number, Whole, refused
from ldp_core.limits import Limit

MOST_BYTES = 100_000
SENT = {
    "weights": "arrays before/NAME and after/NAME: the weights that training began with and ended at",
    "update": "arrays update/NAME: after minus before",
    "gradient": "arrays gradient/NAME: of one batch's mean loss",
}


def _shape(value: Any) -> tuple[int, ...]:
    sides = value if isinstance(value, list | tuple) else [value]
    whole = all(isinstance(side, int) and not isinstance(side, bool) and 1 <= side <= 4096 for side in sides)
    if not whole or not 1 <= len(sides) <= 3:
        raise refused(f"must be a sample's sides, such as [28, 28] or [3, 32, 32]; got {shown(value)}")
    if len(sides) == 3 and sides[2] in (1, 3) and sides[0] not in (1, 3):
        raise refused(
            f"must have the channels first, like [{sides[2]}, {sides[0]}, {sides[1]}]; got {shown(value)}"
        )
    return tuple(sides)


def _ends(value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    number = Number(limits.BOUND)
    if not isinstance(value, Mapping) or {*value} != {"low", "high"}:
        raise refused(
            f'must be null or {{"low": …, "high": …}}, the range of each number; got {shown(value)}'
        )
    low, high = (number.check(value[end]) for end in ("low", "high"))
    if low is None or high is None or low >= high:
        raise refused(f"must have low below high; got {shown(value)}")
    return low, high


def _known(value: Any) -> str | None:
    return None if value is None else str(Part(datasets.registry, "name").check(value).name)


class UploadCard(BaseModel):
    """Facts about an upload that its arrays do not contain."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: Annotated[models.Model, Part(models.registry, "name")]
    shape: Annotated[tuple[int, ...], Checked(_shape)]
    classes: Annotated[int, Whole(Limit(2, 1000, 10, "classes"))]
    sent: Annotated[str, Choice(tuple(SENT))] = "weights"
    steps: Annotated[int, Whole(Limit(1, 1e9, 1, "steps"))] = 1
    batch: Annotated[int, Whole(limits.BATCH_SIZE)] = 1
    learning_rate: Annotated[float | None, Number(limits.LEARNING_RATE, optional=True)] = None
    optimizer: Annotated[optimizers.Optimizer, Part(optimizers.registry, "name")] = optimizers.get("sgd")
    clipped: Annotated[tuple[float, float] | None, Checked(_ends)] = None
    norm: Annotated[float | None, Number(limits.NORM, optional=True)] = None
    """Length that the whole change was scaled down to; None without such a limit."""
    mechanism: Annotated[mechanisms.Mechanism | None, Part(mechanisms.registry, "name", optional=True)] = None
    epsilon: Annotated[float | None, Number(limits.EPSILON, optional=True)] = None
    mean: Annotated[float, Number(Limit(-1e3, 1e3, 0))] = 0.0
    deviation: Annotated[float, Number(Limit(1e-3, 1e3, 1))] = Field(1.0)
    """Divisor of the network's input, (pixel − mean) / deviation."""
    dataset: Annotated[str | None, Checked(_known)] = None
    """Data set whose mean image is the guess for comparison; None without one."""

    @property
    def rate(self) -> float:
        return 1.0 if self.sent == "gradient" or self.learning_rate is None else self.learning_rate

    @property
    def alone(self) -> bool:
        """Whether the upload was made of one picture in one step."""
        return self.steps == 1 == self.batch


def stated(source: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """What a card says, from a JSON file or an object; StudioError if it cannot be read."""
    given = source if isinstance(source, Mapping) else read_json(_text(Path(source)))
    if not isinstance(given, Mapping):
        raise InvalidInput(f"a card is a JSON object; got {shown(given)}")
    return dict(given)


def read_card(source: str | Path | Mapping[str, Any]) -> UploadCard:
    """Card from a JSON file or an object; StudioError if it cannot be read, or a value is invalid."""
    whole = stated(source)
    try:
        if isinstance(named := whole.get("dataset"), str) and named in datasets.names():
            data = datasets.get(named)
            whole = {"shape": list(data.shape), "classes": data.classes, **whole}
        card = UploadCard.model_validate(whole)
    except ValidationError as error:
        raise InvalidExperiment(problems_of(error, whole, UploadCard)) from None
    except RecursionError:
        raise InvalidInput("a card is an object of a few levels, and this one goes far too deep") from None
    if wrong := [Problem(at, why) for at, why in _contradictions(card)]:
        raise InvalidExperiment(wrong)
    return card


def _contradictions(card: UploadCard) -> list[tuple[str, str]]:
    found = []
    if why := card.model.misfit(card.shape, card.classes):
        found.append(("model", f"does not fit samples of {' × '.join(map(str, card.shape))}: {why}"))
    asks, ways = card.model.asks(card.classes)
    if asks:
        found.append((f"model.{card.model.given_by}", f"leaves open: {asks} Write {one_of(ways)}"))
    if card.sent != "gradient" and card.learning_rate is None:
        found.append(("learning_rate", f"is missing: {card.sent} that were sent do not tell it"))
    if card.mechanism and card.mechanism.role != "identity":
        if card.epsilon is None:
            found.append(("epsilon", f"is missing: how much noise {card.mechanism.name} adds depends on it"))
        if card.clipped is None and card.mechanism.region == "box":
            found.append(("clipped", f"is missing: {card.mechanism.name} needs a safe range, low and high"))
    return found


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InvalidInput(f"the card {path.name} is longer than {MOST_BYTES // 1000} kB")
        return data.decode()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"cannot read {path}: it is no text") from None
