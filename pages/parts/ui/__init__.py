"""Parts of every page: the draft (`workspace`, also opens links), fields bound to it, text, tables, visitor,
header.
"""
