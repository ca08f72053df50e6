"""Files in the folder of runs: paths, SQLite, locks, and free disk space."""
