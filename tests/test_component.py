"""Components as keys."""

from ldp_core import mechanisms


def test_components_without_parameters_are_distinguished_in_tables():
    kinds = {name: mechanisms.registry.kind(name)() for name in mechanisms.registry.names()}
    assert len({hash(one) for one in kinds.values()}) == len(kinds)
    for name, one in kinds.items():
        again = mechanisms.registry.kind(name)()
        assert hash(again) == hash(one) and again == one, name
