"""Jobs as a list and as one line each."""
