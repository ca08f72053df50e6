"""One file for each program that is measured; they run in environments of their own."""
