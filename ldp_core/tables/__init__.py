"""Parsing of foreign tables, from spreadsheets, trackers or frameworks: `read_table` detects encoding,
delimiter and columns, `Table.number` parses a cell in the notation of the whole file, `Column` recognises
headings. Ambiguous cells are refused with both readings.
"""

from ldp_core.tables.notation import is_gap, is_no_number, two_readings, typed
from ldp_core.tables.reading import MOST_BYTES, Column, Table, find, read_table
