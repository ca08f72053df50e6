"""`NAME.json` beside a table or a folder of pictures: its owner's description and answers, and the questions
that it still leaves open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationError,
)

from ldp_core.errors import InvalidInput, one_of, printable, shown
from ldp_core.hints import hint

MOST_CARD = 2**20
MOST_NAME = 80
Scale = tuple[float, float] | tuple[str, ...]
"""Least and largest number, or the values of a category."""


def _printable(text: str) -> str:
    if not printable(text):
        raise ValueError("must be printable")
    return text


def _sound(scale: Scale) -> Scale:
    if scale and isinstance(scale[0], str):
        return tuple(dict.fromkeys(map(str, scale)))
    if len(scale) != 2 or not -1e300 < float(scale[0]) < float(scale[1]) < 1e300:
        raise ValueError("must be its least and its most, as [0, 100], or its values, as a list of texts")
    return scale


Name = Annotated[str, StringConstraints(max_length=MOST_NAME), AfterValidator(_printable)]


class Card(BaseModel):
    """What is not set is guessed or asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: Name | None = None
    client: Name | None = None
    """Heading of the column that names each row's client; if set, but empty, no column does."""
    person: Name | None = None
    """Heading of the column that names each row's person, where clients hold rows of several."""
    rows_each: Annotated[StrictInt, Field(ge=1, le=1000)] = 10
    """Number of rows that are kept of each person, the first of the file."""
    scales: dict[Name, Annotated[tuple[float, float] | tuple[Name, ...], AfterValidator(_sound)]] = {}
    leave_out: tuple[Name, ...] = ()
    gaps: dict[Name, StrictBool] = {}
    """For a column, whether None, NA and the like are gaps in it, or values."""
    headings: StrictBool | Literal["skip"] | None = None
    """Whether the first line names the columns; "skip" where it is neither that nor a row."""
    encoding: Literal["cp1252", "gb18030", "cp1251", "shift_jis"] | None = None
    decimal: Literal[".", ","] | None = None
    held_out: Literal["test", "valid", "a fifth"] | None = None
    folders: Literal["class", "client/class", "group/class"] | None = None
    """What the folders of pictures are, from outside in."""

    @classmethod
    def of(cls, data: bytes) -> Card:
        """Card from a JSON object. InvalidInput: the end of a sentence that begins with the file's name."""
        if len(data) > MOST_CARD:
            raise InvalidInput(f"has more than {MOST_CARD >> 20} MB")
        try:
            given = json.loads(data or b"{}")
        except (ValueError, RecursionError):
            raise InvalidInput("is not JSON") from None
        return cls.checked(given)

    @classmethod
    def checked(cls, given: Any) -> Card:
        known = [*cls.model_fields]
        if not isinstance(given, dict):
            raise InvalidInput(f"must be an object with {one_of(known)}; got {shown(given)}")
        for name in given:
            if name not in known:
                raise InvalidInput(f"takes {one_of(known)}; got {shown(name)}{hint(name, known)}")
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            one = error.errors()[0]
            place = " of ".join(shown(str(part)) for part in one["loc"][:2][::-1])
            message = one["msg"].removeprefix("Value error, ")
            raise InvalidInput(f"has a wrong {place}: {message}; got {shown(one['input'])}") from None

    def as_json(self) -> dict[str, Any]:
        own = self.model_dump(mode="json", exclude_unset=True)
        return own | ({"client": self.client or None} if "client" in own else {})

    @property
    def says_client(self) -> bool:
        return "client" in self.model_fields_set

    def with_answer(self, answer: Mapping[str, Any]) -> Card:
        """This card with what an answer states."""
        return Card.checked(_merged(self.as_json(), answer))

    def refuse_unknown(self, headings: tuple[str, ...]) -> None:
        """Raise InvalidInput for a column that the card names and the table lacks."""
        for name in self.named:
            if name not in headings:
                raise InvalidInput(
                    f"names the column {shown(name)}, and the table has "
                    f"{shown(', '.join(headings), 200)}{hint(name, headings)}"
                )

    @property
    def named(self) -> list[str]:
        """Headings of the columns that the card names."""
        one = filter(None, (self.target, self.client, self.person))
        return [*one, *self.scales, *self.leave_out, *self.gaps]


def _merged(own: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    parts = {name: {**own.get(name, {}), **one} for name, one in answer.items() if isinstance(one, dict)}
    return {**own, **answer, **parts}


@dataclass
class Seen:
    """What is foreign as understood, for people: what a card shows of a table, pictures, a network, an upload
    or samples.
    """

    card: Card = field(default_factory=Card)
    """Of a table or pictures."""
    rows: list[list[str]] = field(default_factory=list)
    """The headings, and the first rows as understood."""
    columns: list[list[str]] = field(default_factory=list)
    """Name, kind, scale of each column and the scale's origin."""
    notes: list[str] = field(default_factory=list)
    """What was guessed, lost and left out, in sentences without full stops."""
    questions: list[dict[str, Any]] = field(default_factory=list)
    gives: list[str] = field(default_factory=list)
    """What the data can give, before any noise."""
    guessing: float = 0.0
    """Accuracy of naming the commonest class, and below of a model of all data without noise."""
    ceiling: float | None = None

    def ask(self, asks: str, *answers: tuple[str, Mapping[str, Any]], proved: bool = False) -> None:
        """A question, or a choice that is `proved` already, with what each answer states in the card; the
        first is taken until another is chosen. Without answers, it is to be stated.
        """
        said = [{"says": says, "card": dict(card)} for says, card in answers]
        self.questions.append({"asks": asks, "open": not proved, "answers": said})

    @property
    def open(self) -> list[dict[str, Any]]:
        return [one for one in self.questions if one["open"]]

    def first(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """What is stated with the first answer to each question."""
        for one in self.questions:
            own = _merged(own, one["answers"][0]["card"]) if one["answers"] else own
        return dict(own)

    def taken(self) -> Card:
        """The card with the first answer to each question."""
        return Card.checked(self.first(self.card.as_json()))

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "card": self.card.as_json()}

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Seen:
        return cls(**{**given, "card": Card.checked(given["card"])})
