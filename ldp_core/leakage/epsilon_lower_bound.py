"""Lower bound on a client's ε from repeated guesses which of two uploads a perturbed one was made of.

Either upload of a pair of `worlds` is perturbed repeatedly, and the exact log-likelihood ratio of each
output, in the weights that distinguish the two best, is a trial (`accounting.samples.likelihoods`). There is
a bound for one upload and one for all uploads of the run, from the initial model, so a resumed run gives the
same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.accounting import entries
from ldp_core.accounting.samples.likelihoods import (
    cannot_tell,
    expected_bound,
    likelihood_bound,
    log_ratio,
    trials_needed,
)
from ldp_core.experiment import Experiment
from ldp_core.experiment.schema import Piece
from ldp_core.federated.federation import Federation
from ldp_core.federated.state import State
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.observe import Victims
from ldp_core.leakage.worlds import TOGETHER, Worlds, worlds_of
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

CONFIDENCE = 0.95
"""Probability that all bounds of a run hold at once."""
FEWEST, MOST = 2**20, 2**23
"""Limits on the number of perturbed values, which is otherwise that of the run itself."""
TRIALS, ENOUGH = 100, 20_000
"""Usual and largest number of trials for each of the two uploads; four times the usual for vectors."""
OPTIONS = 12
"""Numbers of weights tried when trials are planned."""


def measured(
    federation: Federation, after: State, victims: Victims, lineup: Candidates
) -> list[dict[str, Any]]:
    """Rows of the end event's field `measured`: bounds for each victim, attack and scope; empty if an
    upload's distribution is not the mechanism's alone, or uploads are too large.
    """
    experiment = federation.experiment
    mechanism = experiment.pieces(1)[0].mechanism
    apart = experiment.trust.measures(experiment) and experiment.uploaded <= TOGETHER
    if not apart or mechanism.role == "identity" or mechanism.in_clear() or not len(victims.clients):
        return []
    clients = victims.clients.tolist()
    taken = [v for v, client in enumerate(clients) if after.uploads[client]]
    worlds = [(v, found) for v in taken for found in worlds_of(federation, victims, lineup, v)]
    if not worlds:
        return []
    promised = dict(zip(taken, entries(experiment, [clients[v] for v in taken]), strict=True))
    values = min(MOST, max(FEWEST, int(after.uploads.sum()) * experiment.uploaded))
    share = values // (4 * len(worlds))  # two scopes, two worlds
    alpha = (1 - CONFIDENCE) / (2 * len(worlds))
    rows, streams = [], {v: stream(experiment.seed, "measured", clients[v]) for v in taken}
    for v, found in worlds:
        noise, sent = streams[v], int(after.uploads[clients[v]])
        promises = {"upload": (1, promised[v].upload), "run": (sent, promised[v].run_worst)}
        lower = most = 0.0
        for scope, (uses, promise) in promises.items():
            if scope == "upload" or sent > 1:  # one upload is the whole run
                plan = _plan(experiment.pieces(1), found.apart, uses, share, alpha)
                one, other = (_ratios(experiment, found, plan, world, noise) for world in (0, 1))
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
                    "trials": 2 * plan.trials,
                    "most": most,
                    "right": bound.right / bound.counted,
                    "why": "" if lower else cannot_tell(bound, trials_needed(plan.separation, alpha)),
                }
            )
    return rows


@dataclass(frozen=True)
class _Plan:
    weights: NDArray[np.int64]
    """Indices of the weights that are compared."""
    uses: int
    """Number of uploads that are compared."""
    trials: int
    """Number of trials for each of the two images."""
    separation: float


def _plan(pieces: Sequence[Piece], apart: Floats, sent: int, share: int, alpha: float) -> _Plan:
    """Few weights in many trials, or many weights in few, whichever has the larger expected bound, with about
    `share` perturbed values for each image.
    """
    fits = max(1, share // TRIALS)
    if not pieces[0].mechanism.separable or pieces[0].mechanism.scope != "coordinate":
        uses = max(1, min(sent, fits // len(apart)))
        each = len(apart) * uses
        trials = min(ENOUGH, max(share // each, min(4 * TRIALS, max(2, TOGETHER // each))))
        return _Plan(np.arange(len(apart)), uses, trials, math.sqrt(uses * float(apart.sum())))
    order, plans = np.argsort(-apart, kind="stable"), []
    for many in np.unique(np.geomspace(1, min(fits, len(apart) * sent), OPTIONS).astype(int)).tolist():
        weights, uses = order[: max(1, many // sent)], min(sent, many)
        separation = math.sqrt(uses * float(apart[weights].sum()))
        plans.append(_Plan(np.sort(weights), uses, min(ENOUGH, share // (len(weights) * uses)), separation))
    return max(plans, key=lambda plan: expected_bound(plan.separation, plan.trials, alpha))


def _ratios(
    experiment: Experiment, worlds: Worlds, plan: _Plan, world: int, noise: np.random.Generator
) -> Floats:
    """Log-likelihood ratios (trials,), first image over second, of simulated uploads of image `world`."""
    total = np.zeros(plan.trials)
    rounds = range(1, plan.uses + 1)
    alike = len(experiment.releases) == 1
    for number in (1,) if alike else rounds:
        for piece in experiment.pieces(number):
            first, last = np.searchsorted(plan.weights, (piece.columns.start, piece.columns.stop))
            columns = plan.weights[first:last]
            terms = (one[:, columns] if one.shape[1] > 1 else one for one in worlds.terms)
            law, values = piece.mechanism.at(*terms), worlds.values[:, columns]
            shape = (plan.trials, plan.uses if alike else 1, len(columns))
            sent = law.perturb(np.array(np.broadcast_to(values[world], shape)), noise)
            each = log_ratio(law.log_prob(sent, values[0]), law.log_prob(sent, values[1]))
            total += each.reshape(plan.trials, -1).sum(axis=1)
    return total
