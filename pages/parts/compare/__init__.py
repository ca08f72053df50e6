"""Runs side by side: which are chosen (`choice`), what they are (`arms`), in what they differ (`unlike`),
what that says (`verdict`), and how it is drawn (`side_by_side`)."""
