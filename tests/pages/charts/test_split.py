"""Who holds what, as a picture and in words."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from ldp_core import datasets
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import assemble
from ldp_core.theory.turnout import label_counts
from pages.parts.charts.split import MOST_BARS, MOST_CLASSES, chosen, split_figure
from tests.data import digits
from tests.pages.charts.test_base import check

NAMES = datasets.get("digits").class_names


@pytest.mark.parametrize("kind", ["iid", "dirichlet", "group_labels"])
def test_partition_chart_equals_the_dealt_shards(kind: str):
    experiment = parse({"partition": {"kind": kind}, "clients": {"count": 7}, "seed": 3})
    counts = label_counts(plan(experiment), Path("nowhere"))
    assert counts is not None
    shards = assemble(plan(experiment), digits(), torch.device("cpu")).shards
    for client, shard in enumerate(shards):
        assert np.array_equal(counts[client], np.bincount(digits().train_y[shard], minlength=10))
    figure = check(split_figure(counts, NAMES))
    drawn = np.array([trace.y for trace in figure.data]).T
    assert np.array_equal(drawn, counts)
    assert [note.text.rpartition(" ")[2] for note in figure.layout.annotations] == list(NAMES)


def test_data_that_are_not_there_yet_have_no_picture(tmp_path: Path):
    for name in datasets.names():
        if datasets.get(name).download:
            assert label_counts(plan(parse({"dataset": name})), tmp_path) is None


def test_of_many_clients_a_stated_sample_is_drawn():
    counts = np.arange(10_000 * 10).reshape(10_000, 10)
    figure = check(split_figure(counts, NAMES))
    assert len(figure.data[0].x) == len(set(figure.data[0].x)) == MOST_BARS
    assert chosen(10_000)[[0, -1]].tolist() == [0, 9999]
    assert np.ptp(np.diff(chosen(10_000))) <= 1
    assert len(json.dumps(split_figure(counts, NAMES))) < 30_000


def test_many_classes_are_drawn_as_the_largest_and_the_rest():
    counts = np.ones((3, 100), dtype=np.int64)
    counts[:, 40] = 9
    figure = check(split_figure(counts, [f"<b>kind {i}" for i in range(100)]))
    assert len(figure.data) == MOST_CLASSES
    assert sum(sum(trace.y) for trace in figure.data) == counts.sum()
    notes = [note.text for note in figure.layout.annotations]
    assert notes[-1].endswith("89 other classes")
    assert any("kind 40" in note for note in notes)
    assert not any("<b>" in note for note in notes), "a name is text"
