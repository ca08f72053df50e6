"""Parts of every page: the draft, fields bound to it, text, tables, visitor, header."""
