"""What ε really says: one run under three names."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=6,
    label="What ε really says",
    question="A budget of 8, 65 or 650 for one upload: which of them lets the model learn, and what is it?",
    lesson=(
        "650 for an upload of 650 weights is ε 1 for each of them: a figure that sounds strict and promises "
        "next to nothing for the upload. The ledger shows the same run under all its names; what sounds "
        "private for a person, 8 for an upload, leaves little to learn from so few clients."
    ),
    base={
        "clients": {"count": 20, "epsilon": 65, "epsilon_scope": "upload", "range": 0.1},
        "target": "update",
        "mechanism": "duchi",
    },
    variants=tuple((f"ε {budget} per upload", {"clients.epsilon": budget}) for budget in (8, 65, 650)),
)
