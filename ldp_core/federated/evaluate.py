"""Evaluation of the global model, and of clients' own models, on the held-out test set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.accounting.ledger_entry import EACH
from ldp_core.engines.base import BATCH, BATCH_ALONE
from ldp_core.engines.batched import clients_at_once
from ldp_core.engines.plan import Indices, Recipe
from ldp_core.errors import Diverged
from ldp_core.federated.federation import Federation
from ldp_core.mechanisms.base import Floats
from ldp_core.systems import Participation

OWN_SAMPLES = 100_000
"""Number of held-out samples scored per round in all if every client has a model of its own."""


@dataclass(frozen=True)
class Score:
    """Accuracy in [0, 1], overall and per class, and mean cross-entropy in nats."""

    accuracy: float
    per_class: list[float | None]
    """None for a class that is not held out."""
    loss: float
    right: NDArray[np.bool_] | None
    """Mask (n,) of correctly classified held-out samples; None if every client has a model of its own."""
    per_client: list[float] | None = None
    """Accuracy of up to 1 000 clients' own models; `accuracy` is their mean unless a model is shared."""
    groups: dict[str, float | None] | None = None
    own_mix: float | None = None
    """Mean accuracy over clients, each with its own model and its own class mixture."""


def evaluate(federation: Federation, weights: torch.Tensor, joined: Participation | None = None) -> Score:
    """Score of the global model `weights` (d,); where clients keep weights of their own, of their own models,
    and of the shared weights if those form a model. Diverged if the scores are not finite.
    """
    own = joined.models(weights.cpu().numpy()) if joined else None
    compares = joined is not None and joined.compares_clients
    if own is None:
        score = _evaluate_shared(federation, weights, federation.recipe)
        if compares:
            score = replace(score, own_mix=_figure(_mixed(mixes(federation), score.per_class)))
        return score
    theirs = _evaluate_own(federation, torch.from_numpy(own).to(weights), compares)
    model = federation.recipe.model
    if model.shared is model:
        return theirs
    recipe = replace(federation.recipe, model=model.shared)
    shared = _evaluate_shared(federation, weights[federation.plan.sent], recipe)
    return replace(shared, per_client=theirs.per_client, groups=theirs.groups, own_mix=theirs.own_mix)


def _evaluate_shared(federation: Federation, weights: torch.Tensor, recipe: Recipe) -> Score:
    scores = federation.engine.scores(recipe, weights, federation.samples)
    right, loss = [], 0.0
    for first in range(0, scores.shape[0], BATCH):
        logits, y = scores[first : first + BATCH], federation.test_y[first : first + BATCH]
        right.append(logits.argmax(1) == y)
        loss += float(torch.nn.functional.cross_entropy(logits, y, reduction="sum"))
    hits, labels = torch.cat(right).cpu().numpy(), federation.test_labels
    per_class = _by_class(hits, labels, federation.classes)
    return Score(float(hits.mean()), per_class, _number(loss) / len(labels), hits)


def _evaluate_own(federation: Federation, own: torch.Tensor, mixed: bool) -> Score:
    """Score of the clients' own models (K, d), each on as many held-out samples as time allows: client i
    starts at sample i·n/K, so that all are used equally often.
    """
    count, held_out = len(own), len(federation.test_y)
    each = min(held_out, max(1, OWN_SAMPLES // count))
    first = torch.arange(count, device=own.device) * held_out // count
    asked = (first[:, None] + torch.arange(each, device=own.device)) % held_out
    scored: Iterator[tuple[torch.Tensor, torch.Tensor]]
    if each == held_out:
        asked = torch.arange(each, device=own.device).expand(count, -1)
        scored = ((asked[:1], _one_by_one(federation, row)) for row in own)
    else:
        scored = _side_by_side(federation, own, asked)
    hits, losses = [], 0.0
    for samples, logits in scored:
        labels = federation.test_y[samples]
        hits.append(logits.argmax(2) == labels)
        flat = logits.flatten(0, 1), labels.flatten()
        losses += float(torch.nn.functional.cross_entropy(*flat, reduction="sum"))
    right, labels_asked = torch.cat(hits).cpu().numpy(), federation.test_y[asked].cpu().numpy()
    per_client, groups = right.mean(axis=1), federation.groups.items()
    return Score(
        float(per_client.mean()),
        _by_class(right, labels_asked, federation.classes),
        _number(losses) / right.size,
        None,
        per_client.tolist() if count <= EACH else None,
        {name: _of_group(federation, members, right, labels_asked) for name, members in groups},
        _on_own_mixes(federation, right, labels_asked) if mixed else None,
    )


def _number(loss: float) -> float:
    if isfinite(loss):
        return loss
    raise Diverged(
        f"the scores of the global model are no numbers (its loss is {loss}): its weights are too large, or "
        "the compiled code is broken; try less noise, or EPSILON_ENGINE=batched, which compiles nothing"
    )


def _one_by_one(federation: Federation, weights: torch.Tensor) -> torch.Tensor:
    """Scores (1, n, classes) of one client's model (d,) on all held-out samples."""
    recipe = federation.recipe
    views = recipe.model.views(weights.unsqueeze(0), recipe.shape, recipe.classes)
    one = {name: view[0] for name, view in views.items()}
    with torch.no_grad():
        parts = [recipe.model.scores(one, x) for x in torch.split(federation.test_x, BATCH_ALONE)]
    return torch.cat(parts).unsqueeze(0)


def _side_by_side(
    federation: Federation, own: torch.Tensor, asked: torch.Tensor
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Sample indices (k, each) and scores (k, each, classes), for a chunk of clients at a time."""
    recipe = federation.recipe
    at_once = max(1, clients_at_once(recipe, own.device, asked.shape[1]) // 2)
    for rows, samples in zip(torch.split(own, at_once), torch.split(asked, at_once), strict=True):
        views = recipe.model.views(rows, recipe.shape, recipe.classes)
        with torch.no_grad():
            yield samples, recipe.model.logits(views, federation.test_x[samples])


def _on_own_mixes(
    federation: Federation, right: NDArray[np.bool_], labels: NDArray[np.int64]
) -> float | None:
    """Mean over clients of the accuracy on their own class mixtures, without classes not scored."""
    held = mixes(federation)
    found = np.empty(len(right))
    for i, (hits, asked) in enumerate(zip(right, labels, strict=True)):
        shares = np.array(_by_class(hits, asked, federation.classes), np.float64)
        weight = held[i] * np.isfinite(shares)
        found[i] = weight @ np.nan_to_num(shares) / weight.sum() if weight.any() else np.nan
    return _figure(found)


def own_losses(federation: Federation, trained: torch.Tensor, shards: Sequence[Indices]) -> Floats:
    """Mean cross-entropy in nats of each client's trained weights (k, d) on its own shard, (k,)."""
    recipe, found = federation.recipe, np.empty(len(trained))
    views = recipe.model.views(trained.to(federation.device), recipe.shape, recipe.classes)
    for i, shard in enumerate(shards):
        one, total = {name: view[i] for name, view in views.items()}, 0.0
        with torch.no_grad():
            for some in torch.split(torch.from_numpy(shard).to(federation.device), BATCH):
                scores = recipe.model.scores(one, federation.train_x[some])
                asked = federation.train_y[some]
                total += float(torch.nn.functional.cross_entropy(scores, asked, reduction="sum"))
        found[i] = total / len(shard)
    return found


def mixes(federation: Federation) -> Floats:
    """Share of each class among each client's samples, (K, classes)."""
    everybody = np.eye(len(federation.shards), dtype=bool)
    return np.stack([federation.deal.mix(one, federation.classes) for one in everybody])


def _by_class(right: NDArray[np.bool_], labels: NDArray[np.int64], classes: int) -> list[float | None]:
    """Accuracy of each class over all scored samples; None for a class without any."""
    asked, named = (np.bincount(some, minlength=classes) for some in (labels.ravel(), labels[right]))
    shares = (named / np.maximum(asked, 1)).tolist()
    return [share if count else None for share, count in zip(shares, asked, strict=True)]


def _mixed(mix: Floats, per_class: Sequence[float | None]) -> Floats:
    """Accuracy over mixtures (…, classes), without classes that have no figure; NaN where none has."""
    shares = np.array(per_class, np.float64)
    if (known := np.isfinite(shares)).all():
        return np.where(mix.any(axis=-1), mix @ shares, np.nan)
    weight = mix[..., known]
    with np.errstate(invalid="ignore"):
        return weight @ shares[known] / weight.sum(axis=-1)


def _figure(some: Floats) -> float | None:
    """Mean of the numbers; None without one."""
    known = some[np.isfinite(some)]
    return float(known.mean()) if known.size else None


def _of_group(
    federation: Federation, members: NDArray[np.bool_], right: NDArray[np.bool_], labels: NDArray[np.int64]
) -> float | None:
    """Accuracy of a group's own models, with classes weighted by the group's class mixture."""
    mix = federation.deal.mix(members, federation.classes)
    return _figure(_mixed(mix, _by_class(right[members], labels[members], federation.classes)))


def per_group(federation: Federation, score: Score) -> dict[str, float | None]:
    """Accuracy of each group of clients: accuracy per class, weighted by the group's class mixture."""
    if score.groups is not None:
        return score.groups
    return {name: _figure(_mixed(mix, score.per_class)) for name, mix in federation.group_mixes.items()}
