"""A user's own table as a data set: its card (the user's words), its columns as understood, its samples."""

from ldp_core.datasets._table.card import Card, Scale
from ldp_core.datasets._table.source import (
    PREFIX,
    TEXTS,
    TableFile,
    current,
    every,
    forget,
    of_rows,
    parsed,
)
from ldp_core.datasets._table.understood import refuse_unreadable
