"""What every partition promises."""

import numpy as np
import pytest

from ldp_core import partitions
from ldp_core.errors import InvalidExperiment, InvalidInput
from ldp_core.experiment import parse, plan
from ldp_core.streams import stream
from tests.data import digits


def test_every_sample_of_its_own_client():
    labels = digits().train_y
    for partition in (partitions.get("iid"), partitions.get("dirichlet", alpha=0.05)):
        shards = partition.split(labels, len(labels), stream(0, "partition"))
        assert [len(shard) for shard in shards] == [1] * len(labels)


def test_a_small_alpha_is_uneven_and_a_large_one_is_not():
    labels = digits().train_y

    def spread(alpha: float) -> float:
        shards = partitions.get("dirichlet", alpha=alpha).split(labels, 20, stream(0, "partition"))
        mixes = np.array([np.bincount(labels[s], minlength=10) / len(s) for s in shards])
        return float(mixes.std(axis=0).mean())

    assert spread(0.05) > 3 * spread(100)


def test_groups_hold_only_their_labels():
    labels = digits().train_y
    shards = partitions.get("group_labels").split(labels, 30, stream(0, "partition"))
    assert all(set(labels[shard]) <= {0, 1, 2, 3, 4} for shard in shards[24:])
    assert all(len(set(labels[shard])) > 5 for shard in shards[:24])
    assert np.ptp([len(shard) for shard in shards]) <= 1


def test_a_group_without_enough_samples_says_so():
    groups = [{"share": 0.5, "labels": [3]}, {"share": 0.5}]
    partition = partitions.get("group_labels", groups=groups)
    with pytest.raises(InvalidInput, match="group 1 has 500 clients but only"):
        partition.split(digits().train_y, 1000, stream(0, "partition"))


def test_records_each_leaves_the_rest_out():
    labels = digits().train_y
    shards = partitions.get("records_each", records=3).split(labels, 20, stream(0, "partition"))
    assert [len(shard) for shard in shards] == [3] * 20
    assert len(set(np.concatenate(shards).tolist())) == 60
    base = {"partition": {"kind": "records_each", "records": 3}, "unit": "record"}
    few = parse(base | {"clients": {"count": 20, "epsilon": 1}})
    assert plan(few).records == 3
    assert plan(few).reach > plan(parse({"unit": "record", "clients": {"count": 20, "epsilon": 1}})).reach
    with pytest.raises(InvalidExperiment, match=r"partition.records"):
        parse(base | {"clients": {"count": 1000, "epsilon": 1}})


def test_dirichlet_clients_have_equal_size():
    """Hsu et al. 2019: Dir(α·p) for each client. By its variance p(1 − p)/(α + 1), and sampling; 5 σ."""
    labels = digits().train_y
    shards = partitions.get("dirichlet_clients", alpha=4.0).split(labels, 20, stream(3, "partition"))
    assert np.ptp([len(shard) for shard in shards]) <= 1
    mixes = np.array([np.bincount(labels[s], minlength=10) / len(s) for s in shards])
    p = np.bincount(labels, minlength=10) / len(labels)
    expected = float((p * (1 - p) / 5).mean())
    assert 0.4 * expected < float(mixes.var(axis=0).mean()) < 1.6 * expected
