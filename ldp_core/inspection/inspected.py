"""The attack on one saved upload, with the assumptions that can be checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core import attacks, datasets, mechanisms
from ldp_core.attacks import Facts, Observation, PublicImages, Reconstructor
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.attacks.observation import Image
from ldp_core.datasets import data_dir
from ldp_core.errors import DataUnavailable, InvalidInput
from ldp_core.images import encode
from ldp_core.inspection.arrays import Arrays
from ldp_core.inspection.assumptions import SAME, clipped, of_arrays, of_change, of_picture, resolution
from ldp_core.inspection.layout import Assumption, flat, grouped
from ldp_core.inspection.upload_card import UploadCard
from ldp_core.limits import BOUND, number
from ldp_core.models.dense import no_dense_start
from ldp_core.streams import stream

PICTURES = 20
PUBLIC = 512
"""Largest number of held-out images that the attacker may know."""
EDGE = 0.05
"""Distance from 0 and 1 that a pixel may have by rounding."""


@dataclass(frozen=True)
class Upload:
    """An upload whose arrays fit the card's model."""

    card: UploadCard
    seen: Observation
    begun: bool
    """Whether the initial weights are known, so that uploads of images can be computed."""
    originals: NDArray[np.float64] | None
    same: float
    """Squared distance, over the change's squared length, of uploads that differ by rounding alone."""

    def pictures(self, inputs: Image) -> Image:
        """Network inputs (n, *shape) as pixels."""
        return inputs * self.card.deviation + self.card.mean

    def inputs(self, pixels: NDArray[Any]) -> NDArray[np.float32]:
        return ((np.asarray(pixels, dtype=np.float64) - self.card.mean) / self.card.deviation).astype(
            np.float32
        )


def inspected(arrays: Arrays, card: UploadCard) -> dict[str, Any]:
    """Result of the attack, and the findings on its assumptions; InvalidInput for arrays that contradict the
    card.
    """
    groups = grouped(arrays, card.sent)
    needed = ("before", "after") if card.sent == "weights" else (card.sent,)
    if missing := [name for name in needed if name not in groups]:
        raise InvalidInput(
            f"the card says that {card.sent} were sent, and the npz has no arrays {missing[0]}/…"
        )
    originals = _originals(groups.pop("", {}), card)
    found = of_arrays(groups, card)
    if not all(one.holds for one in found):
        return _said(found, {})
    same = max(SAME, 10 / max(resolution(groups)[0], 1e-9) ** 2)
    upload = _observed({name: flat(some) for name, some in groups.items()}, card, originals, same)
    found += of_change(upload.seen, card)
    return _attacked(upload, found)


def _originals(beside: Arrays, card: UploadCard) -> NDArray[np.float64] | None:
    """Original pictures (n, *shape) from the file; None without."""
    if not beside:
        return None
    (pictures,) = beside.values()
    found = pictures.reshape(-1, *card.shape) if pictures.shape == card.shape else pictures
    if found.shape[1:] != card.shape or not 1 <= len(found) <= 10_000:
        raise InvalidInput(f"originals have the shape {found.shape}; the card asks for (n, {card.shape})")
    if not np.isfinite(found).all():
        raise InvalidInput("originals have pixels that are no numbers")
    return found.astype(np.float64)


def _observed(
    vectors: dict[str, NDArray[np.float64]],
    card: UploadCard,
    originals: NDArray[np.float64] | None,
    same: float,
) -> Upload:
    size = card.model.dimension(card.shape, card.classes)
    before = vectors.get("before")
    by_range = card.clipped is not None and card.sent == "weights"
    change = -vectors["gradient"] if card.sent == "gradient" else vectors.get("update")
    if change is None:
        change = vectors["after"] - vectors["before"]
    noise = card.mechanism or mechanisms.get("none")
    low, high = card.clipped or (-BOUND.maximum, BOUND.maximum)
    slices = card.model.layers(card.shape, card.classes) if noise.scope == "layer" else (slice(0, size),)
    parts = tuple((at, noise.fitted(mechanisms.Use(at.stop - at.start))) for at in slices)
    seen = Observation(
        uploads=(vectors["after"] if by_range else change)[None, None].astype(np.float32),
        previous=(np.zeros(size) if before is None else before).astype(np.float32),
        target="weights" if by_range else "update",
        optimizer=card.optimizer,
        nominal_rate=card.rate,
        model=card.model,
        shape=card.shape,
        classes=card.classes,
        parts=parts,
        epsilon=np.array([card.epsilon or 1.0]),
        low=np.array([low]),
        high=np.array([high]),
        batch_size=card.batch,
        epochs=1,
        public=_public(card),
        shortened_by=parts[0][1] if noise.region == "ball" else None,
    )
    return Upload(card, seen, before is not None, originals, same)


def _public(card: UploadCard) -> PublicImages | None:
    """Held-out pictures of the card's data set, if the data are on this machine."""
    if card.dataset is None or datasets.get(card.dataset).shape != card.shape:
        return None
    source = datasets.get(card.dataset)
    try:
        data = source.load(data_dir()) if source.there(data_dir()) else None
    except DataUnavailable:
        return None
    return None if data is None else PublicImages(data.test_x[:PUBLIC], data.test_y[:PUBLIC])


def _attacked(upload: Upload, found: list[Assumption]) -> dict[str, Any]:
    card, seen = upload.card, upload.seen
    facts = Facts(
        upload="audit" if card.alone else "real",
        target=seen.target,
        optimizer=card.optimizer,
        learning_rate=seen.learning_rate,
        model=card.model,
        mechanism=seen.mechanism,
        batch_size=card.batch,
        epochs=card.steps,
        rounds=1,
        shape=card.shape,
        classes=card.classes,
    )
    who = attacks.choose(facts)
    searches = who is not None and bool(no_dense_start(card.model, card.shape, card.classes))
    if searches and not upload.begun:
        why = "such a model is searched, which takes the weights that training began with: save before/… too"
        return _said([*found, Assumption("weights before", False, why)], {})
    if searches and (card.mean, card.deviation) != (0, 1):
        why = (
            "a search here takes pixels as they are, and these were standardised; save an upload made without"
        )
        return _said([*found, Assumption("pixels as they are", False, why)], {})
    if who is None:
        why = attacks.unfit(card.model, card.shape, card.classes, "auto", card.optimizer)
        much = f"{card.batch} pictures in {card.steps} steps"
        why = why or f"no attacker here reads {much} through {card.model.title}"
        return _said([*found, Assumption("an attacker for it", False, why)], {})
    cut = clipped(seen) > 0 and seen.mechanism.role == "identity"
    if cut and who.name == "least_squares":
        who = attacks.reconstructor("trimmed")
    if (card.mean, card.deviation) != (0, 1) and not who.many:
        who = attacks.reconstructor("least_squares")  # others take pixels for positive
    guesses = upload.pictures(who.reconstruct(seen, generator=stream(0, "reconstruction"))[0])
    out = {"attacker": who.name, **_pictures(guesses, upload, who)}
    if card.alone:
        picture = upload.inputs(guesses[:1])
        holds = all(one.holds is not False for one in found)
        low, high = float(guesses[0].min()), float(guesses[0].max())
        if (
            holds
            and not searches
            and seen.mechanism.role == "identity"
            and not -EDGE < low <= high < 1 + EDGE
        ):
            why = f"the picture runs from {number(low, 2)} to {number(high, 2)}: was it standardised? "
            why += "The card's mean and deviation say how"
            found.append(Assumption("pixels from 0 to 1", False, why))
        if upload.begun:
            remade, finding = of_picture(seen, picture, card, not searches and not cut, upload.same)
            out |= {"label": int(seen.labels()[0]), "remade": remade}
            found += [finding] if finding and holds else []
    elif "psnr" not in out:
        why = "without the originals nothing here can tell which of these are pictures of the batch"
        found.append(Assumption("the pictures are the batch's", None, why))
    return _said(found, out)


def _pictures(guesses: Image, upload: Upload, who: Reconstructor) -> dict[str, Any]:
    """Reconstructions, most certain first, with their quality if the file has the originals."""
    usable = guesses[np.isfinite(guesses).reshape(len(guesses), -1).all(axis=1)]
    out: dict[str, Any] = {"pictures": [encode(one) for one in usable[:PICTURES]]}
    mean = upload.seen.public.x.mean(0) if upload.seen.public else None
    out["mean_image"] = None if mean is None else encode(mean)
    if (originals := upload.originals) is not None and len(usable):
        pairs = metrics.psnr_pairs(usable if who.many else usable[:1], originals)
        out["psnr"] = [float(one) for one in pairs.max(axis=0)]
        if mean is not None:
            out["psnr_mean_image"] = [float(one) for one in metrics.psnr_pairs(mean[None], originals)[0]]
    return out


def _said(found: list[Assumption], out: dict[str, Any]) -> dict[str, Any]:
    """The result as JSON: the first assumption that fails, else the reconstructions."""
    failed = next((one for one in found if one.holds is False), None)
    if failed:
        verdict, says = "an assumption fails", f"{failed.assumption}: {failed.says}"
    elif not out.get("pictures"):
        verdict, says = "cannot tell", "no picture came of it; an attack that fails proves nothing"
    else:
        last = found[-1].says
        verdict, says = "cannot tell" if found[-1].holds is None else "comes back", last
        if out.get("psnr"):
            best, mean = max(out["psnr"]), out.get("psnr_mean_image")
            guess = f", the mean image {max(mean):.1f} dB" if mean else ""
            verdict = "comes back" if best >= RECOVERED_DB else "does not come back"
            says = f"the closest picture is at {best:.1f} dB of the original{guess}; {last}"
    return {"verdict": verdict, "says": says, "assumptions": [one._asdict() for one in found], **out}
