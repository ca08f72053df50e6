"""Components as keys."""

from ldp_core import mechanisms


def test_components_are_usable_as_keys():
    kinds = {name: mechanisms.registry.kind(name)() for name in mechanisms.registry.names()}
    assert len({hash(one) for one in kinds.values()}) == len(kinds)
    for name, one in kinds.items():
        again = mechanisms.registry.kind(name)()
        assert hash(again) == hash(one) and again == one, name
