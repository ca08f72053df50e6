"""Lower bound on a client's ε from repeated guesses which of two uploads a perturbed one was made of.

Either upload of a pair (`worlds_of`) is perturbed repeatedly, and the exact log-likelihood ratio of each
output, in the weights that distinguish the two best, is a trial (`accounting.samples.likelihoods`). There is
a bound for one upload and one for all uploads of the run, from the initial model, so a resumed run gives the
same.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.accounting import entries
from ldp_core.accounting.samples.likelihoods import (
    cannot_tell,
    expected_bound,
    fewest_trials,
    likelihood_bound,
    log_ratio,
    trials_needed,
)
from ldp_core.experiment import Piece, Plan
from ldp_core.experiment.planning import ROUNDING
from ldp_core.federated.federation import Federation
from ldp_core.federated.state import State
from ldp_core.federated.upload import Vectors, clip_uploads, within
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.observe import Victims, VictimStart, begun, real_values
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

MOST_IMAGES = 2000
"""Largest number of images of a client for which membership is measured."""
BEYOND = 1e6
"""Size of a planted value before clipping."""
TOGETHER = 2**22
"""Largest number of values in all candidates' uploads, and in trials of weights that are not independent."""
CONFIDENCE = 0.95
"""Probability that all bounds of a run hold at once."""
FEWEST, MOST = 2**20, 2**23
"""Limits on the number of perturbed values, which is otherwise that of the run itself."""
TRIALS, ENOUGH = 100, 20_000
"""Usual and largest number of trials for each of the two uploads; four times the usual for vectors."""
OPTIONS = 12
"""Numbers of weights tried when trials are planned."""


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
    """Pairs for attacks on one victim: identification, of one image or of a candidate; membership, of all of
    the client's images, or with one of another client's in the place of one; canary, as far apart as the
    mechanism allows. None if parts are sent in clear or ranges depend on the data.
    """
    experiment, plan = federation.experiment, federation.plan
    client, sample = int(victims.clients[v]), int(victims.samples[v])
    count = max(2, min(lineup.any_class.y.shape[1], TOGETHER // plan.uploaded))
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
        exact["canary"] = _canary(plan)
    for attack, made in exact.items():
        if found := _apart(start.of(slice(len(made))), attack, made, noise):
            yield found


def _canary(plan: Plan) -> Vectors:
    """Two opposite uploads (2, m) beyond the safe range: in the first weight of a ball, else in all; where ε
    is a record's, what two records of the longest and opposite gradients add to an upload.
    """
    planted = np.zeros((2, plan.uploaded), np.float32)
    first = 1 if plan.randomiser.region == "ball" else plan.uploaded
    size = plan.reach / ROUNDING or BEYOND
    planted[:, :first] = [[size], [-size]]
    return planted


def _apart(start: VictimStart, attack: str, made: Vectors, noise: np.random.Generator) -> Worlds | None:
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


def measured(
    federation: Federation, after: State, victims: Victims, lineup: Candidates
) -> list[dict[str, Any]]:
    """Rows of the end event's field `measured`: bounds for each victim, attack and scope; empty if an
    upload's distribution is not the mechanism's alone, or uploads are too large.
    """
    experiment, plan = federation.experiment, federation.plan
    mechanism = plan.pieces(1)[0].mechanism
    apart = experiment.trust.measures(plan.terms) and plan.uploaded <= TOGETHER
    if not apart or mechanism.role == "identity" or mechanism.in_clear() or not len(victims.clients):
        return []
    clients = victims.clients.tolist()
    taken = [v for v, client in enumerate(clients) if after.uploads[client]]
    worlds = [(v, found) for v in taken for found in worlds_of(federation, victims, lineup, v)]
    if not worlds:
        return []
    promised = dict(zip(taken, entries(plan, [clients[v] for v in taken]), strict=True))
    values = min(MOST, max(FEWEST, int(after.uploads.sum()) * plan.uploaded))
    share = values // (4 * len(worlds))  # two scopes, two worlds
    alpha = (1 - CONFIDENCE) / (2 * len(worlds))
    rows, streams = [], {v: stream(experiment.seed, "measured", clients[v]) for v in taken}
    for v, found in worlds:
        noise, sent = streams[v], int(after.uploads[clients[v]])
        promises = {"upload": (1, promised[v].upload), "run": (sent, promised[v].run_worst)}
        lower = most = 0.0
        for scope, (uses, promise) in promises.items():
            if scope == "upload" or sent > 1:  # one upload is the whole run
                test = _test(plan.pieces(1), found.apart, uses, share, alpha)
                test = replace(test, trials=fewest_trials(test.trials, alpha, promise.delta))
                one, other = (_ratios(plan, found, test, world, noise) for world in (0, 1))
            bound = likelihood_bound(one, other, alpha, promise.delta)
            # a run holds the upload: what is shown of that is shown of the run, and both bounds hold together
            lower, most = max(lower, bound.epsilon), max(most, bound.most)
            rows.append(
                {
                    "client": clients[v] + 1,
                    "scope": scope,
                    "attack": found.attack,
                    "epsilon_lower": lower or None,
                    "confidence": CONFIDENCE,
                    "trials": 2 * test.trials,
                    "most": most,
                    "right": bound.right / bound.counted,
                    "why": "" if lower else cannot_tell(bound, trials_needed(test.separation, alpha)),
                }
            )
    return rows


@dataclass(frozen=True)
class _Test:
    weights: NDArray[np.int64]
    """Indices of the weights that are compared."""
    uses: int
    """Number of uploads that are compared."""
    trials: int
    """Number of trials for each of the two images."""
    separation: float


def _test(pieces: Sequence[Piece], apart: Floats, sent: int, share: int, alpha: float) -> _Test:
    """Few weights in many trials, or many weights in few, whichever has the larger expected bound, with about
    `share` perturbed values for each image.
    """
    fits = max(1, share // TRIALS)
    if not pieces[0].mechanism.separable or pieces[0].mechanism.scope != "coordinate":
        uses = max(1, min(sent, fits // len(apart)))
        each = len(apart) * uses
        trials = min(ENOUGH, max(share // each, min(4 * TRIALS, max(2, TOGETHER // each))))
        return _Test(np.arange(len(apart)), uses, trials, math.sqrt(uses * float(apart.sum())))
    order, tests = np.argsort(-apart, kind="stable"), []
    for many in np.unique(np.geomspace(1, min(fits, len(apart) * sent), OPTIONS).astype(int)).tolist():
        weights, uses = order[: max(1, many // sent)], min(sent, many)
        separation = math.sqrt(uses * float(apart[weights].sum()))
        tests.append(_Test(np.sort(weights), uses, min(ENOUGH, share // (len(weights) * uses)), separation))
    expected = expected_bound([one.separation for one in tests], [one.trials for one in tests], alpha)
    return tests[int(expected.argmax())]


def _ratios(plan: Plan, worlds: Worlds, test: _Test, world: int, noise: np.random.Generator) -> Floats:
    """Log-likelihood ratios (trials,), first image over second, of simulated uploads of image `world`."""
    total = np.zeros(test.trials)
    rounds = range(1, test.uses + 1)
    alike = len(plan.releases) == 1
    for number in (1,) if alike else rounds:
        for piece in plan.pieces(number):
            first, last = np.searchsorted(test.weights, (piece.columns.start, piece.columns.stop))
            columns = test.weights[first:last]
            terms = (one[:, columns] if one.shape[1] > 1 else one for one in worlds.terms)
            law, values = piece.mechanism.at(*terms), worlds.values[:, columns]
            shape = (test.trials, test.uses if alike else 1, len(columns))
            sent = law.perturb(np.array(np.broadcast_to(values[world], shape)), noise)
            separable = piece.mechanism.separable
            likely: Callable[[Floats], Any] = (
                law.likelihood(sent) if separable else partial(law.log_prob, sent)
            )
            each = log_ratio(*map(likely, values))
            total += each.reshape(test.trials, -1).sum(axis=1)
    return total
