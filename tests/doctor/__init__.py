"""The report of `doctor`."""
