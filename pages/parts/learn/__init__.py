"""A lesson as it is held for one person, and the one thing that may be changed, here and in a class."""
