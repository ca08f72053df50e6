"""Why something could not be done stays long enough to be read, and no longer."""

import pytest

from pages.parts.ui import job_actions
from tests.pages.conftest import drawn


def page() -> None:
    """A part that draws itself again and again, as the list of runs does."""
    import streamlit as st

    from ldp_core.errors import NotNow
    from pages.parts.ui.job_actions import act, lasting_refusal

    def refused(identity: str, who: object) -> None:
        raise NotNow(f"{identity} is pinned")

    st.button("Delete", key="delete", on_click=act, args=(refused, "this one"))
    st.button("Pin", key="pin", on_click=act, args=(lambda identity, who: None, "that one"))
    lasting_refusal()


def test_refusal_lasts_until_read_or_another_action(monkeypatch: pytest.MonkeyPatch):
    app = drawn(page)
    assert not app.error
    app.button(key="delete").click().run()
    for _ in range(3):
        assert [one.value for one in app.error] == ["this one is pinned"]
        app.run()
    app.button(key="pin").click().run()
    assert not app.error
    app.button(key="delete").click().run()
    assert app.error
    monkeypatch.setattr(job_actions, "READ_SECONDS", 0.0)
    app.run()
    assert not app.error
