"""A published system is chosen, changed and left on Train."""

from typing import Any

from ldp_core import systems
from ldp_core.experiment import Draft, parse_draft
from ldp_core.runs.record import drafts
from tests.pages.conftest import Opened


def test_chosen_system_fills_the_draft_and_stands_in_both_forms(opened: Opened):
    identity = drafts.new(parse_draft({"base": {"dataset": "digits"}, "seeds": 1}))
    app = opened("train", draft=identity)

    def field(kind: str, label: str) -> Any:
        return next(one for one in app.get(kind) if one.label == label)

    def kept() -> Draft:
        found = drafts.load(identity)
        assert found is not None and not app.exception and not app.error
        return found

    for name in ("pldp_fl", "personalized_ldp_fl"):
        field("selectbox", "Published system").set_value(name).run()
        system = kept().base.system
        assert system is not None and system.name == name
        assert systems.registry.kind(name).summary in " ".join(one.value for one in app.markdown)
    field("selectbox", "Clients' data").set_value("non_iid").run()
    assert kept().base.as_json()["system"]["case"] == "non_iid"
    field("button", "Back to the paper's settings").click().run()
    assert [one.form for one in kept().experiments()] == ["as_printed"]
