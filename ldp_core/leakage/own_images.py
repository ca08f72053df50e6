"""Attack on one image of each of the first clients, through an upload of that image alone, perturbed once,
from the untrained model: the audit, the worst case.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ldp_core.attacks import identifier
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.likelihood import places
from ldp_core.datasets import Data
from ldp_core.experiment import Experiment, Plan, changed, plan
from ldp_core.federated.evaluate import evaluate
from ldp_core.federated.federation import assemble, choose_device, taking_part
from ldp_core.federated.state import State
from ldp_core.images import encode
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.observe import audit_values, begun, observe, public_images
from ldp_core.streams import stream

CANDIDATES = 10


def read_right(plan: Plan, data: Data, state: State) -> list[bool]:
    """Whether a trained model classifies the image of each of the `data.owned` first clients correctly."""
    own = replace(data, test_x=data.train_x[: data.owned], test_y=data.train_y[: data.owned])
    federation = assemble(plan, own, choose_device())
    score = evaluate(federation, federation.placed(state.weights), taking_part(federation, state.arrays))
    return [] if score.right is None else score.right.tolist()


def audits(experiment: Experiment, data: Data) -> list[dict[str, Any]]:
    """Attack result for each of the `data.owned` first clients, as JSON values: the reconstruction and its
    PSNR in dB beside the mean image's; and ten `candidates` in random order, of which number `own` is the
    client's and number `picked` the likeliest (a random one of equally likely ones).
    """
    attacked = plan(changed(experiment, {"attack": "auto"}))
    (spy, *_), federation = attacked.spies, assemble(attacked, data, choose_device())
    clients, seed = np.arange(data.owned), experiment.seed
    start, noise = begun(federation, clients), stream(seed, "attack noise", 1)
    seen = observe(start, audit_values(start, clients), noise, public=public_images(federation))[None]
    guesses = spy.who.reconstruct(seen.with_ranges_read(), generator=stream(seed, "reconstruction", 1))[:, 0]
    lineup = line_up(federation, clients.tolist(), clients.tolist(), CANDIDATES)
    scores = identifier().scores(seen, lineup.any_class)
    lot = stream(seed, "attack right", 0)
    found = []
    for i, guess in enumerate(metrics.clamped(guesses)):
        order = lot.permutation(CANDIDATES)
        # the likeliest stands in front of all others, whichever is asked about
        ranks = places(np.repeat(scores[i : i + 1], CANDIDATES, 0), order, lot.random(CANDIDATES)).rank
        best = np.flatnonzero(ranks == ranks.min())
        found.append(
            {
                "image": encode(guess),
                "psnr": float(metrics.psnr(guess[None], lineup.originals[i : i + 1])[0]),
                "psnr_mean_image": float(lineup.guessed["psnr_mean_image"][i]),
                "candidates": [encode(lineup.any_class.x[i, one]) for one in order],
                "own": int(np.flatnonzero(order == 0)[0]),
                "picked": int(lot.choice(best)),
            }
        )
    return found
