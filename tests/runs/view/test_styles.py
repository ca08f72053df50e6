"""One colour is one thing in all scenarios: the hue is the mechanism's, a smaller budget a step further."""

import tomllib
from collections import defaultdict

from ldp_core import mechanisms, presets
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.view.styles import COLOURS, INK, LIGHT, ladders, styles, tint_of
from ldp_core.system.shipped import CONFIG


def test_mechanism_hues_are_fixed_and_distinct():
    hues = defaultdict[str, set[int]](set)
    for name in presets.names():
        draft = presets.get(name).draft
        looks = styles(draft)
        assert len({(look.tint, look.dash) for look in looks}) == len(looks), name
        lines = {line for line, _ in ladders(draft)} or looks
        assert len({look.tint for look in looks}) == len(lines), f"{name}: no two lines share a colour"
        known = set[tuple[str, float | str]]()
        for variant, look in zip(draft.variants, looks, strict=True):
            epsilon = variant.set.get("clients.epsilon", draft.base.clients.epsilon)
            number = float(epsilon) if isinstance(epsilon, int | float) else str(epsilon)
            mark = str(variant.set.get("mechanism.name")), number
            if (
                "mechanism.name" in variant.set and mark not in known
            ):  # what else sets runs apart is no hue of it
                known.add(mark)
                hues[variant.set["mechanism.name"]].add(look.tint % COLOURS)
    assert {name: {tint_of(mechanisms.registry, name)} for name in hues} == dict(hues)
    assert len(hues["duchi"]) == len(hues["piecewise"]) == 1


def test_exports_have_the_colours_of_the_theme():
    light = tomllib.loads(CONFIG.read_text())["theme"]["light"]
    assert (light["chartCategoricalColors"], light["textColor"]) == ([*LIGHT], INK)


def test_smaller_budgets_of_one_mechanism_are_steps_of_its_hue():
    variants = tuple(Variant(f"ε {ε}", {"clients.epsilon": float(ε)}) for ε in (1, 8, 4))
    other = Variant("else", {"rounds": 3})
    *steps, apart = (look.tint for look in styles(Draft(parse({"mechanism": "duchi"}), (*variants, other))))
    hue = tint_of(mechanisms.registry, "duchi")
    assert steps == [hue + 2 * COLOURS, hue, hue + COLOURS]
    assert apart < COLOURS
    assert apart != hue
    assert all(
        0 < tint_of(mechanisms.registry, name) < COLOURS for name in mechanisms.names() if name != "none"
    )
