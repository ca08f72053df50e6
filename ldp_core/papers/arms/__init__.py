"""Arms of claims: named measurements, by training (`trained`) or without (`computed`)."""

from ldp_core.papers.arms.computed import Computed, Packed, Records, Sent
from ldp_core.papers.arms.trained import Arm, Leaking, Timed, Trained
