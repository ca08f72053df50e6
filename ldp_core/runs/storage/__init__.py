"""The folder of runs as files: where it is, SQLite in it, and the room that is left on its disk."""
