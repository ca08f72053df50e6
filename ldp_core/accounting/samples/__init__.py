"""Audit of a mechanism known only by samples, from any program or device.

`table` reads a CSV of samples, `audit` bounds ε from below, `events` finds the set of outputs that
distinguishes two inputs best.
"""

from ldp_core.accounting.samples.audit import CannotTell, SampleAudit, audit_samples
from ldp_core.accounting.samples.table import OutputSamples, read_samples
