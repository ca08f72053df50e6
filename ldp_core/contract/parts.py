"""Checks of aggregators, selections, partitions, systems, trust models and attackers."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from ldp_core import datasets, mechanisms, models, optimizers
from ldp_core.accounting import AGAINST, entries
from ldp_core.aggregators.base import Aggregator, NoiseMoments, RoundClients, SeesUploads
from ldp_core.attacks import Attacker, Reconstructor
from ldp_core.attacks.base import Facts
from ldp_core.contract.in_use import PartCheck, PartChecks, promised, require
from ldp_core.experiment import parse, plan
from ldp_core.limits import at_most
from ldp_core.partitions import Partition
from ldp_core.selections import Selection
from ldp_core.selections.base import Budgets, ByBudget
from ldp_core.streams import stream
from ldp_core.systems import System
from ldp_core.theory.server import server_variance
from ldp_core.trust import Trust

LABELS = np.resize(np.arange(10), 2_000)
"""Labels of the partitioned samples."""


def of_aggregator(one: Aggregator) -> PartChecks:
    if isinstance(one, SeesUploads):
        yield from _of_decisions(one)
        return

    def shares() -> None:
        for variances in (np.array([0.3] * 4), np.array([0.0, 1.0, 4.0]), np.array([1e12, 1e-9])):
            weights = one.weights(variances, generator=stream(0, "audit"))
            require(weights.shape == variances.shape and (weights >= 0).all(), f"weights {weights}")
            total = weights.sum()
            require(not weights.any() or abs(total - 1) < 1e-12, f"weights add up to {total}")
            falling = np.diff(weights[np.argsort(variances)]) <= 1e-12
            require(falling.all(), "who adds more noise has more weight")

    def noise() -> None:
        draws, generator = 8_000, stream(1, "audit")
        worst = generator.gamma(1.0, size=(1, 6)) + 0.1
        drawn, sizes = (
            NoiseMoments(worst * 0.7, generator.normal(size=worst.shape)),
            np.full(worst.shape, 3.0),
        )
        stated, _ = one.noise(drawn, worst, sizes, np.ones(worst.shape, dtype=bool))
        weights = np.array([one.weights(worst[0], sizes[0], generator=generator) for _ in range(draws)])
        seen = weights**2 @ drawn.variance[0] + (weights @ drawn.bias[0]) ** 2
        error = 5 * seen.std() / np.sqrt(draws) + 1e-9
        require(abs(seen.mean() - stated[0]) < error, f"noise {seen.mean()}, stated {stated[0]}")

    def kinds() -> None:
        import torch

        uploads = np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2)
        ours = one.aggregate(uploads, [0.5, 0.25, 0.25])
        theirs = one.aggregate(torch.from_numpy(uploads), [0.5, 0.25, 0.25])
        require(ours.dtype == np.float32 and theirs.dtype == torch.float32, "the kind of numbers changes")
        require(np.allclose(ours, theirs.numpy()), f"numpy {ours}, torch {theirs.numpy()}")

    def sums() -> None:
        uploads = stream(2, "audit").normal(size=(7, 5))
        weights = one.weights(np.linspace(0.1, 2, 7), np.arange(1.0, 8), generator=stream(3, "audit"))
        whole = one.combine(uploads, weights)
        for parts in (
            sum(one.combine(uploads[part], weights[part]) for part in (slice(0, 3), slice(3, 7))),
            np.concatenate([one.combine(uploads[:, part], weights) for part in (slice(0, 2), slice(2, 5))]),
        ):
            apart = f"in two halves {np.ravel(parts)[0]:.4g}, at once {whole[0]:.4g}"
            require(np.allclose(parts, whole), f"it is no weighted sum: {apart} for one weight")
        require(np.allclose(whole, weights @ uploads), "it combines by other weights than it reports")
        last = one.finish(whole)
        require(np.allclose(one.aggregate(uploads, weights), last), "aggregate is not finish of combine")
        same = one.unpredicted or np.allclose(last, whole)
        require(same, "finish changes the sum: say in `unpredicted` why its noise is not predicted")

    yield PartCheck("weights are shares, and more noise never has more", shares)
    yield PartCheck("it is the sum of uploads by the weights that it reports, however they are divided", sums)
    yield PartCheck("the noise that it leaves is that of the weights it draws", noise)
    yield PartCheck("an aggregate is of its uploads' kind, the same by numpy and torch", kinds)


def _of_decisions(one: SeesUploads) -> PartChecks:
    noise = np.repeat([0.01, 1.0], [5, 15])
    uploads = stream(4, "audit").normal(size=(20, 1)) * 0.1 + stream(5, "audit").normal(size=(20, 30))
    uploads *= np.sqrt(noise)[:, None]
    public = RoundClients(1 / noise, noise, np.ones(20))
    signs = stream(6, "audit").choice([-1.0, 1.0], (200, 30))

    def alike() -> None:
        kept, (first, again) = uploads.copy(), [one.decided(uploads, public)[0] for _ in range(2)]
        require(np.array_equal(kept, uploads), "it changes the uploads")
        require(np.array_equal(first, again), "the same uploads are weighed otherwise")

    def true() -> None:
        weights, combine = one.decided(uploads, public)
        require(np.shape(combine(uploads)) == (30,), "it makes no aggregate")
        other = uploads[::-1]
        linear = np.allclose(combine(uploads) + combine(other), combine(uploads + other))
        require(linear, "its combination is not linear in what clients send")
        for client, weight in enumerate(weights):
            alone = np.eye(20)[client][:, None]
            counts = [sent @ combine(alone * sent) / sent.size for sent in signs]
            said = f"client {client + 1} counts {np.mean(counts):.3g}, reported {weight:.3g}"
            # a mean of 200 is within five standard errors but once in 10^6 times
            require(np.mean(counts) <= weight + 5 * np.std(counts) / 200**0.5 + 1e-9, said)

    yield PartCheck("weights are shares, and follow from uploads and public facts alone", alike)
    yield PartCheck("its combination is linear, and no client counts for more than it reports", true)


def of_selection(one: Selection) -> PartChecks:
    if isinstance(one, ByBudget):
        yield from _of_schedule(one)
        return

    def once_each() -> None:
        for count in (1, 2, 7, 100):
            rounds = 1 if one.problem(count, 19) else 19
            for number in range(1, rounds + 1):
                chosen = one.choose(count, 0, number, rounds)
                # only where each draws for itself may a round be empty
                someone = len(chosen) or one.size(count) is None
                require(someone, f"no client in round {number} of {count} clients")
                require((np.diff(chosen) > 0).all(), "clients are not in order, once each")
                require(((chosen >= 0) & (chosen < count)).all(), f"a client that is none of {count}")

    def counted() -> None:
        count, uploads = 10, np.zeros(10)
        rounds = 10 if one.problem(count, 4000) else 4000
        for number in range(1, rounds + 1):
            uploads[one.choose(count, 3, number, rounds)] += 1
        stated = one.expected_uploads(count, rounds)
        # a binomial count of 4000 draws lies within 5.5 standard deviations with probability > 1 - 1e-6
        near = np.abs(uploads - stated).max() <= 5.5 * np.sqrt(rounds) / 2
        require(near, f"{uploads.mean()} uploads a client, stated {stated}")
        most = one.most_uploads(count, rounds)
        require(uploads.max() <= most, f"{uploads.max()} uploads of a client, stated {most} at most")

    yield PartCheck("those who take part are clients, once each", once_each)
    yield PartCheck("uploads are counted truly, on average and at most", counted)


def _of_schedule(one: ByBudget) -> PartChecks:
    def drawn() -> None:
        for count, rounds in ((1, 1), (7, 3), (100, 19)):
            known = Budgets(np.linspace(0.1, 8, count), np.arange(count) % rounds + 1)
            made = [one.schedule(known, rounds, stream(seed, "selection")) for seed in (1, 1, 2)]
            fits = all(each.shape == (rounds, count) and each.dtype == bool for each in made)
            require(fits, f"it is no table of {rounds} rounds × {count} clients of true and false")
            require(np.array_equal(made[0], made[1]), "the same budgets and stream choose others")
            require(made[0].any(), f"no client of {count} is ever chosen")

    yield PartCheck("who takes part follows from budgets and the stream alone, before the run", drawn)


def of_partition(one: Partition) -> PartChecks:
    def disjoint() -> None:
        for count in (1, 7, 100):
            shards = one.split(LABELS, count, stream(count, "partition"))
            require(len(shards) == count and min(map(len, shards)) >= 1, "a client without samples")
            together = np.concatenate(shards)
            apart = len(np.unique(together)) == len(together) <= len(LABELS)
            require(apart, "a sample of two clients")

    def keyed() -> None:
        a, b, c = (one.split(LABELS, 20, stream(seed, "partition")) for seed in (1, 1, 2))
        require(all(map(np.array_equal, a, b)), "the same stream deals otherwise")
        require(not all(map(np.array_equal, a, c)), "another stream deals the same")

    yield PartCheck("shards are disjoint, and none is empty", disjoint)
    yield PartCheck("what is dealt follows the stream and nothing else", keyed)


def of_system(one: System) -> PartChecks:
    def apart() -> None:
        import torch

        public = plan(parse({"system": one.name, "dataset": "digits", "attack": None})).public
        clients, weights = np.arange(public.clients), stream(7, "audit").normal(size=(4, public.dimension))
        joined, model = one.joins(public), np.zeros(public.dimension, dtype=np.float32)
        joined.begin(model, clients)
        if (term := joined.term(model, clients)) is None:
            return
        require(one.adds_term, "its `participation` is not the class that has the term")
        some = torch.from_numpy(weights).float()
        whole = term(some, clients[:4])
        alone = torch.cat([term(some[i : i + 1], clients[i : i + 1]) for i in range(4)])
        require(whole.shape == some.shape, f"a gradient of shape {tuple(whole.shape)}")
        require(torch.allclose(whole, alone), "a client's term depends on others' weights")

    yield PartCheck("a term in a client's loss depends on that client alone", apart)


def of_trust(one: Trust) -> PartChecks:
    asked = promised(one.name)

    def says() -> None:
        require(one.against in AGAINST, f"against is {one.against!r}, none of {', '.join(AGAINST)}")
        for word in ("sees", "breaks"):
            sentence = getattr(one, word, "").endswith(".")
            require(sentence, f"{word} is no sentence: it ends without a full stop")

    def kept() -> None:
        for entry in entries(plan(asked)):
            bound = entry.run_worst.bound
            require(bound <= 2, f"ε of a whole run is {at_most(bound, 6)}, asked for 2")
            require(entry.against == one.against, f"the ledger says against {entry.against}")

    def passes_on() -> None:
        rows = stream(0, "audit").normal(size=(20, 3)).astype(np.float32)
        terms = tuple(np.repeat([[low], [low + 1]], 10, axis=0) for low in (1.0, -2.0, 3.0))
        handed = one.handed_on(rows, terms, stream(1, "audit"))
        for own in (slice(0, 10), slice(10, 20)):
            near = np.allclose(np.sort(handed[own], axis=0), np.sort(rows[own], axis=0))
            require(near, "values of clients with equal ε and range change, or pass to others")

    def noise() -> None:
        columns, generator = plan(asked).population.columns(np.arange(20)), stream(2, "audit")
        law = plan(asked).randomiser.at(*columns)
        middle = np.zeros((20, plan(asked).uploaded), np.float32)
        seen = [law.perturb(middle.copy(), generator).mean(axis=0) for _ in range(20)]
        stated, ratio = server_variance(asked), float(np.square(seen).mean()) / server_variance(asked)
        # means of twenty are nearly normal, and so within six standard deviations but once in 10^8 times
        near = abs(ratio - 1) <= 6 * np.sqrt(2 / np.size(seen))
        require(near, f"noise variance {ratio * stated:.4g}, stated {stated:.4g}")

    yield PartCheck("it says who sees what, and what breaks the promise", says)
    yield PartCheck("ε for a whole run is kept, against whom it says", kept)
    yield PartCheck("uploads are passed on to the mean as they are, in any order", passes_on)
    yield PartCheck("the noise in the mean is what theory says", noise)


def of_attacker(one: Attacker) -> PartChecks:
    noises = [
        mechanisms.get("none"),
        *(mechanisms.get("piecewise", form=f) for f in ("corrected", "as_printed")),
    ]
    sizes = [
        (1, 1, 1, "audit", 0.0),
        (20, 2, 1, "real", 0.0),
        (1, 1, 5, "audit", 0.5),
        (20, 1, 5, "real", 0.5),
    ]

    def every_set() -> Iterator[Facts]:
        """Facts of every kind of upload that an experiment can have."""
        data = datasets.get("digits"), datasets.get("mnist")
        for model, source in product(map(models.get, models.names()), data):
            if not model.fits(source.shape) or one.unfit(model, source.shape, source.classes):
                continue
            steps = [each for each in map(optimizers.get, optimizers.names()) if not one.cannot_follow(each)]
            for step, noise, kept, summed, target, (batch, epochs, rounds, upload, clear) in product(
                steps, noises, (False, True), (False, True), ("weights", "update"), sizes
            ):
                yield Facts(
                    upload=upload,
                    target=target,
                    optimizer=step,
                    learning_rate=0.1,
                    model=model,
                    mechanism=noise,
                    batch_size=batch,
                    epochs=epochs,
                    rounds=rounds,
                    shape=source.shape,
                    classes=source.classes,
                    clear=clear,
                    kept=kept,
                    summed=summed,
                )

    def rates() -> None:
        for facts in every_set():
            fit = one.suits(facts) if isinstance(one, Reconstructor) else None
            where = f"{facts.upload} upload of {facts.target}, {facts.model.name}, {facts.mechanism.name}"
            require(fit is None or np.isfinite(fit), f"suits says {fit!r} of an {where}")
            require(all(one.knows(facts)), f"it knows nothing of an {where}")

    yield PartCheck("it rates itself for every kind of upload", rates)
