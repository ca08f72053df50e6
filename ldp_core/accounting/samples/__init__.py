"""Audit of a mechanism known only by samples, from any program or device.

`table` reads a CSV of samples, `audit` bounds ε from below and compares bias and variance with the built-in
mechanisms, `events` finds the set of outputs that distinguishes two inputs best.
"""

from ldp_core.accounting.samples.audit import (
    CannotTell,
    OutputMoments,
    SampleAudit,
    audit_function,
    audit_samples,
    beside,
)
from ldp_core.accounting.samples.table import OutputSamples, read_samples
