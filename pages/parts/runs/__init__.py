"""Jobs as a list and as single lines."""
