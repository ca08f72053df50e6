"""What every page is made of: fields bound to the draft, text, tables, the visitor, the header."""
