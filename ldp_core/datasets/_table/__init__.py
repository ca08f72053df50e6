"""A user's own table as a data set: its card (the user's words), its columns as understood, its samples."""

from ldp_core.datasets._table.card import Card, Scale
from ldp_core.datasets._table.source import PREFIX, SUFFIXES, TableFile, card_of, current, every, forget, read
from ldp_core.datasets._table.understood import refuse_unreadable
