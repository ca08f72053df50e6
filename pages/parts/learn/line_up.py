"""Ten candidate images, one of them behind an upload: the candidate that the attacker picks at each ε."""

from functools import cache
from typing import Any

import numpy as np
import streamlit as st

from ldp_core import attacks, mechanisms
from ldp_core.attacks import Observation, PublicImages
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.likelihood import places
from ldp_core.datasets import data_dir
from ldp_core.experiment import changed, parse, plan
from ldp_core.images import encode
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream
from pages.parts.ui import components
from pages.parts.ui.text import number

LAWS = ("piecewise", "duchi")
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
CANDIDATES, OWN, TRIES = 10, 3, 20
HALF = 0.1
"""τ: changes are clipped to ±τ."""
TITLE = "Who it was goes long before what it looks like"
CAPTION = (
    f"One step on one image of {CANDIDATES}, sent once as changes within ±{HALF:g}. Picked by the "
    "exact likelihood; the picture is the closed form “rank 1” of the first of "
    f"{TRIES} tries, and another attacker may draw a better one."
)


def line_up() -> None:
    labels = mechanisms.registry.labels()
    with st.container(border=True, key="lesson-lineup"):
        st.header(TITLE, anchor=False)
        law = st.segmented_control(
            "Mechanism",
            LAWS,
            default=LAWS[0],
            format_func=labels.__getitem__,
            required=True,
            key="law of ten",
        )
        components.draw("lineup", data(law), key=f"line-up {law}")
        st.caption(CAPTION)


@cache
def data(law: str) -> dict[str, Any]:
    """Data for assets/web/lineup.js."""
    base = changed(
        parse({"target": "update", "clients": {"count": TRIES, "range": HALF}}), {"mechanism.name": law}
    )
    stock = plan(base).source.load(data_dir())
    chosen = stream(base.seed, "attack decoys").permutation(len(stock.test_y))[:CANDIDATES]
    ten = PublicImages(stock.test_x[chosen], stock.test_y[chosen])
    first = plan(base).network.initial(stock.shape, stock.classes, stream(base.seed, "initial model"))
    sent = first_changes(first.astype(np.float64), ten, base.local.learning_rate)
    own = ten.x[OWN : OWN + 1].astype(np.float64)
    mean_image = metrics.psnr(stock.test_x.mean(axis=0, dtype=np.float64)[None], own)[0]
    steps = []
    for epsilon in EPSILONS:
        budget = np.full(TRIES, epsilon), np.full(TRIES, -HALF), np.full(TRIES, HALF)
        columns = budget[0][:, None], budget[1][:, None], budget[2][:, None]
        values = np.repeat(sent[OWN : OWN + 1], TRIES, axis=0)
        noise = stream(base.seed, "attack noise", 1)
        (piece,) = plan(base).pieces(1)
        seen = Observation(
            uploads=piece.mechanism.perturb(values, *columns, noise)[None],
            previous=first,
            target=base.target,
            optimizer=base.local.optimizer,
            nominal_rate=base.local.learning_rate,
            model=plan(base).network,
            shape=stock.shape,
            classes=stock.classes,
            parts=((slice(0, sent.shape[1]), piece.mechanism),),
            epsilon=budget[0],
            low=budget[1],
            high=budget[2],
        )
        asked = PublicImages(np.repeat(ten.x[None], TRIES, 0), np.repeat(ten.y[None], TRIES, 0))
        scores = attacks.identifier().scores(seen, asked, np.repeat(sent[None], TRIES, 0))
        lots = noise.random(TRIES)
        right = int((places(scores, np.full(TRIES, OWN), lots).rank == 1).sum())
        read = attacks.reconstructor("rank_one").reconstruct(seen, generator=noise)[:1, 0]
        psnr = metrics.psnr(metrics.clamped(read), own)[0]
        closer = f"{'' if psnr > mean_image else 'no '}closer than the average of all images"
        steps.append(
            {
                "name": f"ε {number(epsilon)} for each number sent",
                "words": f"Picks the right one in {right} of {TRIES} tries. Its picture is {closer}.",
                "kind": "bad" if right > TRIES / 2 else "",
                "picked": int(scores[0].argmax()),
                "read": encode(metrics.clamped(read)[0]),
                "label": f"what the attacker sees at ε {number(epsilon)}, {psnr:.0f} dB",
            }
        )
    return {
        "images": [encode(one) for one in ten.x],
        "names": [f"image {i + 1}, a {label}" for i, label in enumerate(ten.y)],
        "own": OWN,
        "mine": "the right one",
        "reads": "what it sees",
        "picks": "picked",
        "slider": "Budget ε for each number sent",
        "start": len(EPSILONS) // 2,
        "steps": steps,
    }


def first_changes(weights: Floats, images: PublicImages, rate: float) -> Floats:
    """Change of a logistic regression's weights by one gradient step on each image, (n, d)."""
    x, classes = (
        images.x.reshape(len(images.y), -1).astype(np.float64),
        len(weights) // (images.x[0].size + 1),
    )
    scores = x @ weights[:-classes].reshape(classes, -1).T + weights[-classes:]
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    react = shares / shares.sum(axis=1, keepdims=True) - np.eye(classes)[images.y]
    return -rate * np.concatenate([(react[:, :, None] * x[:, None]).reshape(len(x), -1), react], axis=1)
