"""What a visitor without a browser may say to do harm: messages of the right type and of any content."""

import json
import random
from collections.abc import Sequence
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg

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
    None, True, False, 0, -1, 1, 10**30, -1.5, 1e308, "", "x", "9" * 400, [], [[]], {}, {"a": []},
)  # fmt: skip
"""Values of JSON that stand where something else should."""
EDIT = {"serial": 1, "client": 1, "field": "epsilon", "text": "2"}
KINDS = (
    "trigger_value", "bool_value", "double_value", "int_value", "string_value", "double_array_value",
    "int_array_value", "string_array_value", "json_value", "arrow_value", "bytes_value",
    "file_uploader_state_value", "string_trigger_value", "chat_input_value", "json_trigger_value",
)  # fmt: skip

ASKED = ("who", "epsilon", "tau", "weight", "seq", "settled", "has", "wants")
"""Fields of what the strip of Noise says."""


def draw(dice: random.Random, viewer: Viewer) -> BackMsg:
    message = BackMsg()
    kind = dice.choices(("widgets", "address", "other", "files", "operation"), (60, 12, 12, 8, 8))[0]
    if kind == "widgets":
        _widgets(dice, viewer, message)
    elif kind == "address":
        _address(dice, viewer, message)
    elif kind == "files":
        message.file_urls_request.request_id = dice.choice(TEXTS)
        message.file_urls_request.session_id = dice.choice((viewer.session, "x"))
        message.file_urls_request.file_names.extend([dice.choice(TEXTS)] * dice.choice((0, 1, 3, 2000)))
    elif kind == "operation":
        asked = message.backend_operation_request
        asked.request_id, asked.session_id = dice.choice(TEXTS), dice.choice((viewer.session, "x"))
        which = dice.choice(
            ("deferred_file", "install_skills", "dismiss_skills_nudge", "dataframe_chunk", "")
        )
        if which:
            getattr(asked, which).SetInParent()
        if which == "deferred_file":
            asked.deferred_file.file_id = dice.choice(TEXTS)
    else:
        which = dice.choice(
            (
                "clear_cache",
                "set_run_on_save",
                "stop_script",
                "load_git_info",
                "app_heartbeat",
                "debug_disconnect_websocket",
                "debug_shutdown_runtime",
            )
        )
        setattr(message, which, True)
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
        kind = own if own and dice.random() < 0.6 else dice.choice(KINDS)
        if kind in ("trigger_value", "json_trigger_value") and label.startswith(LAUNCHES):
            kind = "string_value"
        _fill(dice, widget, kind)


def _fill(dice: random.Random, widget: Any, kind: str) -> None:
    if kind in ("trigger_value", "bool_value"):
        setattr(widget, kind, dice.random() < 0.7)
    elif kind == "double_value":
        widget.double_value = dice.choice(NUMBERS)
    elif kind == "int_value":
        widget.int_value = dice.choice(WHOLE)
    elif kind == "string_value":
        widget.string_value = dice.choice(TEXTS)
    elif kind in ("json_value", "json_trigger_value"):
        setattr(widget, kind, dice.choice((json.dumps(_forged(dice)), dice.choice(TEXTS))))
    elif kind == "bytes_value":
        widget.bytes_value = dice.randbytes(20)
    else:
        field = getattr(widget, kind)
        field.SetInParent()
        if kind == "string_array_value":
            field.data.extend(dice.choices(TEXTS, k=dice.choice((0, 1, 2))))
        elif kind in ("double_array_value", "int_array_value"):
            given: Sequence[Any] = NUMBERS if kind == "double_array_value" else WHOLE
            field.data.extend(dice.choices(given, k=dice.choice((0, 1, 2, 3))))
        elif kind == "file_uploader_state_value":
            field.uploaded_file_info.add(file_id=dice.choice(TEXTS), name=dice.choice(TEXTS), size=7)


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
            {"opened": odd},
            [{"event": "opened", "value": odd}],
            {"event": odd},
            {"token": odd},
        )
    )
