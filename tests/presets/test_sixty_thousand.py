"""Sixty thousand people, one image each: one answer a person, and what training them takes."""

import numpy as np

from ldp_core import presets
from ldp_core.accounting import entry_of, ledger
from ldp_core.cost.estimate import cost
from ldp_core.experiment import plan
from ldp_core.presets.sixty_thousand import FEW, SOME, TOTALS, UNEVEN


def test_each_person_holds_one_image_and_uploads_once():
    draft = presets.get("sixty_thousand").draft
    made = dict(zip((v.label for v in draft.variants), draft.experiments(), strict=True))
    for label, one in made.items():
        count, rounds = one.clients.count, one.rounds
        assert count == {FEW: 600, SOME: 6_000, UNEVEN: 6_000}.get(label, plan(one).source.train_size)
        each = [one.selection.choose(count, one.seed, number, rounds) for number in range(1, rounds + 1)]
        assert np.array_equal(np.sort(np.concatenate(each)), np.arange(count))
        last = entry_of(ledger(one), count - 1)
        assert {last.upload.bound, last.run_worst.bound} == {float(TOTALS[label])}
        assert one.local.epochs * plan(one).source.train_size <= one.local.batch_size * count, "one step each"


def test_sixty_thousand_fits_in_a_gigabyte():
    """Its clients stream through in chunks, and with a quarter of their size train in half the time too."""
    assert cost(presets.get("sixty_thousand").draft).memory < 1e9
