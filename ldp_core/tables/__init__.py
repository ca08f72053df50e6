"""Parsing of foreign tables, from spreadsheets, trackers or frameworks: `read_table` detects delimiter and
columns, `Table.number` parses a cell in the notation of the whole file, `Heading` recognises headings.
"""

from ldp_core.tables.notation import bare, decimal_mark, is_gap, is_no_number, two_readings, typed, value
from ldp_core.tables.reading import ENCODINGS, MOST_BYTES, Heading, Table, encodings, find, read_table, words
