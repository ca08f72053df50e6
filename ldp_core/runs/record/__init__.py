"""Stored data: `computations` by content key, written by `checkpoints` and read by `events`; sweeps' `cells`;
`drafts`; `deletion` deletes records and undoes it, `quota` makes room. Unreadable or unwritable data
raise StorageFailed.
"""
