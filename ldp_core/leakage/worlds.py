"""Pairs of uploads of one client that an attack distinguishes: identification, of one image or of a
candidate; membership, of all of the client's images, or with one of another client's in the place of one;
canary, where asked for, as far apart as the mechanism allows.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldp_core.experiment import Experiment
from ldp_core.federated.federation import Federation
from ldp_core.federated.terms import within
from ldp_core.federated.upload import Vectors, clip_uploads
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.observe import Start, Victims, begun, real_values
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

MOST_IMAGES = 2000
"""Largest number of images of a client for which membership is measured."""
BEYOND = 1e6
"""Size of a planted value before clipping."""
TOGETHER = 2**22
"""Largest number of values in all candidates' uploads, and in trials of weights that are not independent."""


@dataclass(frozen=True)
class Worlds:
    """Two clipped uploads of a client, which an attack distinguishes."""

    attack: str
    values: Floats
    """The two uploads, (2, m)."""
    terms: tuple[Floats, Floats, Floats]
    """ε, low and high: (1, 1) each, or (1, m)."""
    apart: Floats
    """Squared difference of the two uploads over the noise variance, by weight, (m,)."""


def worlds_of(federation: Federation, victims: Victims, lineup: Candidates, v: int) -> Iterator[Worlds]:
    """Pairs for attacks on one victim; none if parts are sent in clear or ranges depend on the data."""
    experiment = federation.experiment
    client, sample = int(victims.clients[v]), int(victims.samples[v])
    count = max(2, min(lineup.any_class.y.shape[1], TOGETHER // experiment.uploaded))
    start, some = begun(federation, np.full(count, client)), slice(count)
    exact = {"identification": start.sent_of(lineup.any_class.x[v, some], lineup.any_class.y[v, some])}
    shard, noise = federation.shards[client], stream(experiment.seed, "measured", -1 - client)
    asked = 1 < len(shard) <= MOST_IMAGES
    others = np.setdiff1d(np.concatenate(federation.shards), shard) if asked else shard
    if len(others) > len(shard) > 1:
        with_another = np.where(shard == sample, others[noise.integers(len(others))], shard)
        shards = [shard, with_another]
        exact["membership"] = real_values(start.of(slice(2)), np.full(2, client), shards)
    if experiment.attack and experiment.attack.canary:
        exact["canary"] = _canary(experiment)
    for attack, made in exact.items():
        if found := _apart(start.of(slice(len(made))), attack, made, noise):
            yield found


def _canary(experiment: Experiment) -> Vectors:
    """Two opposite uploads (2, m) beyond the safe range: in the first weight of a ball, else in all."""
    planted = np.zeros((2, experiment.uploaded), np.float32)
    first = 1 if experiment.randomiser.region == "ball" else experiment.uploaded
    planted[:, :first] = [[BEYOND], [-BEYOND]]
    return planted


def _apart(start: Start, attack: str, made: Vectors, noise: np.random.Generator) -> Worlds | None:
    """The first of some exact uploads (n, m), and the one most distant from it after clipping."""
    (encoded,), epsilon = start.encoded(made, noise), start.columns[0]
    if encoded.clear is not None or encoded.unsent is not None:
        return None
    pieces, low, high = start.pieces, encoded.low, encoded.high
    values = clip_uploads(pieces, encoded.values, (epsilon, low, high)).astype(np.float64)
    terms = epsilon[:1], low[:1], high[:1]
    if (low != low[:1]).any() or (high != high[:1]).any():
        return None  # ranges that follow the data: no ε covers them
    spread = [p.mechanism.at(*within(terms, p)).variance(values[:, p.columns]) for p in pieces]
    sizes = [(len(made), piece.size) for piece in pieces]
    variance = np.concatenate(list(map(np.broadcast_to, spread, sizes)), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.nan_to_num(2 * (values - values[0]) ** 2 / (variance + variance[0]), posinf=np.inf)
    other = int(np.argmax(apart.sum(axis=1)))
    return Worlds(attack, values[[0, other]], terms, apart[other])
