"""Tables that others have written, in whatever way their spreadsheet, tracker or framework writes them.

`read_table` finds the encoding, the delimiter and the columns that hold something; `Table.number` reads a
cell in the notation that the whole file proves (`notation`); `Column` knows a column by its heading
(`headings`). What has two readings is refused with both.
"""

from ldp_core.tables.headings import Column, find
from ldp_core.tables.notation import is_gap, is_no_number, two_readings, typed
from ldp_core.tables.parquet import parquet_as_csv
from ldp_core.tables.reading import MOST_BYTES, Table, read_table
