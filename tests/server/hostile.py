"""What a visitor without a browser may say to do harm: messages of the right type and of any content."""

import json
import random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor  # type: ignore[import-untyped]
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.server.client import Viewer

LAUNCHES = ("Train", "Attack", "Sweep", "Find", "Again", "Run", "Measure", "Copy")
"""What would keep the machine busy for minutes, if it were pressed."""
NUMBERS = (0.0, -0.0, -1.0, 0.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf"), 2.0**63)
WHOLE = (0, 1, -1, 7, 10**6, 2**31, -(2**31), 2**53, 2**63 - 1, -(2**63))
TEXTS = (
    "", " ", "Train", "0", "NaN", "-1", "1e999", "9" * 5000, "x" * 3000, "\u202e\x00\x1b[31m", "🧨" * 50,
    "../../etc/passwd", "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) $\\frac{1}{0}$ :material/add:", "'; DROP TABLE jobs; --", "{}", "null",
    "[[" * 300, "0123456789ab", "__class__",
)  # fmt: skip
ANY: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**30, -1.5, 1e308, "", "x", "9" * 400, "\ud800", ["\ud800"],
    [], [[]], {}, {"a": []},
)  # fmt: skip
"""Values of JSON that stand where something else should."""
EDIT = {"serial": 1, "client": 1, "field": "epsilon", "text": "2"}
ASKED = ("who", "epsilon", "tau", "weight", "seq", "settled", "has", "wants")
"""Fields of what the strip of Noise says."""
TOLD = "opened", "sorted", "ticked", "trained", "drawn"
"""Events of components."""
KINDS = WidgetState.DESCRIPTOR.fields_by_name
FLAGS = [one.name for one in BackMsg.DESCRIPTOR.fields if one.type == one.TYPE_BOOL]
ODD = {1: NUMBERS, 8: (True, True, False), 9: TEXTS, 12: (b"", b"\xff" * 20), 18: WHOLE}
"""Values by type of a field: double, bool, string, bytes, sint64."""


def draw(dice: random.Random, viewer: Viewer) -> BackMsg:
    message = BackMsg()
    kinds = "widgets", "address", "flag", "file_urls_request", "backend_operation_request"
    kind = dice.choices(kinds, (60, 12, 12, 8, 8))[0]
    if kind == "widgets":
        _widgets(dice, viewer, message)
    elif kind == "address":
        _address(dice, viewer, message)
    elif kind == "flag":
        setattr(message, dice.choice(FLAGS), True)
    else:
        _fill(dice, message, BackMsg.DESCRIPTOR.fields_by_name[kind])
        getattr(message, kind).session_id = dice.choice((viewer.session, "x"))
    return message


def _address(dice: random.Random, viewer: Viewer, message: BackMsg) -> None:
    state = message.rerun_script
    state.page_name = dice.choice((viewer.page, dice.choice(TEXTS)))
    name = dice.choice(("draft", "share", "job", "runs", "x", ""))
    state.query_string = dice.choice(
        (f"{name}={dice.choice(TEXTS)}", "&" * 300, "%ff%00=%", "draft=a&draft=b")
    )
    state.page_script_hash = dice.choice(("", dice.choice(TEXTS)))
    state.fragment_id = dice.choice(("", "", dice.choice(TEXTS)))
    state.is_history_navigation = dice.random() < 0.3


def _widgets(dice: random.Random, viewer: Viewer, message: BackMsg) -> None:
    """Some widgets of the page, or none of it, hold whatever they are sent."""
    state = message.rerun_script
    state.page_name, state.query_string = viewer.page, viewer.query
    labels = sorted(viewer.widgets)
    for label in dice.sample(labels, min(len(labels), dice.choice((1, 1, 2, 5)))):
        state.fragment_id = viewer.parts.get(label, "") if viewer.parts.get(label) in viewer.fragments else ""
        known = viewer.widgets[label]
        widget = state.widget_states.widgets.add(id=dice.choices((known, dice.choice(TEXTS)), (95, 5))[0])
        own = viewer.holds.get(known)
        kind = own if own and dice.random() < 0.6 else dice.choice([*KINDS][1:])
        if kind in ("trigger_value", "json_trigger_value") and label.startswith(LAUNCHES):
            kind = "string_value"
        _fill(dice, widget, KINDS[kind])


def _fill(dice: random.Random, message: Any, field: FieldDescriptor) -> None:
    """Any values of its type, and some of the fields of what is a message itself."""
    times = dice.choice((0, 1, 2, 30)) if field.is_repeated else 1
    if field.message_type:
        for _ in range(times):
            part = getattr(message, field.name)
            part = part.add() if field.is_repeated else part
            part.SetInParent()
            inner = [*field.message_type.fields]
            for one in dice.sample(inner, dice.randint(0, len(inner))):
                _fill(dice, part, one)
        return
    values = ODD.get(field.type, (7,))
    if field.name.startswith("json_"):
        values = json.dumps(_forged(dice)), dice.choice(TEXTS)
    if field.is_repeated:
        getattr(message, field.name).extend(dice.choices(values, k=times))
    else:
        setattr(message, field.name, dice.choice(values))


def _forged(dice: random.Random) -> Any:
    """What a component of our own might say, with something in it that it would not."""
    odd = dice.choice(ANY)
    edit = EDIT | {dice.choice(list(EDIT)): odd}
    return dice.choice(
        (
            odd,
            {"edits": odd},
            {"edits": {"mount": odd, "log": [EDIT]}},
            {"edits": {"mount": "m", "log": odd}},
            {"edits": {"mount": "m", "log": [odd, edit]}},
            {"edits": {"mount": "m", "log": [edit]}},
            {"edits": {"mount": "m", "log": [{"serial": 1}]}},
            {"asked": odd},
            {"asked": {dice.choice(ASKED): odd, "settled": True}},
            {dice.choice(TOLD): odd},
            [{"event": dice.choice(TOLD), "value": odd}],
            {"event": odd},
            {"token": odd},
        )
    )
