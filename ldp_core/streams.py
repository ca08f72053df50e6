"""Keyed random streams: one for each (run seed, purpose, round), and no other source of randomness.

Draws for one purpose do not affect those for another. So runs with the same seed share data, batches,
selection and attack images whatever their mechanism, and comparisons are paired. Keys are 128 bits of a hash,
as 32 bits collide among a hundred thousand streams (reference: reliability, B2.1). This is simulation noise:
fast and reproducible, therefore predictable, therefore not for protecting data.
"""

from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, cast

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

Purpose = Literal[
    "holdout",  # which samples are held out as the test set
    "partition",  # which client holds which sample
    "initial model",
    "selection",  # who takes part in a round
    "batches",  # the order of each client's samples
    "records",  # which of its samples a client trains on in a round, and the papers' synthetic records
    "encoding",  # what a system draws before the mechanism sees an upload
    "noise",  # the mechanism's randomness
    "aggregation",  # aggregators that draw their weights
    "attack images",  # which image of a client is attacked
    "attack noise",  # the mechanism's randomness on attacked uploads
    "attack batches",  # the order of the samples in an attacked real upload
    "attack decoys",  # the images beside a client's own among which the server is to pick
    "attack right",  # which of them an upload is made of, and whom a tie favours
    "identification noise",  # the mechanism's randomness on the uploads that are to be identified
    "measured",  # the mechanism's randomness on uploads that show how little it hides at least
    "reconstruction",  # where an attacker that searches begins
    "public images",  # held-out pictures that an attacker may know
    "audit",  # samples that a mechanism's promise is held against
    "hypercube",  # the settings of sweeps that an earlier version drew
    "prediction",  # imagined rounds, where the server's noise has no closed form
    "strokes",  # drawings by a program, beside which features compare
    "participation",  # who is in a trusted server's sum, which is secret
    "dropping out",  # who of a secure sum never answers
    "mixing",  # a shuffler's order
    "linkage",  # guesses whose upload is whose
    "crafted model",  # what a server that lies makes its model of
    "trial of a lie",  # its trial of that model on public images
    "pilot",  # everything in a trial before training
]


def key(seed: int, purpose: Purpose, round: int = 0) -> int:
    """128-bit Philox key of a stream."""
    text = f"{seed}/{purpose}/{round}".encode()
    return int.from_bytes(blake2b(text, digest_size=16).digest(), "big")


def stream(seed: int, purpose: Purpose, round: int = 0) -> np.random.Generator:
    """New generator for one purpose in one round of a run (round 0: before the first).

    Every call starts the stream anew.
    """
    return keyed(key(seed, purpose, round))


def keyed(key: int) -> np.random.Generator:
    """New generator of a stream by its 128-bit key."""
    return np.random.Generator(np.random.Philox(cast("Any", Key(key))))


def on_demand(seed: int, purpose: Purpose, round: int = 0) -> np.random.Generator:
    """A generator like that of `stream`, created at its first draw; saves time for rarely used streams."""
    return cast("np.random.Generator", Unmade(seed, purpose, round))


class Unmade:
    """Stands in for a numpy generator, created at its first use; no instance of `np.random.Generator`."""

    def __init__(self, *of: Any) -> None:
        self._of = of

    @cached_property
    def _made(self) -> np.random.Generator:
        return stream(*self._of)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


class Substitute(np.random.Generator):
    """Base class of generators whose draws are given; those that a subclass has no method for are refused."""

    def __init__(self) -> None:
        super().__init__(np.random.Philox(key=0))  # it must have one

    def __getattribute__(self, name: str) -> Any:
        if hasattr(np.random.Generator, name) and name[0] != "_" and name not in vars(type(self)):
            raise NotImplementedError(f"{type(self).__name__} gives no {name}")
        return super().__getattribute__(name)


class Key(ISeedSequence):
    """Seed sequence of a fixed key: the stream of `Philox(key=…)` in a quarter of the time."""

    def __init__(self, key: int) -> None:
        self._words = np.array([key % 2**64, key >> 64], dtype=np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        if (n_words, np.dtype(dtype)) != (2, np.uint64):
            raise ValueError("a key is for a Philox generator")
        return self._words
