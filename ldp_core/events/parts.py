"""JSON objects within events: images, guarantees, bounds, with validation of copied ones."""

from base64 import b64decode
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field

from ldp_core.accounting import AGAINST, Promise
from ldp_core.accounting.ledger_entry import EACH, SCOPES, TOGETHER, Unit
from ldp_core.accounting.worth import Word
from ldp_core.attacks.findings import verdict
from ldp_core.events.base import Count, Json, Like, Share, Some, fields_of
from ldp_core.experiment.of_system import Departure
from ldp_core.images import decode


def _decodes(image: Json) -> Json:
    b64decode(image["pixels"], validate=True)
    decode(image)
    return image


def _indexed(table: Json) -> Json:
    width = "<u2" if len(table["promises"]) <= 2**16 else "<u4"
    of = np.frombuffer(b64decode(table["of"], validate=True), dtype=width)
    if len(of) != table["clients"] or int(of.max()) >= len(table["promises"]):
        raise ValueError("a promise for each client")
    return table


Packed = Annotated[str, Field(max_length=10**6)]
"""Base64 of packed values."""
Shares = Annotated[list[Share], Field(max_length=1000)]
PerClass = Annotated[list[Share | None], Field(max_length=1000)]
Sentences = Annotated[list[str], Field(max_length=100)]
VerdictBody = Annotated[dict[str, str], fields_of(verdict.LeakVerdict)]
Departures = Annotated[list[Annotated[Json, fields_of(Departure)]], Field(max_length=200)]
PerGroup = Annotated[dict[str, Any], Like({"strict": float | None, "permissive": float | None})]
_shape = Annotated[list[Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1, max_length=4)]
Picture = Annotated[Json, Like({"shape": _shape, "pixels": Packed}), AfterValidator(_decodes)]
"""An image encoded by `ldp_core.images`."""
_pair = Annotated[Json, Like({"original": Picture, "image": Picture, "psnr": float})]
Pairs = Annotated[list[_pair], Field(max_length=20)]
_bound = Annotated[Json, Like({"name": str, "label": str, "value": float, "vacuous": bool})]
RunCaps = Annotated[list[_bound], Field(max_length=20)]
_spy = Annotated[Json, Like({"upload": Literal["audit", "real"], "attacker": str, "knows": Sentences})]
Spies = Annotated[list[_spy], Field(max_length=2)]
_measured = {
    "client": Some,
    "scope": Literal["upload", "run"],
    "attack": Literal["identification", "membership", "canary"],
    "epsilon_lower": Annotated[float, Field(gt=0)] | None,
    "confidence": Share,
    "trials": Count,
    "most": Annotated[float, Field(ge=0)],
    "right": Share,
    "why": str,
}
MeasuredBounds = Annotated[
    list[Annotated[Json, Like(_measured, frozenset({"right", "why"}))]], Field(max_length=1000)
]
_picked = {"client": Some, "helped": bool, "right": Count, "tries": Some, "candidates": Some}
FromSum = Annotated[list[Annotated[Json, Like(_picked)]], Field(max_length=1000)]
_mixed = {"client": Some, "question": Word, "clean": bool, "right": Count, "tries": Some, "candidates": Some}
_mixed |= {"heap": Some, "cap": float | None}
FromHeap = Annotated[list[Annotated[Json, Like(_mixed)]], Field(max_length=1000)]
_uses = {"uploads": Count, "epsilon": float | None, "delta": float, "left": float | None}
_client = Annotated[str, Field(pattern=r"^\d{1,6}$")]
Spent = Annotated[dict[_client, Annotated[Json, Like(_uses)]], Field(max_length=3)]
_scopes = dict.fromkeys(SCOPES, Annotated[Json, fields_of(Promise)])
_weighed = {
    "against": Annotated[str, Field(pattern="|".join(AGAINST))],
    "worth": Word,
    "unit": Unit,
    "persons": Count,
    **dict.fromkeys(TOGETHER, Annotated[Json, fields_of(Promise)]),
}
_entry = Annotated[Json, Like(_scopes | _weighed, frozenset(_weighed))]
_promises = Annotated[list[_entry], Field(min_length=1, max_length=100_000)]
_table = {"clients": Count, "promises": _promises, "of": Packed}
Ledger = (
    Annotated[list[_entry], Field(max_length=EACH)] | Annotated[Json, Like(_table), AfterValidator(_indexed)]
)
"""A ledger as JSON, as in `ldp_core.accounting.ledger_entry`."""
