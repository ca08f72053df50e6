"""A person's own table as a data set: the card beside it, what was understood of it, its samples."""

from ldp_core.datasets._table.card import Card
from ldp_core.datasets._table.source import PREFIX, TableFile, current, every, forget
